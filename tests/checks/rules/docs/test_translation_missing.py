import pytest

from tests.checks.rules.points import FILES
from tests.checks.samples import observe
from tests.kit import snapshot

RULE = "docs/translation-missing"
PAGE = "# Guide\n\nOne.\n\n```bash\nmake\n```\n"
BASE = {**FILES, "docs/guide.md": PAGE, "docs/guide_zh.md": "# 指南\n", "docs/waiver/7.md": "a\n"}


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
    ],
)
def test_what_leaves_nothing_behind(edit: dict[str, str]) -> None:
    assert observe(RULE, snapshot(BASE, {**BASE, **edit})) == []


def test_a_waiver_needs_no_translation() -> None:
    base = {**BASE, "docs/waiver/7_zh.md": "a\n"}
    assert observe(RULE, snapshot(base, {**base, "docs/waiver/7.md": "b\n"})) == []
