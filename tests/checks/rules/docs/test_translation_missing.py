from dataclasses import replace

import pytest

from checks.model import ChangedFile, Status
from tests.checks.rules.points import FILES
from tests.checks.samples import observe
from tests.kit import snapshot

RULE = "docs/translation-missing"
PAGE = "# Guide\n\nOne.\n\n```bash\nmake\n```\n"
BASE = {
    **FILES,
    "docs/guide.md": PAGE,
    "docs/guide_zh.md": "# 指南\n",
    "docs/waiver/7.md": "a\n",
    "docs/plain.md": "One.\n",
    "docs/list.txt": "One.\n",
    "docs/list.txt_zh.md": "一\n",
    "experimental/x.md": "One.\n",
    "experimental/x_zh.md": "一\n",
}


def test_a_page_whose_translation_is_left_behind() -> None:
    head = {**BASE, "docs/guide.md": PAGE.replace("One.", "Two.")}
    (seen,) = observe(RULE, snapshot(BASE, head))
    assert (seen.path, seen.line, seen.anchor) == ("docs/guide.md", 3, ("docs/guide_zh.md",))
    assert str(seen.title) == "The Chinese version is left behind"
    assert str(seen.message) == (
        "`docs/guide.md` changes, `docs/guide_zh.md` does not. Make the same change there."
    )
    assert [(e.path, e.line) for e in seen.evidence] == [("docs/guide_zh.md", None)]


@pytest.mark.parametrize(
    "edit",
    [
        {"docs/guide.md": PAGE.replace("One.", "Two."), "docs/guide_zh.md": "# 指南二\n"},
        {"docs/guide.md": PAGE.replace("make\n", "make all\n")},
        {"docs/guide.md": PAGE.replace("\n\nOne.", "\n\n\nOne.")},
        {"docs/guide_zh.md": "# 指南二\n"},
        {"docs/waiver/7.md": "b\n", "docs/waiver/7_zh.md": "b\n"},
        {"docs/other.md": "new\n"},
        {"docs/plain.md": "Two.\n"},
        {"docs/list.txt": "Two.\n"},
        {"experimental/x.md": "Two.\n"},
        {"docs/guide.md": PAGE.replace("make\n", "~~~~\n```x\nmake\n")},
    ],
)
def test_what_leaves_nothing_behind(edit: dict[str, str]) -> None:
    assert observe(RULE, snapshot(BASE, {**BASE, **edit})) == []


@pytest.mark.parametrize("folder", ["docs", "inferencex-e2e/docs"])
def test_a_waiver_needs_no_translation(folder: str) -> None:
    base = {**BASE, f"{folder}/waiver/7.md": "a\n", f"{folder}/waiver/7_zh.md": "a\n"}
    assert observe(RULE, snapshot(base, {**base, f"{folder}/waiver/7.md": "b\n"})) == []


def test_a_new_or_deleted_page_and_one_that_only_moves() -> None:
    without = {path: text for path, text in BASE.items() if path != "docs/guide.md"}
    assert observe(RULE, snapshot(without, BASE)) == []
    assert observe(RULE, snapshot(BASE, without)) == []
    for content, count in ((PAGE, 0), (PAGE.replace("One.", "Two."), 1)):
        head = {**without, "docs/new.md": content, "docs/new_zh.md": "# 指南\n"}
        moved = ChangedFile("docs/new.md", Status.RENAMED, "docs/guide.md")
        pull = replace(snapshot({**BASE, "docs/new_zh.md": "# 指南\n"}, head), files=(moved,))
        assert len(observe(RULE, pull)) == count


def test_code_ends_at_a_fence_of_its_own_kind() -> None:
    page = "````\n```\nmake\n````\nOne.\n"
    base = {**BASE, "docs/guide.md": page}
    for old, count in (("make", 0), ("One", 1)):
        head = {**base, "docs/guide.md": page.replace(old, "two")}
        assert len(observe(RULE, snapshot(base, head))) == count
    gone = {**base, "docs/guide.md": page.replace("One.\n", "")}
    (seen,) = observe(RULE, snapshot(base, gone))
    assert seen.line is None
