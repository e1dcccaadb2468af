import pytest

from tests.checks.rules.claims.entries import FIRST_SENTENCE, KEY, append
from tests.checks.samples import AUGUST, MASTER_PATH, VLLM_PATH, edited, fixed, observe

RULE = "claims/acceptance"


def test_an_acceptance_length_that_is_not_pinned() -> None:
    pull = append("Something else", "Pin synthetic acceptance length 2.51 for throughput")
    files = edited(
        AUGUST, MASTER_PATH, '          - "EVAL_CONFIG_FILE=recipes/vllm/toy/agg-eval.yaml"\n', ""
    )
    pull = append("Something else", "Pin synthetic acceptance length 2.51", files=files)
    (seen,) = observe(RULE, pull)
    assert (seen.path, seen.line) == ("perf-changelog.yaml", FIRST_SENTENCE + 1)
    assert seen.anchor[:3] == (KEY, "acceptance length", "synthetic acceptance length 2.51")
    assert str(seen.title) == "The description claims a length that is not run"
    assert str(seen.message) == (
        f"This says `synthetic acceptance length 2.51`, but the recipes of `{KEY}` have `3.00`. "
        "Correct the sentence or the recipe."
    )
    assert [(e.path, e.text) for e in seen.evidence] == [
        ("perf-changelog.yaml", "synthetic acceptance length 2.51"),
        (VLLM_PATH, "synthetic_acceptance_length: 3.00"),
    ]
    assert fixed(RULE, pull) == ['    - "Pin synthetic acceptance length 3.00"\n']


def test_a_draft_length_that_is_not_run() -> None:
    (seen,) = observe(RULE, append("DSpark with num_speculative_tokens=2"))
    assert "have `3`." in str(seen.message)


@pytest.mark.parametrize(
    "sentence",
    [
        "AL 3.00",
        "AL 3.0",
        "num_speculative_tokens 3",
        "was AL 2.50",
        "from num_speculative_tokens=2 to 3",
        "AL 2.50 -> 3.00",
        "measured AL 2.50",
    ],
)
def test_what_is_run_or_is_no_claim(sentence: str) -> None:
    assert observe(RULE, append(sentence)) == []


def test_any_recipe_may_have_it_and_the_unknown_is_not_wrong() -> None:
    assert observe(RULE, append("AL 2.40", key="toy-*")) == []
    files = edited(AUGUST, MASTER_PATH, "recipes/vllm/toy/agg.yaml", "recipes/elsewhere.yaml")
    assert observe(RULE, append("AL 2.50", files=files)) == []


def test_a_contradiction_belongs_to_its_own_rule() -> None:
    assert observe(RULE, append("AL 2.50", "synthetic_acceptance_length=3.00")) == []
