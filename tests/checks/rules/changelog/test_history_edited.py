"""Existing entries stay as they are, byte for byte."""

from dataclasses import replace

import pytest

from checks.model import ChangedFile, Status
from checks.run import run_checks
from tests.checks.rules.changelog.repository import (
    GOOD,
    LINK,
    OLD,
    PATH,
    POLICY,
    RULES,
    change,
    entry,
    fixed,
    judge,
    said,
)

SECOND = entry("retired-key", link="XXX", what="Second")
THIRD = OLD.index("- config-keys:\n    - toy-fp8-b300-sglang-mtp")
STAYS = (
    "is part of the base and stays as it is. Restore its bytes and describe what changed in a new "
    "entry at the end."
)
RESTORE = (
    "deleted here. History stays even when a change is reverted: restore it and, for a revert, "
    "append a revert entry instead."
)


def finding(line: int | None, message: str) -> str:
    return f"history-edited blocking perf-changelog.yaml:{line} {message}"


def test_an_edit_is_reported_once_at_its_line_with_both_versions() -> None:
    for head in (OLD.replace("First", "Fist"), OLD.replace("First", "Fist") + "\n" + GOOD):
        report = judge(head)
        assert said(report) == [
            finding(4, f"The entry of `toy-fp8-b300-sglang` (`{LINK}1`) {STAYS}")
        ]
        assert str(report.findings[0].title) == "An existing changelog entry is changed"
        assert [(each.line, each.text) for each in report.findings[0].evidence] == [
            (None, '-     - "First"'),
            (4, '+     - "Fist"'),
        ]
        mended = fixed(head, report.findings[0]).decode()
        assert mended == head.replace("Fist", "First")


@pytest.mark.parametrize(
    ("head", "line"),
    [
        (OLD.replace('    - "First"\n', '    - "First"\n    - "More"\n'), 5),
        (OLD.replace('    - "First"\n', ""), 4),
        (OLD.replace('    - "First"\n', '   - "First"\n'), 4),
        (OLD.replace('"First"', "First"), 4),
        (OLD.replace('"First"', '"First" '), 4),
        (OLD.replace("pull/3", "pull/3/files"), 17),
        (OLD.replace("pull/3\n", "pull/3\n  evals-only: true\n"), 18),
        (OLD.replace("    - retired-key\n", "    - retired-key\n    - other\n"), 9),
        (OLD.replace("    - retired-key\n", "- retired-key\n"), 8),
        (OLD.replace('    - "Second"\n', '- "Second"\n'), 10),
        (OLD[:THIRD] + "  " + OLD[THIRD:], 13),
        (OLD.replace(SECOND, SECOND[2:]), 7),
        (OLD.replace("- config-keys:\n    - retired", "  config-keys:\n    - retired"), 7),
    ],
)
def test_each_kind_of_edit_has_its_exact_line_and_is_undone(head: str, line: int) -> None:
    report = judge(head)
    assert [(each.rule, each.line) for each in report.findings] == [
        ("changelog/history-edited", line)
    ]
    assert fixed(head, report.findings[0]).decode() == OLD


def test_a_separator_line_of_spaces_is_kept_while_appending() -> None:
    head = OLD + "\n" + GOOD
    report = judge(head, base={PATH: OLD + "  \n"})
    assert said(report) == [
        finding(
            18,
            f"After the entry of `toy-fp8-b300-sglang-mtp` (`{LINK}3`) the base has `␠␠⏎`; here it "
            "is `⏎`. Existing bytes stay as they are, white space included; restore them.",
        )
    ]
    assert str(report.findings[0].title) == "White space of the existing changelog is changed"
    assert fixed(head, report.findings[0]).decode() == OLD + "  \n\n" + GOOD


def test_white_space_between_existing_entries_is_restored() -> None:
    base = OLD.replace("pull/1\n\n", "pull/1\n  \n\n")
    report = judge(OLD, base={PATH: base})
    assert said(report) == [
        finding(
            6,
            f"After the entry of `toy-fp8-b300-sglang` (`{LINK}1`) the base has `␠␠⏎⏎`; here it "
            "is `⏎`. Existing bytes stay as they are, white space included; restore them.",
        )
    ]
    assert fixed(OLD, report.findings[0]).decode() == base


def test_the_last_line_feed_of_the_base_is_restored() -> None:
    report = judge(OLD.rstrip("\n"))
    assert said(report) == [
        finding(
            17,
            f"After the entry of `toy-fp8-b300-sglang-mtp` (`{LINK}3`) the base has nothing but a "
            "line feed; here it is no line feed. Existing bytes stay as they are, white space "
            "included; restore them.",
        )
    ]
    assert fixed(OLD.rstrip("\n"), report.findings[0]).decode() == OLD


