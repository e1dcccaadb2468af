import pytest

from checks.model import ChangedFile, Severity, Snapshot, Status
from checks.policy import preset
from tests.checks.samples import (
    AUGUST,
    EVAL_PATH,
    MASTER_PATH,
    NOVEMBER,
    PROB_PATH,
    SGLANG_PATH,
    SINGLE_PATH,
    VLLM_PATH,
    change,
    edited,
    fixed,
    observe,
)
from tests.kit import DictTree, needs_reference, reference_files, snapshot

RULE = "speculative-decoding/golden-al-mismatch"
REFERENCE = '          - "CONFIG_FILE=recipes/vllm/toy/agg.yaml"\n'
SETTINGS = """\
          - "SYNTHETIC_ACCEPTANCE=true"
          - "SYNTHETIC_ACCEPTANCE_LENGTH=2.50"
"""
INJECTED = (REFERENCE, SETTINGS + REFERENCE)


def test_vllm_is_held_to_the_cell_of_its_draft_length() -> None:
    pull = change(AUGUST, VLLM_PATH, "3.00", "2.75")
    (seen,) = observe(RULE, pull)
    assert (seen.path, seen.line, seen.severity) == (VLLM_PATH, 9, None)
    assert str(seen.title) == "The acceptance length is not the golden one"
    assert str(seen.message) == (
        "`synthetic_acceptance_length` is `2.75`, but the golden acceptance length of `toy_prob` "
        "with 3 draft tokens is `3.00` (thinking on). Set it to `3.00`."
    )
    assert [(e.path, e.line, e.text) for e in seen.evidence] == [
        (VLLM_PATH, 9, "synthetic_acceptance_length: 2.75"),
        (VLLM_PATH, 9, "num_speculative_tokens: 3"),
        (PROB_PATH, 6, "3: 3.00"),
    ]
    assert fixed(RULE, pull) == [AUGUST[VLLM_PATH].splitlines(keepends=True)[8]]


LENGTH = '"synthetic_acceptance_length":3.00'


@pytest.mark.parametrize(
    ("rate", "length"),
    [
        ('"synthetic_acceptance_rates":[1.0, 0.9, 0.3]', "3.20"),
        ('"synthetic_acceptance_rate":0.5', "2.50"),
    ],
)
def test_a_rate_is_held_to_the_length_that_it_stands_for(rate: str, length: str) -> None:
    pull = change(AUGUST, VLLM_PATH, LENGTH, rate)
    (seen,) = observe(RULE, pull)
    name, _, value = rate.replace('"', "").partition(":")
    assert (seen.line, seen.anchor) == (9, ("", "aggregated", name))
    assert str(seen.message) == (
        f"`{name}` is `{value}`, but the golden acceptance length of `toy_prob` with 3 draft "
        f"tokens is `3.00` (thinking on). As a rate it stands for `{length}`: set the "
        "acceptance length instead, to `3.00`."
    )
    assert fixed(RULE, pull) == []


@pytest.mark.parametrize(
    "rate",
    [
        '"synthetic_acceptance_rates":[1.0, 0.7, 0.3]',
        '"synthetic_acceptance_rate":0.6667',
        '"synthetic_acceptance_rates":[1.0, null, 0.3]',
        '"synthetic_acceptance_rates":[]',
        '"synthetic_acceptance_rate":"high"',
    ],
)
def test_a_rate_that_is_right_or_cannot_be_read(rate: str) -> None:
    assert observe(RULE, change(AUGUST, VLLM_PATH, LENGTH, rate)) == []


def test_sglang_is_held_to_steps_and_not_to_draft_tokens() -> None:
    assert observe(RULE, change(AUGUST, SGLANG_PATH, "tp: 4", "tp: 8")) == []
    pull = change(AUGUST, SGLANG_PATH, "'2.40'", "'2.70'")
    (seen,) = observe(RULE, pull)
    assert (seen.line, seen.anchor) == (10, ("", "decode", "SGLANG_SIMULATE_ACC_LEN"))
    assert fixed(RULE, pull) == ["    SGLANG_SIMULATE_ACC_LEN: '2.40'  # golden\n"]


def test_a_changed_draft_length_needs_another_golden_value() -> None:
    (seen,) = observe(RULE, change(AUGUST, VLLM_PATH, 'tokens":3', 'tokens":2'))
    assert "with 2 draft tokens is `2.50`" in str(seen.message)


def test_tensorrt_counts_one_token_less() -> None:
    recipe = (
        "backend:\n  type: trtllm\n"
        "  decode_environment: { TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS: '1.70' }\n"
        "  trtllm_config:\n    decode:\n"
        "      speculative_config: { decoding_type: MTP, max_draft_len: 2 }\n"
    )
    files = {**AUGUST, VLLM_PATH: recipe.replace("1.70", "1.40")}
    assert observe(RULE, snapshot(AUGUST, files)) == []
    pull = snapshot(files, {**files, VLLM_PATH: recipe})
    (seen,) = observe(RULE, pull)
    assert str(seen.message).endswith("This variable counts one token less: set it to `1.40`.")
    (line,) = fixed(RULE, pull)
    assert "TOKENS: '1.40' }" in line


def test_the_masters_value_goes_before_the_recipes() -> None:
    pull = change(AUGUST, MASTER_PATH, *INJECTED)
    (seen,) = observe(RULE, pull)
    assert (seen.path, seen.line) == (MASTER_PATH, 17)
    assert seen.anchor == (
        "toy-fp4-b300-dynamo-vllm-agentic",
        "recipes/vllm/toy/agg.yaml",
        "SYNTHETIC_ACCEPTANCE_LENGTH",
    )
    assert fixed(RULE, pull) == ['          - "SYNTHETIC_ACCEPTANCE_LENGTH=3.00"\n']
    files = edited(AUGUST, VLLM_PATH, "3.00", "9.99")
    right = (INJECTED[0], INJECTED[1].replace("2.50", "3.00"))
    assert observe(RULE, change(files, MASTER_PATH, *right)) == []


