import pytest

from tests.checks.rules.claims.entries import FIRST_SENTENCE, KEY, append
from tests.checks.samples import AUGUST, MASTER_PATH, VLLM_PATH, edited, fixed, observe
from tests.checks.script_samples import SCRIPTED, SGLANG_SCRIPT, VLLM_SCRIPT

RULE = "claims/acceptance"


def test_an_acceptance_length_that_is_not_pinned() -> None:
    pull = append("Something else", "Pin synthetic acceptance length 2.51")
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


MTP_KEY = "toy-fp4-b300-vllm-agentic-mtp"
EAGLE_KEY = "toy-fp8-h100-sglang-agentic-mtp"


def test_the_scripts_of_single_node_points_are_read() -> None:
    (seen,) = observe(RULE, append("AL 2.54", key=MTP_KEY, files=SCRIPTED))
    assert f"the recipes of `{MTP_KEY}` have `3.00`, `2.50`." in str(seen.message)
    assert [(e.path, e.text) for e in seen.evidence[1:]] == [
        (VLLM_SCRIPT, "synthetic_acceptance_length: 3.00"),
        (VLLM_SCRIPT, "synthetic_acceptance_length: 2.50"),
    ]
    pull = append("SGLANG_SIMULATE_ACC_LEN from 2.00 to 2.30", key=EAGLE_KEY, files=SCRIPTED)
    (seen,) = observe(RULE, pull)
    assert seen.evidence[1].path == SGLANG_SCRIPT
    assert fixed(RULE, pull) == ['    - "SGLANG_SIMULATE_ACC_LEN from 2.00 to 2.40"\n']


@pytest.mark.parametrize(
    ("sentence", "key"),
    [("AL 2.50", MTP_KEY), ("AL 3.00", MTP_KEY), ("num_speculative_tokens=2", MTP_KEY)],
)
def test_a_length_of_any_point_of_a_script(sentence: str, key: str) -> None:
    assert observe(RULE, append(sentence, key=key, files=SCRIPTED)) == []


def test_a_script_whose_length_is_not_known() -> None:
    files = {**SCRIPTED, SGLANG_SCRIPT: SCRIPTED[SGLANG_SCRIPT].replace("=2.40", "=$(length)")}
    assert observe(RULE, append("AL 2.30", key=EAGLE_KEY, files=files)) == []


def test_the_length_that_the_launcher_writes_in() -> None:
    settings = (
        '          - "CONFIG_FILE=recipes/vllm/toy/agg.yaml"\n'
        '          - "SYNTHETIC_ACCEPTANCE=true"\n'
        '          - "SYNTHETIC_ACCEPTANCE_LENGTH=2.50"\n'
    )
    files = edited(
        AUGUST, MASTER_PATH, '          - "CONFIG_FILE=recipes/vllm/toy/agg.yaml"\n', settings
    )
    assert observe(RULE, append("AL 2.50", files=files)) == []
    (seen,) = observe(RULE, append("AL 3.00", files=files))
    assert [(e.path, e.text) for e in seen.evidence[1:]] == [
        (MASTER_PATH, "SYNTHETIC_ACCEPTANCE_LENGTH=2.50")
    ]


def test_the_lengths_are_those_of_every_config_key_that_is_named() -> None:
    keys = f"{MTP_KEY}\n    - {EAGLE_KEY}"
    (seen,) = observe(RULE, append("AL 9.00", key=keys, files=SCRIPTED))
    assert f"the recipes of `{MTP_KEY}`, `{EAGLE_KEY}` have " in str(seen.message)


def test_a_key_more_does_not_make_it_another_finding() -> None:
    (one,) = observe(RULE, append("AL 9.00", key=MTP_KEY, files=SCRIPTED))
    keys = f"{MTP_KEY}\n    - {EAGLE_KEY}"
    (two,) = observe(RULE, append("AL 9.00", key=keys, files=SCRIPTED))
    assert one.anchor == two.anchor
