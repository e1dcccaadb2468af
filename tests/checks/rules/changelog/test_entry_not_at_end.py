"""New entries stand behind all existing ones."""

from tests.checks.rules.changelog.repository import (
    GOOD,
    LINK,
    OLD,
    PATH,
    entry,
    fixed,
    judge,
    said,
)

THIRD = OLD.index("- config-keys:\n    - toy-fp8-b300-sglang-mtp")
END = OLD + "\n" + GOOD
SIBLING = entry("toy-fp8-b300-sglang-mtp")


def test_an_entry_at_the_end_is_clean() -> None:
    assert said(judge(END)) == []
    assert said(judge(END + "\n" + SIBLING)) == []


def test_an_entry_in_the_middle_is_reported_once_and_moved() -> None:
    head = OLD[:THIRD] + GOOD + "\n" + OLD[THIRD:]
    report = judge(head)
    assert said(report) == [
        (
            "entry-not-at-end blocking perf-changelog.yaml:13 The entry of "
            "`toy-fp8-b300-sglang` is new but stands before existing ones, from line 19 on. New "
            "entries go to the end of the file; move it behind line 23."
        )
    ]
    assert str(report.findings[0].title) == "The new entry is not at the end of the changelog"
    assert report.findings[0].end_line == 17
    assert report.findings[0].evidence[0].line == 19
    assert fixed(head, report.findings[0]).decode() == END


def test_an_entry_before_all_others_is_moved_too() -> None:
    head = GOOD + "\n" + OLD
    report = judge(head)
    assert [(each.rule, each.line) for each in report.findings] == [
        ("changelog/entry-not-at-end", 1)
    ]
    assert fixed(head, report.findings[0]).decode() == END


def test_two_misplaced_entries_are_two_findings_with_different_fingerprints() -> None:
    report = judge(OLD[:THIRD] + GOOD + "\n" + GOOD + "\n" + OLD[THIRD:])
    assert [each.line for each in report.findings] == [13, 19]
    assert len({each.fingerprint for each in report.findings}) == 2


def test_a_fingerprint_survives_lines_that_move() -> None:
    one = judge(OLD[:THIRD] + GOOD + "\n" + OLD[THIRD:])
    more = entry("toy-fp8-b300-sglang", link=LINK + "0", what="Zeroth") + "\n"
    two = judge(more + OLD[:THIRD] + GOOD + "\n" + OLD[THIRD:], base={PATH: more + OLD})
    assert one.findings[0].fingerprint == two.findings[0].fingerprint


def test_a_misplaced_entry_with_a_wrong_link_has_two_defects() -> None:
    bad = entry("toy-fp8-b300-sglang", link=LINK + "6")
    report = judge(OLD[:THIRD] + bad + "\n" + OLD[THIRD:])
    assert [each.rule for each in report.findings] == [
        "changelog/entry-not-at-end",
        "changelog/pr-link",
    ]
