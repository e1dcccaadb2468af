"""New entries: where they stand, which bytes are around them, what they link."""

import pytest

from checks.model import Severity
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
AROUND = "White space around the new entry is not as the changelog wants it"
SIBLING = entry("toy-fp8-b300-sglang-mtp")


def linked(link: str) -> str:
    return OLD + "\n" + entry("toy-fp8-b300-sglang", link=link)


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


@pytest.mark.parametrize(
    ("head", "expected", "mended"),
    [
        (
            OLD + GOOD,
            (
                "18 Exactly one empty line separates entries; before the entry of "
                "`toy-fp8-b300-sglang` there are 0."
            ),
            END,
        ),
        (
            OLD + "\n\n" + GOOD,
            (
                "20 Exactly one empty line separates entries; before the entry of "
                "`toy-fp8-b300-sglang` there are 2."
            ),
            END,
        ),
        (
            OLD + "  \n" + GOOD,
            (
                "19 The line that separates the entry of `toy-fp8-b300-sglang` is not empty: it "
                "holds `␠␠`. Leave exactly one empty line."
            ),
            END,
        ),
        (
            OLD + "\n# note\n" + GOOD,
            (
                "20 The line that separates the entry of `toy-fp8-b300-sglang` is not empty: it "
                "holds `# note`. Leave exactly one empty line."
            ),
            END,
        ),
        (
            END + "\n\n" + SIBLING,
            (
                "26 Exactly one empty line separates entries; before the entry of "
                "`toy-fp8-b300-sglang-mtp` there are 2."
            ),
            END + "\n" + SIBLING,
        ),
        (
            END.rstrip("\n"),
            "23 The file does not end with a line feed; add one after its last line.",
            END,
        ),
        (
            END + "\n",
            "24 Nothing follows the last entry but its line feed; remove what does.",
            END,
        ),
        (
            END + "# note\n",
            "24 Nothing follows the last entry but its line feed; remove what does.",
            END,
        ),
        (
            OLD + "\n",
            "18 Nothing follows the last entry but its line feed; remove what does.",
            OLD,
        ),
        (
            OLD + "\n" + GOOD.replace("\n", "\r\n"),
            (
                "19 The entry of `toy-fp8-b300-sglang` holds `␍` here. The changelog holds no "
                "carriage return, tab or NUL; use spaces and plain line feeds."
            ),
            END,
        ),
        (
            END.replace('  description:\n    - "Tune', '\tdescription:\n    - "Tune'),
            (
                "21 The entry of `toy-fp8-b300-sglang` holds `␉` here. The changelog holds no "
                "carriage return, tab or NUL; use spaces and plain line feeds."
            ),
            END,
        ),
        (
            END.replace("Tune it", "Tune\0 it"),
            (
                "22 The entry of `toy-fp8-b300-sglang` holds `␀` here. The changelog holds no "
                "carriage return, tab or NUL; use spaces and plain line feeds."
            ),
            END,
        ),
    ],
)
def test_each_byte_rule(head: str, expected: str, mended: str) -> None:
    report = judge(head)
    assert said(report) == [f"bytes blocking perf-changelog.yaml:{expected}"]
    assert fixed(head, report.findings[0]).decode() == mended


def test_titles_of_the_byte_rules() -> None:
    assert str(judge(END + "\n").findings[0].title) == AROUND
    title = judge(OLD + "\n" + GOOD.replace("it", "\t")).findings[0].title
    assert str(title) == "A character that the changelog may not hold"


def test_a_last_line_of_spaces_passes_the_merge_tools_and_is_a_warning() -> None:
    report = judge(END + "  \n")
    assert said(report) == [
        (
            "bytes warning perf-changelog.yaml:24 Nothing follows the last entry but its line "
            "feed; remove what does."
        )
    ]
    assert fixed(END + "  \n", report.findings[0]).decode() == END


def test_trailing_spaces_inside_an_entry_break_no_rule() -> None:
    assert said(judge(END.replace('Tune it"\n', 'Tune it"  \n'))) == []
    assert said(judge(END[:-1] + " \n")) == []


