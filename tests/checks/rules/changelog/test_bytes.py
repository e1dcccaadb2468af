"""The bytes of new entries and around them."""

import pytest

from tests.checks.rules.changelog.repository import (
    GOOD,
    OLD,
    PATH,
    entry,
    fixed,
    judge,
    said,
)

END = OLD + "\n" + GOOD
AROUND = "White space around the new entry is not as the changelog wants it"
SIBLING = entry("toy-fp8-b300-sglang-mtp")


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
                "19 Exactly one empty line separates entries; before the entry of "
                "`toy-fp8-b300-sglang` there are 2."
            ),
            END,
        ),
        (
            OLD + "  \n" + GOOD,
            (
                "18 The line that separates the entry of `toy-fp8-b300-sglang` is not empty: it "
                "holds `␠␠`. Leave exactly one empty line."
            ),
            END,
        ),
        (
            OLD + "\n# note\n" + GOOD,
            (
                "19 The line that separates the entry of `toy-fp8-b300-sglang` is not empty: it "
                "holds `# note`. Leave exactly one empty line."
            ),
            END,
        ),
        (
            END + "\n\n" + SIBLING,
            (
                "25 Exactly one empty line separates entries; before the entry of "
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
            (
                "24 The file has to end with the last line of its last entry and one line feed; "
                "remove what follows."
            ),
            END,
        ),
        (
            END + "# note\n",
            (
                "24 The file has to end with the last line of its last entry and one line feed; "
                "remove what follows."
            ),
            END,
        ),
        (
            OLD + "\n",
            (
                "18 The file has to end with the last line of its last entry and one line feed; "
                "remove what follows."
            ),
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
            "bytes warning perf-changelog.yaml:24 The file has to end with the last line of its "
            "last entry and one line feed; remove what follows."
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


def rules(head: str) -> set[str]:
    return {finding.rule.removeprefix("changelog/") for finding in judge(head).findings}


def test_a_misplaced_entry_is_judged_by_its_place_alone() -> None:
    first, rest = OLD.split("\n\n", 1)
    assert rules(f"{first}\n{GOOD}\n{rest}") == {"entry-not-at-end"}
    assert rules(f"{GOOD}\n{OLD}") == {"entry-not-at-end"}


def test_a_file_with_other_line_ends_is_for_the_rule_on_history() -> None:
    assert rules(END.replace("\n", "\r\n")) == {"history-edited"}
    assert rules(END.replace("\n", "\r\n").replace("Tune", "Tu\tne")) == {"history-edited", "bytes"}


def test_a_conflict_and_a_deleted_file_have_no_bytes_to_judge() -> None:
    conflict = f"{OLD}<<<<<<< a\n\n{GOOD}=======\n\n\n{SIBLING}>>>>>>> b\n"
    assert rules(conflict) == {"schema"}


def test_the_first_entry_of_a_new_file_needs_no_line_before_it() -> None:
    report = judge({PATH: GOOD, "configs/nvidia-master.yaml": None}, base={PATH: "# none yet\n"})
    assert not [each for each in report.findings if each.rule == "changelog/bytes"]
