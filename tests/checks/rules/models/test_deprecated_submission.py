from dataclasses import replace
from datetime import date, timedelta

import pytest

from checks.model import Severity
from tests.checks.rules.points import (
    CHANGELOG_PATH,
    FILES,
    KEY,
    MASTER,
    MASTER_PATH,
    MODELS_PATH,
    renamed,
    with_master,
)
from tests.checks.samples import change, edited, observe
from tests.kit import snapshot

RULE = "models/deprecated-submission"
LAST_DAY = date(2026, 12, 31)
OLD = "    - isl: 8192\n      osl: 1024\n"
SHORT = "    - isl: 1024\n      osl: 1024\n"


def other(prefix: str, **fields: str) -> str:
    return renamed(MASTER, key=f"{prefix}-fp8-b300-sglang", model_prefix=prefix, **fields)


def test_a_scenario_that_is_retired_for_all_models() -> None:
    (seen,) = observe(RULE, change(FILES, MASTER_PATH, OLD, SHORT))
    assert (seen.path, seen.line, seen.anchor) == (MASTER_PATH, 14, (KEY, "1k1k", ""))
    assert seen.severity is None
    assert str(seen.title) == "This is not measured any more"
    assert str(seen.message) == (
        f"`{KEY}` submits `1k1k` of `toy`, which `MODELS.md` says is retired. Submit an active "
        "scenario, or change that page first."
    )
    assert [(e.path, e.line) for e in seen.evidence] == [(MASTER_PATH, 14), (MODELS_PATH, 7)]


@pytest.mark.parametrize(
    ("entry", "anchor", "line"),
    [
        (other("oak1.5"), ("", ""), 13),
        (other("elm"), ("8k1k", ""), 14),
        (other("toy", precision="bf16"), ("", "bf16"), 12),
        (other("gum"), ("", ""), 21),
    ],
)
def test_what_a_model_has_retired(entry: str, anchor: tuple[str, str], line: int) -> None:
    (seen,) = observe(RULE, with_master(entry))
    assert seen.anchor[1:] == anchor
    assert seen.severity is None
    assert seen.evidence[1].line == line


def test_another_version_of_a_retired_model_gets_a_warning() -> None:
    (seen,) = observe(RULE, with_master(other("oak1.6")))
    assert seen.severity is Severity.WARNING


@pytest.mark.parametrize(
    "prefix", ["fir", "yew", "ivy", "box", "bay", "nut", "ash", "oak1.7", "toy"]
)
@pytest.mark.parametrize("day", [None, LAST_DAY])
def test_what_is_active_or_not_certain(prefix: str, day: date | None) -> None:
    assert observe(RULE, with_master(other(prefix), day=day)) == []


@pytest.mark.parametrize("prefix", ["fir", "yew", "ivy", "box", "bay"])
def test_a_last_day_that_has_passed(prefix: str) -> None:
    (seen,) = observe(RULE, with_master(other(prefix), day=LAST_DAY + timedelta(1)))
    assert (seen.severity, seen.evidence[1].path) == (None, MODELS_PATH)
    assert "2026-12-31" in seen.evidence[1].text or "December 31" in seen.evidence[1].text


def test_a_day_that_is_not_named_never_comes() -> None:
    assert observe(RULE, with_master(other("nut"), day=date(2031, 1, 1))) == []


def test_a_last_day_for_all_models() -> None:
    long = MASTER.replace(OLD, "    - isl: 1024\n      osl: 8192\n")
    assert observe(RULE, with_master(long, day=LAST_DAY)) == []
    (seen,) = observe(RULE, with_master(long, day=LAST_DAY + timedelta(1)))
    assert (seen.line, seen.evidence[1].line) == (14, 8)


@pytest.mark.parametrize(
    "status",
    [
        "Deprecated since 2026-07-17 ([#1](/1)), to save time.",
        "**Deprecated for all models** ([#1](/1))",
        "Deprecated after 2026-07-17",
    ],
)
def test_how_a_page_says_that_a_scenario_is_over(status: str) -> None:
    said = "**Deprecated for all models** since 2026-07-17 ([#1](/1))."
    files = edited(FILES, MODELS_PATH, said, status)
    pull = change(files, MASTER_PATH, OLD, SHORT)
    assert len(observe(RULE, replace(pull, day=LAST_DAY))) == 1


@pytest.mark.parametrize("status", ["Deprecated for H100 only", "Active; deprecated since 2025"])
def test_how_a_page_says_that_a_scenario_is_not_over(status: str) -> None:
    said = "**Deprecated for all models** since 2026-07-17 ([#1](/1))."
    files = edited(FILES, MODELS_PATH, said, status)
    assert observe(RULE, replace(change(files, MASTER_PATH, OLD, SHORT), day=LAST_DAY)) == []


def agentic(prefix: str, speculation: str) -> str:
    return other(prefix).split("    fixed-seq-len:")[0] + (
        "    agentic-coding:\n    - search-space:\n"
        f"      - {{ tp: 8, spec-decoding: {speculation}, kv-offloading: none, conc-list: [4] }}\n"
    )