def test_legacy_white_space_is_not_judged() -> None:
    messy = OLD.replace("pull/1\n\n", "pull/1\n  \n\n\n") + "  \n"
    assert said(judge(messy + "\n" + GOOD, base={PATH: messy})) == []
    tabs = OLD.replace("First", "Fi\trst").replace("Second", "Second\r")
    assert said(judge(tabs + "\n" + GOOD, base={PATH: tabs})) == []
    open_end = OLD.rstrip("\n")
    assert said(judge(open_end + "\n\n" + GOOD, base={PATH: open_end})) == []
    blank_end = OLD + "\n"
    assert said(judge(blank_end + GOOD, base={PATH: blank_end})) == []


def test_a_legacy_separator_of_spaces_needs_an_empty_line_after_it() -> None:
    report = judge(OLD + "  \n" + GOOD, base={PATH: OLD + "  \n"})
    assert said(report) == [
        (
            "bytes blocking perf-changelog.yaml:19 The file ended with a line of white space, "
            "which is no empty line to the tools that merge it. Leave that line and put an "
            "empty one between it and the entry of `toy-fp8-b300-sglang`."
        )
    ]
    mended = fixed(OLD + "  \n" + GOOD, report.findings[0]).decode()
    assert mended == OLD + "  \n\n" + GOOD


@pytest.mark.parametrize("link", [LINK + "7", f'"{LINK}7"', f"'{LINK}7'"])
def test_the_link_of_this_pull_request_is_clean(link: str) -> None:
    assert said(judge(linked(link))) == []


@pytest.mark.parametrize(
    ("link", "message"),
    [
        ("TBD", f"`TBD` is not the link of this pull request; write `{LINK}7`."),
        ('"TBD"', f"`TBD` is not the link of this pull request; write `{LINK}7`."),
        (LINK + "0", f"`{LINK}0` is not the link of this pull request; write `{LINK}7`."),
        (LINK + "07", f"`{LINK}07` is not the link of this pull request; write `{LINK}7`."),
        (
            LINK + "7/files",
            f"`{LINK}7/files` is not the link of this pull request; write `{LINK}7`.",
        ),
        (
            LINK + "7/changes",
            f"`{LINK}7/changes` is not the link of this pull request; write `{LINK}7`.",
        ),
        (
            LINK.replace("https", "http") + "7",
            (
                f"`{LINK.replace('https', 'http')}7` is not the link of this pull request; "
                f"write `{LINK}7`."
            ),
        ),
        (
            LINK + "70",
            f"This entry is new here but links pull request `70`; its link is `{LINK}7`.",
        ),
    ],
)
def test_other_links_are_replaced(link: str, message: str) -> None:
    report = judge(linked(link))
    assert said(report) == [f"pr-link blocking perf-changelog.yaml:23 {message}"]
    assert str(report.findings[0].title) == "The pr-link is not this pull request"
    assert fixed(linked(link), report.findings[0]).decode() == END


@pytest.mark.parametrize("link", ["XXX", LINK + "XXX"])
def test_a_placeholder_is_a_note_with_the_final_link(link: str) -> None:
    report = judge(linked(link))
    assert said(report) == [
        f"pr-link note perf-changelog.yaml:23 Before the merge, `{link}` becomes `{LINK}7`."
    ]
    assert not report.blocking
    assert fixed(linked(link), report.findings[0]).decode() == END


@pytest.mark.parametrize("link", ["XXX", LINK + "XXX", LINK + "123"])
def test_without_a_number_only_the_form_counts(link: str) -> None:
    assert said(judge(linked(link), number=None)) == []


def test_a_wrong_form_without_a_number() -> None:
    for link in ("TBD", LINK + "0", LINK + "xyz"):
        report = judge(linked(link), number=None)
        assert said(report) == [
            (
                f"pr-link blocking perf-changelog.yaml:23 `{link}` is no link to a pull request; "
                f"write `{LINK}` and its number."
            )
        ]
        assert report.findings[0].suggestion is None
    tab = judge(linked(LINK + "12/files"), number=None)
    assert fixed(linked(LINK + "12/files"), tab.findings[0]).decode() == linked(LINK + "12")
    assert tab.findings[0].severity is Severity.BLOCKING
