from tests.checks.samples import AUGUST, MTP_PATH, SGLANG_PATH, change, edited, fixed, observe

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
