"""Merge conflicts that were left in the changelog: said once, and resolved where that is safe."""

import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.checks.rules.changelog.repository import GOOD, LINK, OLD, PATH, entry, fixed, judge, said

SIBLING = entry("toy-fp8-b300-sglang-mtp", link=LINK + "6")
CLEAN = OLD + "\n" + GOOD


def test_a_conflict_is_the_only_finding_and_is_resolved_with_the_base_first() -> None:
    head = OLD + "\n<<<<<<< HEAD\n" + GOOD + "=======\n" + SIBLING + ">>>>>>> main\n"
    report = judge(head, base={PATH: OLD + "\n" + SIBLING})
    assert said(report) == [
        (
            "schema blocking perf-changelog.yaml:19 A merge conflict is left in the changelog from "
            "line 19 to line 31. Keep the entries of both sides, those of the base first, and "
            "remove the marker lines."
        )
    ]
    assert str(report.findings[0].title) == "A merge conflict is left in the changelog"
    assert report.findings[0].end_line == 31
    assert fixed(head, report.findings[0]).decode() == OLD + "\n" + SIBLING + "\n" + GOOD


def test_a_conflict_the_other_way_round() -> None:
    head = OLD + "\n<<<<<<< main\n" + SIBLING + "=======\n" + GOOD + ">>>>>>> mine\n"
    report = judge(head, base={PATH: OLD + "\n" + SIBLING})
    assert fixed(head, report.findings[0]).decode() == OLD + "\n" + SIBLING + "\n" + GOOD


@pytest.mark.parametrize(
    "head",
    [
        CLEAN + ">>>>>>> main\n",
        CLEAN + "=======\n",
        OLD + "\n<<<<<<< HEAD\n" + GOOD,
        OLD + "\n<<<<<<< a\n||||||| b\n=======\n" + GOOD + ">>>>>>> c\n",
        OLD.replace("- config-keys", "<<<<<<< HEAD\n=======\n>>>>>>> x\n- config-keys"),
    ],
)
def test_whatever_is_left_of_a_conflict_is_named(head: str) -> None:
    report = judge(head)
    assert {each.rule for each in report.findings} == {"changelog/schema"}
    assert {str(each.title) for each in report.findings} == {
        "A merge conflict is left in the changelog"
    }


MAINS = OLD + "\n" + SIBLING


def left_by_git(ours: str, theirs: str, *options: str) -> str:
    """Return what git leaves when both append to the base: common lines are outside."""
    with TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("ours", "base", "theirs")]
        for path, content in zip(paths, (ours, OLD, theirs), strict=True):
            path.write_text(content)
        labels = ("-L", "HEAD", "-L", "base", "-L", "main")
        command = ["git", "merge-file", "-p", *labels, *options, *map(str, paths)]
        return subprocess.run(command, capture_output=True, text=True).stdout


@pytest.mark.parametrize("options", [(), ("--diff3",)])
@pytest.mark.parametrize("swapped", [False, True])
def test_what_git_leaves_is_resolved_with_the_base_first(
    options: tuple[str, ...], swapped: bool
) -> None:
    sides = (MAINS, CLEAN) if swapped else (CLEAN, MAINS)
    head = left_by_git(*sides, *options)
    assert "\n<<<<<<< HEAD\n" in head
    report = judge(head, base={PATH: MAINS})
    assert [each.rule for each in report.findings] == ["changelog/schema"]
    assert fixed(head, report.findings[0]).decode() == MAINS + "\n" + GOOD


def test_common_lines_at_the_end_are_kept_on_both_sides() -> None:
    mine, mains = (x.replace(LINK + n, "XXX") for x, n in ((CLEAN, "7"), (MAINS, "6")))
    head = left_by_git(mine, mains)
    assert not head.endswith(">>>>>>> main\n")
    report = judge(head, base={PATH: mains}, number=None)
    assert fixed(head, report.findings[0]).decode() == mains + "\n" + GOOD.replace(
        LINK + "7", "XXX"
    )


def test_several_conflicts_are_resolved_by_one_edit_of_the_first() -> None:
    many = "".join(f'    - "Sentence {n}"\n' for n in range(5))
    mine, mains = (
        x.replace("  pr-link", f"{many}  scenario-type:\n    - agentic-coding\n  pr-link")
        for x in (GOOD, SIBLING)
    )
    head = left_by_git(OLD + "\n" + mine, OLD + "\n" + mains)
    assert head.count("<<<<<<<") == 2
    report = judge(head, base={PATH: OLD + "\n" + mains})
    assert [each.suggestion is not None for each in report.findings] == [True, False]
    assert fixed(head, report.findings[0]).decode() == f"{OLD}\n{mains}\n{mine}"


@pytest.mark.parametrize("swapped", [False, True])
def test_a_base_without_mains_entry_is_told_by_the_links(swapped: bool) -> None:
    """The pull request brings both entries, so main's is named as a defect: no suggestion."""
    sides = (MAINS, CLEAN) if swapped else (CLEAN, MAINS)
    (finding,) = judge(left_by_git(*sides), number=7).findings
    assert finding.suggestion is None
    mine = CLEAN.replace(LINK + "7", "XXX")
    head = left_by_git(*((MAINS, mine) if swapped else (mine, MAINS)))
    (finding,) = judge(head, number=None).findings
    assert fixed(head, finding).decode() == MAINS + "\n" + GOOD.replace(LINK + "7", "XXX")


@pytest.mark.parametrize(
    ("mine", "mains"),
    [
        (OLD.replace("Second", "2nd") + "\n" + GOOD, MAINS),
        (OLD + "\n" + GOOD.replace("  description:\n", ""), MAINS),
        (OLD + "\n" + GOOD + "# mine\n", MAINS),
        (OLD + "\n" + SIBLING.replace("Tune it", "Same key"), OLD + "\n" + SIBLING),
    ],
)
def test_what_leaves_a_doubt_has_no_suggestion(mine: str, mains: str) -> None:
    head = left_by_git(mine, mains)
    assert "<<<<<<<" in head
    findings = judge(head, base={PATH: mains}).findings
    assert {str(each.title) for each in findings} == {"A merge conflict is left in the changelog"}
    assert not any(each.suggestion for each in findings)
