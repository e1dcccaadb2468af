"""Config keys that no master config has."""

import pytest

from tests.checks.rules.changelog.repository import (
    AMD,
    GOOD,
    LINK,
    MASTER,
    NVIDIA,
    OLD,
    PATH,
    entry,
    fixed,
    judge,
    said,
)

MTP = MASTER.index("toy-fp8-b300-sglang-mtp:")
FP4 = MASTER.index("toy-fp4-gb300")


def new(text: str) -> dict[str, str]:
    return {PATH: OLD + "\n" + text}


@pytest.mark.parametrize(
    ("written", "message", "mended"),
    [
        (
            "toy-fp8-b300-sglan",
            "No master config has `toy-fp8-b300-sglan`; the closest is `toy-fp8-b300-sglang`.",
            GOOD,
        ),
        (
            '"toy-fp8-b300-sglan"',
            "No master config has `toy-fp8-b300-sglan`; the closest is `toy-fp8-b300-sglang`.",
            GOOD,
        ),
        ("zzz", "No master config has the config key `zzz`.", None),
        ('"zzz-*"', "The wildcard `zzz-*` matches no config key of the master configs.", None),
        ("toy-fp?-b300-sglang-*-x", None, None),
    ],
)
def test_a_key_that_does_not_exist(written: str, message: str | None, mended: str | None) -> None:
    head = OLD + "\n" + entry(written)
    report = judge(head)
    if message is None:
        message = f"The wildcard `{written}` matches no config key of the master configs."
    assert said(report) == [f"unknown-config-key blocking perf-changelog.yaml:20 {message}"]
    finding = report.findings[0]
    assert str(finding.title) == "The config key does not exist"
    if mended is None:
        assert finding.suggestion is None
    else:
        assert fixed(head, finding).decode() == OLD + "\n" + mended
        assert [(each.path, each.line) for each in finding.evidence] == [(NVIDIA, 2)]


def test_the_misspelt_twin_of_a_key_is_dropped() -> None:
    head = OLD + "\n" + entry("toy-fp8-b300-sglang\n    - toy-fp8-b300-sglan")
    (finding,) = judge(head).findings
    assert fixed(head, finding).decode() == OLD + "\n" + GOOD
    head = (
        OLD + "\n" + entry("x").replace("\n    - x", " [toy-fp8-b300-sglang, toy-fp8-b300-sglan]")
    )
    (finding,) = judge(head).findings
    assert b"[toy-fp8-b300-sglang, toy-fp8-b300-sglang]" in fixed(head, finding)


def test_a_key_that_this_pull_request_removes() -> None:
    report = judge({NVIDIA: MASTER[:MTP] + MASTER[FP4:], **new(entry("toy-fp8-b300-sglang-mtp"))})
    assert said(report) == [
        (
            "unknown-config-key blocking perf-changelog.yaml:20 This pull request removes the "
            "config key `toy-fp8-b300-sglang-mtp`, so its entry cannot name it: only keys that can "
            "run are named."
        )
    ]
    assert report.findings[0].suggestion is None


def test_keys_of_existing_entries_may_be_retired() -> None:
    assert said(judge(OLD + "\n" + GOOD)) == []
    assert said(judge(OLD.replace("XXX", LINK + "2"))) == []


def test_nothing_is_unknown_where_a_master_cannot_be_read() -> None:
    assert said(judge({NVIDIA: "a: [", **new(entry("zzz"))})) == []
    assert said(judge({NVIDIA: None, AMD: None, **new(entry("zzz"))})) == []
