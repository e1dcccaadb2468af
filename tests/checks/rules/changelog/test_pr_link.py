"""What new entries link."""

import pytest

from checks.model import Severity
from tests.checks.rules.changelog.repository import (
    GOOD,
    LINK,
    OLD,
    entry,
    fixed,
    judge,
    said,
)

END = OLD + "\n" + GOOD


def linked(link: str) -> str:
    return OLD + "\n" + entry("toy-fp8-b300-sglang", link=link)


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
    assert str(report.findings[0].title) == "The pr-link is still a placeholder"
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


def test_a_link_that_stands_twice_is_for_a_person_to_sort_out() -> None:
    twice = linked(f"TBD\n  pr-link: {LINK}9")
    (seen,) = [each for each in judge(twice).findings if each.rule == "changelog/pr-link"]
    assert seen.suggestion is None


def test_existing_links_are_never_judged() -> None:
    assert said(judge({"README.md": "x\n"}, {"perf-changelog.yaml": linked("TBD")})) == []
