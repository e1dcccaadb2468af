"""Merge conflicts that were left in the changelog: said once, and resolved where that is safe."""

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