def test_a_deleted_entry_comes_back_with_a_revert_entry_where_it_was_the_last() -> None:
    head = OLD[:THIRD].rstrip("\n") + "\n"
    report = judge(head)
    assert said(report) == [
        finding(11, f"The entry of `toy-fp8-b300-sglang-mtp` (`{LINK}3`) is {RESTORE}")
    ]
    assert str(report.findings[0].title) == "An existing changelog entry is deleted"
    revert = entry("toy-fp8-b300-sglang-mtp", what=f"Revert {LINK}3")
    assert [each.text for each in report.findings[0].evidence] == [
        "- " + OLD[THIRD:].rstrip("\n"),
        "+ " + revert,
    ]
    assert fixed(head, report.findings[0]).decode() == OLD + "\n" + revert


def test_a_deleted_entry_in_the_middle_comes_back() -> None:
    head = OLD.replace(SECOND + "\n", "")
    report = judge(head)
    assert said(report) == [finding(5, f"The entry of `retired-key` (`XXX`) is {RESTORE}")]
    assert fixed(head, report.findings[0]).decode() == OLD


def test_entries_deleted_in_a_row_are_one_finding() -> None:
    head = OLD[: OLD.index(SECOND)].rstrip("\n") + "\n"
    report = judge(head)
    assert said(report) == [
        finding(
            5,
            "The entries from `retired-key` (`XXX`) to `toy-fp8-b300-sglang-mtp` "
            f"(`{LINK}3`) (2) are {RESTORE}",
        )
    ]
    assert fixed(head, report.findings[0]).decode().startswith(OLD)


def test_a_new_entry_in_place_of_an_existing_one_is_a_deletion() -> None:
    head = OLD[:THIRD] + GOOD
    report = judge(head)
    assert said(report) == [
        finding(11, f"The entry of `toy-fp8-b300-sglang-mtp` (`{LINK}3`) is {RESTORE}")
    ]
    assert fixed(head, report.findings[0]).decode() == OLD + "\n" + GOOD


def test_a_moved_entry_is_reported_where_it_stands_now() -> None:
    report = judge(OLD[THIRD:] + "\n" + OLD[:THIRD].rstrip("\n") + "\n")
    assert said(report) == [
        finding(
            1,
            f"The entry of `toy-fp8-b300-sglang-mtp` (`{LINK}3`) stood elsewhere in the base. "
            "Restore the old order; only new entries are added, at the end.",
        )
    ]
    assert str(report.findings[0].title) == "An existing changelog entry is moved"


def test_line_ends_of_the_whole_file_are_said_once() -> None:
    for head in (OLD, OLD + "\n" + GOOD):
        report = judge(head.replace("\n", "\r\n"))
        assert said(report) == [
            finding(
                1,
                "Lines of existing entries (3 of them) end with CR LF now instead of LF. Convert "
                "the file back to LF.",
            )
        ]
        assert str(report.findings[0].title) == "The line ends of existing entries are changed"


def test_line_ends_of_one_line() -> None:
    head = OLD.replace('First"\n', 'First"\r\n')
    report = judge(head)
    assert said(report) == [
        finding(
            4,
            "Lines of existing entries (1 of them) end with CR LF now instead of LF. Convert the "
            "file back to LF.",
        )
    ]
    assert fixed(head, report.findings[0]).decode() == OLD


def test_line_ends_may_not_become_right_either() -> None:
    assert said(judge(OLD, base={PATH: OLD.replace("\n", "\r\n")})) == [
        finding(
            1,
            "Lines of existing entries (3 of them) end with LF now instead of CR LF. Restore the "
            "bytes of the base.",
        )
    ]


def test_what_stands_before_the_first_entry() -> None:
    report = judge("# Mine\n" + OLD, base={PATH: "# Ours\n" + OLD})
    assert said(report) == [
        finding(1, "What stands before the first entry differs from the base; restore it.")
    ]
    assert str(report.findings[0].title) == "The start of the changelog is changed"


def test_many_changes_are_one_finding() -> None:
    base = "\n".join(entry(f"key-{n}", link=f"{LINK}{n}", what=f"W{n}") for n in range(1, 30))
    report = judge(base.replace("    - ", "  - "), base={PATH: base})
    assert said(report) == [
        finding(
            2,
            "29 of 29 existing entries are changed, deleted or moved, from line 2 on. Restore the "
            "bytes of the base and put only new entries behind them.",
        )
    ]
    assert str(report.findings[0].title) == "Many existing changelog entries are changed"
    assert len(said(judge("", base={PATH: base}))) == 1
    assert len(said(judge("- a\n", base={PATH: base}))) >= 1


