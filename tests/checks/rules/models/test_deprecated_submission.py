import pytest

from checks.model import Severity
from tests.checks.rules.points import (
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


@pytest.mark.parametrize("prefix", ["fir", "yew", "ash", "oak1.7", "toy"])
def test_what_is_active_or_not_certain(prefix: str) -> None:
    assert observe(RULE, with_master(other(prefix))) == []


def test_an_announcement_needs_a_calendar() -> None:
    long = "    - isl: 1024\n      osl: 8192\n"
    assert observe(RULE, change(FILES, MASTER_PATH, OLD, long)) == []


def test_an_arm_that_is_retired_is_not_the_scenario() -> None:
    agentic = other("elm").split("    fixed-seq-len:")[0] + (
        "    agentic-coding:\n    - search-space:\n"
        "      - { tp: 8, kv-offloading: none, conc-list: [4] }\n"
    )
    assert observe(RULE, with_master(agentic)) == []


def test_only_what_is_submitted_is_judged() -> None:
    files = edited(FILES, MASTER_PATH, OLD, SHORT)
    assert observe(RULE, change(files, MASTER_PATH, "[4, 8]", "[4]")) == []
    assert observe(RULE, change(files, "perf-changelog.yaml", "First", "Second")) == []
    both = MASTER + SHORT + "      search-space:\n      - { tp: 2, conc-list: [1] }\n"
    files = {**FILES, MASTER_PATH: both}
    assert observe(RULE, change(files, MASTER_PATH, "[4, 8]", "[4, 8, 16]")) == []
    (seen,) = observe(RULE, change(files, MASTER_PATH, "conc-list: [1]", "conc-list: [1, 2]"))
    assert seen.line == 19


def test_the_page_at_the_base_is_in_force() -> None:
    head = edited(FILES, MASTER_PATH, OLD, SHORT)
    head = edited(head, MODELS_PATH, "**Deprecated for all models** since 2026-07-17", "Active")
    assert len(observe(RULE, snapshot(FILES, head))) == 1
    without = {path: text for path, text in FILES.items() if path != MODELS_PATH}
    assert observe(RULE, change(without, MASTER_PATH, OLD, SHORT)) == []
