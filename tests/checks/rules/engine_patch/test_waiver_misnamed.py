import pytest

from checks.model import ChangedFile, Snapshot, Status
from checks.rules.engine_patch.waiver_misnamed import LONGEST_WAIVER
from tests.checks.samples import AUGUST, observe
from tests.kit import snapshot

RULE = "engine-patch/waiver-misnamed"
WAIVER = """\
# Waiver for PR #7

## What is patched

`toy_fp8_h200.sh` edits one file of the engine.

## Upstream

https://github.com/toy-project/toy/pull/12

## Removal plan

With the next release.
"""


def added(path: str, content: str = WAIVER, number: int | None = 7) -> Snapshot:
    return snapshot(AUGUST, {**AUGUST, path: content}, number)


@pytest.mark.parametrize("folder", ["docs/waiver", "inferencex-e2e/docs/waiver"])
def test_a_waiver_of_another_name(folder: str) -> None:
    (seen,) = observe(RULE, added(f"{folder}/8.md"))
    assert (seen.path, seen.line, seen.anchor) == (f"{folder}/8.md", 1, ("name",))
    assert str(seen.title) == "The waiver is not named for this pull request"
    assert str(seen.message) == (
        "A waiver has the number of the pull request that brings the patch. Rename it to "
        f"`{folder}/7.md`."
    )
    assert [(e.line, e.text) for e in seen.evidence] == [(1, "# Waiver for PR #7"), (None, "#7")]
    assert observe(RULE, added(f"{folder}/7.md")) == []
    assert len(observe(RULE, added(f"{folder}/PENDING-kernels.md"))) == 1


def test_a_waiver_that_says_too_little() -> None:
    (seen,) = observe(RULE, added("docs/waiver/7.md", "# Waiver\n\nWe patch the engine.\n"))
    assert (seen.line, seen.anchor) == (1, ("sections",))
    assert str(seen.title) == "The waiver is not complete"
    assert str(seen.message) == (
        "This waiver does not name the script, patch file or image that is patched; a link to "
        "upstream; when the patch goes away. Say which config it covers, what is patched, why the "
        "unmodified image cannot run, where upstream fixes it and when it goes away."
    )


@pytest.mark.parametrize(
    ("old", "new", "missing"),
    [
        ("`toy_fp8_h200.sh` edits", "It edits", "the script, patch file or image"),
        ("https://github.com/toy-project/toy/pull/12",
         "https://github.com/SemiAnalysisAI/InferenceX/actions/runs/1", "a link to upstream"),
        ("## Removal plan\n\nWith the next release.\n", "", "when the patch goes away"),
    ],
)  # fmt: skip
def test_each_part_is_needed(old: str, new: str, missing: str) -> None:
    (seen,) = observe(RULE, added("docs/waiver/7.md", WAIVER.replace(old, new)))
    assert f"does not name {missing}" in str(seen.message)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("## Removal plan\n\nWith the next release.\n",
         "Remove this script and this waiver when v0.27.1 of\nthe image has the fix.\n"),
        ("## Removal plan\n\nWith the next release.\n", "待上游镜像修复后移除本补丁。\n"),
        ("## Removal plan", "## Validation and removal"),
        ("`toy_fp8_h200.sh` edits one file", "The image `toy/engine:fixed` differs"),
        ("`toy_fp8_h200.sh`", "`patches/toy.patch`"),
        ("`toy_fp8_h200.sh`", "`toy/model.py`"),
        ("`toy_fp8_h200.sh`", "`toy.diff`"),
        ("`toy_fp8_h200.sh` edits", "`recipes/toy.yml` edits"),
        ("`toy_fp8_h200.sh` edits", "`toy/engine@sha256:0123` edits"),
        ("## Removal plan", "## When this retires"),
        ("## Removal plan", "## Sunset"),
        ("## Removal plan", "## Expiry"),
        ("## Removal plan\n\nWith", "## Plan\n\nDropped once upstream has it, with"),
        ("## Removal plan\n\nWith", "## Plan\n\nAfter v2 ships we delete it, with"),
        ("## Removal plan\n\nWith", "## Plan\n\nUntil it is retired, we patch, with"),
    ],
)  # fmt: skip
def test_the_words_are_free(old: str, new: str) -> None:
    assert observe(RULE, added("docs/waiver/7.md", WAIVER.replace(old, new))) == []


@pytest.mark.parametrize(
    "name", ["7_zh", "8_zh", "README", "waiver-template", "README_zh", "index"]
)
def test_translations_and_pages_that_are_no_waiver(name: str) -> None:
    assert observe(RULE, added(f"docs/waiver/{name}.md", "# x\n")) == []


def test_old_waivers_and_other_files_are_not_judged() -> None:
    old = {**AUGUST, "docs/waiver/3.md": "# x\n"}
    assert observe(RULE, snapshot(old, {**old, "docs/waiver/3.md": "# y\n"})) == []
    assert observe(RULE, added("docs/8.md", "# x\n")) == []
    pull = snapshot(old, {**AUGUST, "docs/waiver/4.md": "# x\n"})
    moved = ChangedFile("docs/waiver/4.md", Status.RENAMED, "docs/waiver/3.md")
    assert observe(RULE, Snapshot(pull.base, pull.head, (moved,), pull.pull_request)) == []
    pages = {**AUGUST, "docs/notes.md": "# x\n"}
    pull = snapshot(pages, {**AUGUST, "docs/waiver/4.md": "# x\n"})
    new = ChangedFile("docs/waiver/4.md", Status.RENAMED, "docs/notes.md")
    found = observe(RULE, Snapshot(pull.base, pull.head, (new,), pull.pull_request))
    assert [seen.anchor for seen in found] == [("name",), ("sections",)]


def test_without_a_number_only_the_content_is_judged() -> None:
    assert observe(RULE, added("docs/waiver/8.md", number=None)) == []
    assert len(observe(RULE, added("docs/waiver/8.md", "# x\n", None))) == 1


@pytest.mark.parametrize("part", ["remove when ", "a/", "https://", "when ", "# remo"])
def test_any_page_is_read_in_time(part: str) -> None:
    found = observe(RULE, added("docs/waiver/7.md", part * (LONGEST_WAIVER // len(part))))
    assert [seen.anchor for seen in found] == [("sections",)]