def test_a_deleted_or_renamed_changelog() -> None:
    assert said(judge({PATH: None})) == [
        finding(None, "The changelog `perf-changelog.yaml` is deleted; restore it.")
    ]
    gone = change({PATH: None, "log.yaml": OLD})
    renamed = ChangedFile("log.yaml", Status.RENAMED, PATH)
    report = run_checks(replace(gone, files=(renamed,)), POLICY, RULES)
    assert said(report) == [
        finding(
            None,
            "The changelog `perf-changelog.yaml` is renamed to `log.yaml`, where nothing looks for "
            "it; keep its name.",
        )
    ]
    assert str(report.findings[0].title) == "The changelog is gone"


def test_a_move_to_another_layout_of_the_policy_is_no_edit() -> None:
    new = "inferencex-e2e/perf-changelog.yaml"
    assert said(judge({PATH: None, new: OLD})) == []
    report = judge({PATH: None, new: OLD.replace("First", "Fist")})
    assert [(each.path, each.line) for each in report.findings] == [(new, 4)]


def test_corrected_links_are_welcome_on_their_own() -> None:
    assert said(judge(OLD.replace("XXX", LINK + "2"))) == []
    both = OLD.replace("XXX", LINK + "2").replace("pull/3", "pull/33")
    assert said(judge(both)) == []


def test_a_link_is_not_corrected_beside_a_new_entry() -> None:
    head = OLD.replace("XXX", LINK + "2") + "\n" + GOOD
    report = judge(head)
    assert said(report) == [
        finding(
            11,
            "The link of the entry of `retired-key` (`XXX`) is corrected together with other "
            "changes of the changelog. Correct links in a pull request of their own.",
        )
    ]
    assert fixed(head, report.findings[0]).decode() == OLD + "\n" + GOOD


@pytest.mark.parametrize("link", ["TBD", LINK + "2/files", LINK, LINK + "²"])
def test_a_link_is_corrected_to_a_canonical_one_only(link: str) -> None:
    report = judge(OLD.replace("XXX", link))
    assert said(report) == [finding(11, f"The entry of `retired-key` (`XXX`) {STAYS}")]


@pytest.mark.parametrize(
    ("base", "head"),
    [
        (OLD, OLD.replace("pull/3", "pull/33").replace('"Third"\n', '"Third"\n    - "More"\n')),
        (OLD, OLD.replace(f"{LINK}3", f'"{LINK}3"')),
        (OLD, OLD.replace("XXX", f"{LINK}2  # corrected")),
        (OLD, OLD.replace("XXX", f"{LINK}2\n  evals-only: true")),
        (OLD, OLD.replace("pr-link: XXX", f"pr-link:  {LINK}2")),
        (OLD, OLD.replace("XXX\n\n", f"{LINK}2\n  \n")),
        (OLD.replace("pr-link: XXX", "'pr-link': XXX"), OLD.replace("XXX", f"{LINK}2")),
    ],
)
def test_nothing_but_the_link_may_differ(base: str, head: str) -> None:
    report = judge(head, base={PATH: base})
    assert {each.rule for each in report.findings} == {"changelog/history-edited"}
    assert report.blocking


def test_a_corrected_link_does_not_excuse_another_edit() -> None:
    report = judge(OLD.replace("XXX", f"{LINK}2").replace("First", "Fist"))
    assert [each.line for each in report.findings] == [4, 11]


def test_a_comment_after_the_last_entry_of_the_base_is_no_edit_of_it() -> None:
    rules = [each.rule for each in judge(OLD + "# note\n\n" + GOOD).findings]
    assert rules == ["changelog/bytes"]


def test_every_file_as_new_judges_no_history() -> None:
    snapshot = change({PATH: OLD.replace("First", "\t") + "\n\n" + entry("zzz", link="TBD")})
    assert run_checks(snapshot, POLICY, RULES).findings
    assert run_checks(replace(snapshot, everything_is_new=True), POLICY, RULES).findings == ()


def test_an_entry_that_was_no_yaml_may_be_made_readable() -> None:
    added = entry("retired-key", link=LINK + "4")
    broken = OLD + "\n" + added.replace("- config", "  - config", 1)
    repaired = broken.replace("  - config", "- config")
    report = judge(repaired, {PATH: broken})
    assert said(report) == []
    assert [(each.line, str(each.reason)) for each in report.ruled_out] == [
        (19, "The entry of `toy-fp8-b300-sglang-mtp` could not be read before.")
    ]
    still = judge(broken.replace("Third", "Thrd"), {PATH: broken})
    assert [each.rule for each in still.findings] == ["changelog/history-edited"]