def test_an_arm_that_is_retired_is_a_warning() -> None:
    (seen,) = observe(RULE, with_master(agentic("elm", "none")))
    assert (seen.line, seen.severity) == (12, Severity.WARNING)
    assert "`elm-fp8-b300-sglang` submits `agentic-coding without speculative decoding`" in str(
        seen.message
    )
    assert observe(RULE, with_master(agentic("elm", "mtp"))) == []


@pytest.mark.parametrize("speculation", ["none", "mtp"])
def test_points_that_do_not_draft_may_compete(speculation: str) -> None:
    later = LAST_DAY + timedelta(1)
    assert observe(RULE, with_master(agentic("fig", speculation), day=later)) == []


def test_a_retired_scenario_is_over_for_runs_that_draft_too() -> None:
    drafting = (
        SHORT + "      search-space:\n      - { tp: 2, spec-decoding: mtp, conc-list: [1] }\n"
    )
    (seen,) = observe(RULE, with_master(MASTER + drafting))
    assert (seen.line, seen.severity) == (19, None)


def test_what_is_over_for_all_models_blocks_another_version_too() -> None:
    (seen,) = observe(RULE, with_master(other("oak1.6").replace(OLD, SHORT)))
    assert (seen.anchor[1], seen.severity) == ("1k1k", None)


def test_only_what_is_submitted_is_judged() -> None:
    files = edited(FILES, MASTER_PATH, OLD, SHORT)
    assert observe(RULE, change(files, MASTER_PATH, "[4, 8]", "[4]")) == []
    assert observe(RULE, change(files, "perf-changelog.yaml", "First", "Second")) == []
    both = MASTER + SHORT + "      search-space:\n      - { tp: 2, conc-list: [1] }\n"
    files = {**FILES, MASTER_PATH: both}
    assert observe(RULE, change(files, MASTER_PATH, "[4, 8]", "[4, 8, 16]")) == []
    (seen,) = observe(RULE, change(files, MASTER_PATH, "conc-list: [1]", "conc-list: [1, 2]"))
    assert seen.line == 19


def test_a_change_of_labels_or_of_another_config_submits_nothing() -> None:
    old = MASTER.replace(OLD, SHORT)
    files = {**FILES, MASTER_PATH: old}
    label = change(files, MASTER_PATH, "runner: cluster:b300-nv", "runner: b300")
    assert observe(RULE, label) == []
    both = {**FILES, MASTER_PATH: old + other("ash")}
    assert observe(RULE, change(both, MASTER_PATH, OLD, OLD.replace("8192", "4096"))) == []
    name = change(both, MASTER_PATH, "runner: cluster:b300-nv", "runner: b300")
    head = edited(
        {**both, MASTER_PATH: name.head.blob(MASTER_PATH).data.decode()},  # type: ignore[union-attr]
        MASTER_PATH, OLD, OLD.replace("8192", "4096"),
    )  # fmt: skip
    assert observe(RULE, snapshot(both, head)) == []


def test_a_change_of_one_scenario_submits_that_one_alone() -> None:
    spaces = agentic("toy", "mtp").partition("    agentic-coding:")
    files = {**FILES, MASTER_PATH: MASTER.replace(OLD, SHORT) + spaces[1] + spaces[2]}
    assert observe(RULE, change(files, MASTER_PATH, "offloading: none", "offloading: dram")) == []
    block = "    agentic-coding:\n    - "
    more = change(files, MASTER_PATH, block, f"{block}dram-utilization: 0.8\n      ")
    assert observe(RULE, more) == []
    assert len(observe(RULE, change(files, MASTER_PATH, "sglang:v0.9.1", "sglang:v0.9.2"))) == 1


def test_every_config_of_a_self_test_is_submitted_by_its_own_page() -> None:
    whole = replace(change(FILES, MASTER_PATH, OLD, SHORT), everything_is_new=True)
    assert len(observe(RULE, whole)) == 1
    other_page = edited(FILES, MODELS_PATH, "**Deprecated for all models** since", "Active since")
    base = {path: other_page[path] for path in (CHANGELOG_PATH, MODELS_PATH)}
    head = edited(FILES, MASTER_PATH, OLD, SHORT)
    assert observe(RULE, snapshot(base, head)) == []
    assert len(observe(RULE, replace(snapshot(base, head), everything_is_new=True))) == 1


def test_the_page_at_the_base_is_in_force() -> None:
    head = edited(FILES, MASTER_PATH, OLD, SHORT)
    head = edited(head, MODELS_PATH, "**Deprecated for all models** since 2026-07-17", "Active")
    assert len(observe(RULE, snapshot(FILES, head))) == 1
    without = {path: text for path, text in FILES.items() if path != MODELS_PATH}
    assert observe(RULE, change(without, MASTER_PATH, OLD, SHORT)) == []
