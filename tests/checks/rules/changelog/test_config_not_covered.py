"""Which changed configs and scenarios the new entries leave out."""

import pytest

from tests.checks.rules.changelog.repository import (
    MASTER,
    NVIDIA,
    OLD,
    PATH,
    entry,
    fixed,
    judge,
    said,
)

IMAGE = MASTER.replace("v0.9.1", "v0.9.2", 1)
IMAGES = MASTER.replace("v0.9.1", "v0.9.2")
POINTS = MASTER.replace("conc-list: [1, 2]", "conc-list: [1, 2, 3]")


def new(text: str) -> dict[str, str]:
    return {PATH: OLD + "\n" + text}


def test_a_wildcard_covers() -> None:
    assert said(judge({NVIDIA: IMAGES, **new(entry("toy-*"))})) == []
    assert said(judge({NVIDIA: IMAGES, **new(entry('"*-sglang"', "toy-*-mtp"))})) == []


@pytest.mark.parametrize(
    "master",
    [
        MASTER.replace("# NVIDIA", "# NVIDIA\n# and more"),
        MASTER.replace("conc-list: [1, 2]", "conc-list: [2, 1]"),
        MASTER.replace("conc-start: 4, conc-end: 16", "conc-list: [4, 8, 16]"),
    ],
)
def test_comments_and_order_need_no_entry(master: str) -> None:
    assert master != MASTER
    assert said(judge({NVIDIA: master, **new(entry("toy-fp8-b300-sglang-mtp"))})) == []


def test_changed_configs_that_no_entry_names_are_added_to_the_last_one() -> None:
    files = {NVIDIA: IMAGES, **new(entry("toy-fp8-b300-sglang-mtp"))}
    report = judge(files)
    assert said(report) == [
        (
            "config-not-covered warning perf-changelog.yaml:20 The pull request changes configs "
            "(`toy-fp8-b300-sglang` and 1 more) that no new entry names, so they are not measured. "
            "Name them."
        )
    ]
    finding = report.findings[0]
    assert str(finding.title) == "A changed config is missing from the changelog entry"
    assert [(each.path, each.line, each.text) for each in finding.evidence] == [
        (NVIDIA, 3, "toy-fp8-b300-sglang"),
        (NVIDIA, 35, "toy-fp4-gb300-dynamo-sglang"),
    ]
    named = ("toy-fp8-b300-sglang-mtp", "toy-fp8-b300-sglang", "toy-fp4-gb300-dynamo-sglang")
    assert fixed(files, finding).decode() == OLD + "\n" + entry(*named)


@pytest.mark.parametrize(("master", "line"), [(IMAGE, 3), (POINTS, 16)])
def test_a_scenario_that_the_entry_leaves_out(master: str, line: int) -> None:
    agentic = entry("toy-fp8-b300-sglang", scenario="agentic-coding")
    files = {NVIDIA: master, **new(agentic)}
    report = judge(files)
    assert said(report) == [
        (
            "config-not-covered warning perf-changelog.yaml:21 `toy-fp8-b300-sglang` changes in "
            "the scenario `fixed-seq-len` too, which this entry leaves out, so it is not "
            "measured. Add the scenario."
        )
    ]
    finding = report.findings[0]
    assert str(finding.title) == "The changelog entry leaves out a scenario that is changed"
    assert [(each.path, each.line) for each in finding.evidence] == [(NVIDIA, line)]
    both = agentic.replace("agentic-coding\n", "agentic-coding\n    - fixed-seq-len\n")
    assert fixed(files, finding).decode() == OLD + "\n" + both


def test_scenarios_of_several_entries_add_up() -> None:
    one = entry("toy-fp8-b300-sglang", scenario="agentic-coding")
    two = entry("toy-fp8-b300-sglang", scenario="fixed-seq-len")
    assert said(judge({NVIDIA: IMAGE, **new(one + "\n" + two)})) == []
    assert said(judge({NVIDIA: POINTS, **new(two)})) == []


def test_a_change_of_labels_needs_no_entry() -> None:
    router = MASTER.replace("  precision: fp8\n", "  precision: fp8\n  router: { name: x }\n", 1)
    assert router != MASTER
    assert said(judge({NVIDIA: router, **new(entry("toy-fp8-b300-sglang-mtp"))})) == []


def test_two_configs_in_one_scenario_are_one_finding() -> None:
    agentic = entry("toy-*", scenario="agentic-coding")
    report = judge({NVIDIA: IMAGES, **new(agentic)})
    assert [finding.line for finding in report.findings] == [21]


@pytest.mark.parametrize(
    "keys",
    [
        "[toy-fp8-b300-sglang-mtp]",
        "\n    - toy-fp8-b300-sglang-mtp  # the first",
    ],
)
def test_a_list_of_another_form_is_not_rewritten(keys: str) -> None:
    listed = "\n    - toy-fp8-b300-sglang-mtp"
    text = entry("toy-fp8-b300-sglang-mtp")
    assert listed in text
    report = judge({NVIDIA: IMAGE, **new(text.replace(listed, f" {keys}"))})
    (finding,) = [each for each in report.findings if each.rule.endswith("config-not-covered")]
    assert finding.suggestion is None