def test_a_setting_that_no_launcher_reads_is_not_the_value() -> None:
    files = edited(AUGUST, MASTER_PATH, "framework: dynamo-vllm", "framework: vllm")
    assert observe(RULE, change(files, MASTER_PATH, *INJECTED)) == []


def test_a_changed_curve_brings_in_every_recipe_that_it_binds() -> None:
    found = observe(RULE, change(AUGUST, PROB_PATH, "3: 3.00", "3: 3.05"))
    assert [(seen.path, seen.line) for seen in found] == [(VLLM_PATH, 9)]
    assert observe(RULE, change(AUGUST, PROB_PATH, "2: 2.50", "2: 2.55")) == []


def test_what_is_not_touched_is_not_judged() -> None:
    files = edited(AUGUST, VLLM_PATH, "3.00", "2.75")
    assert observe(RULE, change(files, SGLANG_PATH, "tp: 4", "tp: 8")) == []
    image = change(files, MASTER_PATH, "vllm-openai:v0.99.1", "vllm-openai:v0.99.2")
    assert observe(RULE, image) == []
    assert len(observe(RULE, change(files, MASTER_PATH, "[1, 2, 4, 8, 16]", "[1]"))) == 1


def test_evaluations_prefill_and_fixed_lengths_are_free() -> None:
    assert observe(RULE, change(AUGUST, EVAL_PATH, "3.00", "1.00")) == []
    assert observe(RULE, change(AUGUST, SGLANG_PATH, "'9.99'", "'1.00'")) == []
    files = edited(AUGUST, MASTER_PATH, "agentic-coding", "fixed-seq-len")
    assert observe(RULE, change(files, VLLM_PATH, "3.00", "2.75")) == []


def test_the_unknown_is_not_wrong() -> None:
    for path, old, new in (
        (VLLM_PATH, 'tokens":3', 'tokens":8'),  # no such cell
        (VLLM_PATH, "dspark", "medusa"),  # no curve
        (VLLM_PATH, '"num_speculative_tokens":3,', ""),  # no draft length
        (VLLM_PATH, "3.00", '"$AL"'),  # no number
        (MASTER_PATH, "model-prefix: toy", "model-prefix: other"),
        (MASTER_PATH, "recipes/vllm/toy/agg.yaml", "recipes/vllm/elsewhere.yaml"),
        (PROB_PATH, "toy-v2:", "toy-v2: ["),
    ):
        files = edited(AUGUST, VLLM_PATH, "3.00", "2.75") if path != VLLM_PATH else AUGUST
        found = observe(RULE, change(files, path, old, new))
        assert [seen for seen in found if seen.path == VLLM_PATH] == [], (path, new)


def test_the_tolerance_is_the_precision_of_the_files() -> None:
    assert observe(RULE, change(AUGUST, VLLM_PATH, "3.00", "3.004")) == []
    assert len(observe(RULE, change(AUGUST, VLLM_PATH, "3.00", "3.005"))) == 1


def test_the_value_of_thinking_off_is_left_to_its_own_rule() -> None:
    assert observe(RULE, change(AUGUST, SGLANG_PATH, "'2.40'", "'2.55'")) == []


def test_a_launch_planner_makes_it_a_note() -> None:
    files = edited(NOVEMBER, SINGLE_PATH, "EAGLE3", "EAGLE")
    env = "      nodes: 1\n      env: { SGLANG_SIMULATE_ACC_LEN: '9.70' }\n"
    (seen,) = observe(RULE, change(files, SINGLE_PATH, "      nodes: 1\n", env))
    assert (seen.line, seen.severity) == (8, Severity.NOTE)


@needs_reference
def test_the_reference_repository_has_four_wrong_entries() -> None:
    files = reference_files()
    head = DictTree(files, "a" * 40)
    changed = tuple(ChangedFile(path, Status.ADDED) for path in head.paths())
    new = Snapshot(DictTree({}, "b" * 40), head, changed, everything_is_new=True)
    found = observe(RULE, new, preset("inferencex"))
    assert sorted((seen.path, seen.line) for seen in found) == [
        (MASTER_PATH, line) for line in (7744, 7760, 7792, 7809)
    ]
    assert {seen.anchor[0] for seen in found} == {
        "dsv4-fp4-gb200-dynamo-vllm-agentic-mtp-agg",
        "dsv4-fp4-gb200-dynamo-vllm-agentic-mtp-disagg",
    }
    assert all("`2.49`" in str(s.message) and "is `2.27`" in str(s.message) for s in found)


@needs_reference
def test_mutated_reference_recipes_are_caught_at_their_lines() -> None:
    files = {path: data.decode() for path, data in reference_files().items()}
    mutations = (
        ("sglang/qwen3.5/gb300-fp4/agentic", "SGLANG_SIMULATE_ACC_LEN: '3.39'", "3.39", "3.97"),
        ("vllm/minimax-m3/agentic", '"synthetic_acceptance_length":2.78', "2.78", "2.83"),
        ("trtllm/glm5.2", 'NUM_ACCEPTED_TOKENS: "1.99"', "1.99", "2.98"),
    )
    for folder, text, old, new in mutations:
        path = next(p for p in sorted(files) if folder in p and text in files[p])
        lines = [n for n, each in enumerate(files[path].splitlines(), 1) if text in each]
        pull = change(files, path, text, text.replace(old, new))
        found = [(seen.path, seen.line) for seen in observe(RULE, pull, preset("inferencex"))]
        assert found
        assert set(found) <= {(path, line) for line in lines}, path
