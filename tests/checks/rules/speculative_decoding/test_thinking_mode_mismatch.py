from dataclasses import replace

from checks.model import Severity
from tests.checks.samples import (
    AUGUST,
    MTP_PATH,
    POLICY,
    SGLANG_PATH,
    change,
    edited,
    fixed,
    observe,
)

RULE = "speculative-decoding/thinking-mode-mismatch"


def test_the_value_of_thinking_off_only() -> None:
    pull = change(AUGUST, SGLANG_PATH, "'2.40'", "'2.55'")
    (seen,) = observe(RULE, pull)
    assert (seen.path, seen.line) == (SGLANG_PATH, 10)
    assert str(seen.message) == (
        "`SGLANG_SIMULATE_ACC_LEN` is `2.55`: of `toy_mtp` with 2 draft tokens that is the golden "
        "acceptance length with thinking off (`2.55`), but agentic runs think (`2.40`). Set it to "
        "`2.40`. If this run does not think, show that in the sign-off."
    )
    assert [(e.path, e.line) for e in seen.evidence][2:] == [(MTP_PATH, 4), (MTP_PATH, 8)]
    assert fixed(RULE, pull) == ["    SGLANG_SIMULATE_ACC_LEN: '2.40'  # golden\n"]


def test_equal_values_and_other_values_are_not_its_business() -> None:
    same = edited(AUGUST, MTP_PATH, "2: 2.55", "2: 2.40")
    assert observe(RULE, change(same, SGLANG_PATH, "tp: 4", "tp: 8")) == []
    assert observe(RULE, change(AUGUST, SGLANG_PATH, "'2.40'", "'2.70'")) == []
    assert observe(RULE, change(AUGUST, SGLANG_PATH, "tp: 4", "tp: 8")) == []


def test_a_curve_of_one_mode_only() -> None:
    one = edited(AUGUST, MTP_PATH, "    2: 2.55\n", "")
    assert observe(RULE, change(one, SGLANG_PATH, "'2.40'", "'2.55'")) == []


def test_a_planner_makes_it_a_note() -> None:
    planned = replace(POLICY, layouts={
        name: replace(layout, golden_al_source="planner")
        for name, layout in POLICY.layouts.items()
    })  # fmt: skip
    (seen,) = observe(RULE, change(AUGUST, SGLANG_PATH, "'2.40'", "'2.55'"), planned)
    assert seen.severity is Severity.NOTE
