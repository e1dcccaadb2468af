import pytest

from checks.model import Severity
from tests.checks.samples import (
    AUGUST,
    EVAL_PATH,
    MASTER_PATH,
    NOVEMBER,
    SGLANG_PATH,
    SINGLE_PATH,
    VLLM_PATH,
    change,
    cleared,
    edited,
    fixed,
    observe,
)
from tests.checks.script_samples import FIXED_SCRIPT, SCRIPTED, SGLANG_SCRIPT, VLLM_SCRIPT
from tests.kit import REFERENCE, needs_reference, snapshot

RULE = "speculative-decoding/acceptance-length-ignored"
BLOCK = ('"rejection_sample_method":"synthetic"', '"rejection_sample_method":"block"')


def test_vllm_needs_the_synthetic_mode() -> None:
    pull = change(AUGUST, VLLM_PATH, *BLOCK)
    (seen,) = observe(RULE, pull)
    assert (seen.path, seen.line, seen.severity) == (VLLM_PATH, 9, None)
    assert str(seen.title) == "The simulated acceptance length is not used"
    assert str(seen.message) == (
        "`synthetic_acceptance_length` is `3.00`, but `rejection_sample_method` is `block`, which "
        "does not hold the run to it. The run measures real acceptance while the file claims "
        "`3.00`. Set `rejection_sample_method` to `synthetic`."
    )
    assert [(e.path, e.line, e.text) for e in seen.evidence] == [
        (VLLM_PATH, 9, "synthetic_acceptance_length: 3.00"),
        (VLLM_PATH, 9, "rejection_sample_method: block"),
        ("golden_al_distribution/toy_prob.yaml", 6, "3: 3.00"),
    ]
    assert fixed(RULE, pull) == [AUGUST[VLLM_PATH].splitlines(keepends=True)[8]]


def test_a_missing_mode_is_not_the_synthetic_one() -> None:
    pull = change(AUGUST, VLLM_PATH, BLOCK[0] + ",", "")
    (seen,) = observe(RULE, pull)
    assert "is not set, and its default does not hold the run to it." in str(seen.message)
    (line,) = fixed(RULE, pull)
    assert '"rejection_sample_method":"synthetic","synthetic_acceptance_length":3.00}' in line


def test_sglang_needs_match_expected() -> None:
    pull = change(AUGUST, SGLANG_PATH, "METHOD: match-expected", "METHOD: multinomial")
    (seen,) = observe(RULE, pull)
    assert (seen.line, seen.anchor) == (10, ("", "decode", "SGLANG_SIMULATE_ACC_LEN"))
    assert fixed(RULE, pull) == ["    SGLANG_SIMULATE_ACC_METHOD: match-expected\n"]
    pull = change(AUGUST, SGLANG_PATH, "    SGLANG_SIMULATE_ACC_METHOD: match-expected\n", "")
    (line,) = fixed(RULE, pull)
    assert line.splitlines()[1] == "    SGLANG_SIMULATE_ACC_METHOD: 'match-expected'"


def test_nothing_is_said_of_what_is_right_or_not_touched() -> None:
    assert observe(RULE, change(AUGUST, VLLM_PATH, "toy-agg", "toy-agg2")) == []
    broken = edited(AUGUST, VLLM_PATH, *BLOCK)
    assert observe(RULE, change(broken, SGLANG_PATH, "tp: 4", "tp: 8")) == []


def test_a_changed_search_space_brings_its_recipe_in() -> None:
    broken = edited(AUGUST, VLLM_PATH, *BLOCK)
    pull = change(broken, MASTER_PATH, "[1, 2, 4, 8, 16]", "[1, 2]")
    assert [seen.path for seen in observe(RULE, pull)] == [VLLM_PATH]


def test_no_length_means_nothing_to_ignore() -> None:
    pull = change(AUGUST, VLLM_PATH, BLOCK[0] + ',"synthetic_acceptance_length":3.00', BLOCK[1])
    assert observe(RULE, pull) == []
    pull = change(AUGUST, SGLANG_PATH, "'2.40'  # golden", "'-1'")
    assert observe(RULE, pull) == []


def test_evaluations_verify_for_real() -> None:
    pull = change(AUGUST, EVAL_PATH, "name: eval", "name: evals")
    assert observe(RULE, pull) == []
    (reason,) = cleared(RULE, pull)
    assert str(reason.reason) == (
        "`synthetic_acceptance_length` is not read, but only evaluations run this."
    )
    stray = VLLM_PATH.replace("agg.yaml", "new-eval-agentic.yaml")
    assert observe(RULE, snapshot(AUGUST, {**AUGUST, stray: AUGUST[EVAL_PATH]})) == []
    other = VLLM_PATH.replace("agg.yaml", "medieval.yaml")
    assert len(observe(RULE, snapshot(AUGUST, {**AUGUST, other: AUGUST[EVAL_PATH]}))) == 1


def test_the_prefill_role_alone_is_never_judged() -> None:
    pull = change(AUGUST, SGLANG_PATH, "'9.99'", "'9.98'")
    assert observe(RULE, pull) == []


def test_the_launcher_may_set_length_and_mode() -> None:
    setting = '          - "CONFIG_FILE=recipes/vllm/toy/agg.yaml"\n'
    injected = (
        '          - "SYNTHETIC_ACCEPTANCE=true"\n          - "SYNTHETIC_ACCEPTANCE_LENGTH=3.00"\n'
    )
    files = edited(AUGUST, MASTER_PATH, setting, setting + injected)
    assert observe(RULE, change(files, VLLM_PATH, *BLOCK)) == []
    (reason,) = cleared(RULE, change(files, VLLM_PATH, *BLOCK))
    assert "the launcher sets length and mode" in str(reason.reason)
    files = edited(files, MASTER_PATH, "ACCEPTANCE=true", "ACCEPTANCE=false")
    assert len(observe(RULE, change(files, VLLM_PATH, *BLOCK))) == 1


def test_fixed_length_runs_are_told_to_drop_it() -> None:
    files = edited(AUGUST, MASTER_PATH, "agentic-coding", "fixed-seq-len")
    pull = change(files, VLLM_PATH, *BLOCK)
    (seen,) = observe(RULE, pull)
    assert seen.severity is Severity.WARNING
    assert str(seen.message).endswith("Fixed-length runs measure real acceptance: remove it.")
    (line,) = fixed(RULE, pull)
    assert line.endswith('"rejection_sample_method":"block"}\'\n')


def test_a_launch_planner_makes_it_a_note() -> None:
    env = "      nodes: 1\n      env: { SGLANG_SIMULATE_ACC_LEN: '2.70' }\n"
    (seen,) = observe(RULE, change(NOVEMBER, SINGLE_PATH, "      nodes: 1\n", env))
    assert (seen.line, seen.severity) == (8, Severity.NOTE)
    assert seen.anchor == ("base", "aggregated", "SGLANG_SIMULATE_ACC_LEN")


METHOD = "    export SGLANG_SIMULATE_ACC_METHOD=match-expected\n"


@pytest.mark.parametrize("new", ["", METHOD.replace("match-expected", "multinomial")])
def test_a_script_whose_mode_does_not_read_the_length(new: str) -> None:
    (seen,) = observe(RULE, change(SCRIPTED, SGLANG_SCRIPT, METHOD, new))
    assert (seen.path, seen.line, seen.severity) == (SGLANG_SCRIPT, 6, None)
    assert "Set `SGLANG_SIMULATE_ACC_METHOD` to `match-expected`." in str(seen.message)


def test_a_script_is_judged_once_for_each_line_that_sets_a_length() -> None:
    pull = change(SCRIPTED, VLLM_SCRIPT, '\\"synthetic\\"', '\\"block\\"')
    assert [(seen.path, seen.line) for seen in observe(RULE, pull)] == [
        (VLLM_SCRIPT, 8),
        (VLLM_SCRIPT, 11),
    ]


def test_scripts_that_are_right_of_fixed_lengths_or_not_known() -> None:
    assert observe(RULE, snapshot({}, SCRIPTED)) == []
    unknown = 'export SGLANG_SIMULATE_ACC_METHOD="$(cat method)"\n'
    assert observe(RULE, change(SCRIPTED, SGLANG_SCRIPT, METHOD, unknown)) == []
    export = "export SGLANG_SIMULATE_ACC_LEN=2.40\npython3 -m sglang"
    assert observe(RULE, change(SCRIPTED, FIXED_SCRIPT, "python3 -m sglang", export)) == []
    old = edited(SCRIPTED, SGLANG_SCRIPT, METHOD, "")
    assert observe(RULE, change(old, FIXED_SCRIPT, "num-steps 2", "num-steps 3")) == []


@needs_reference
def test_a_mutated_reference_recipe_is_caught_at_its_line() -> None:
    path = "benchmarks/multi_node/srt-slurm-recipes/vllm/minimax-m3/agentic/gb300-fp4"
    source = sorted((REFERENCE / path).glob("*.yaml"))
    recipes = {f"{path}/{p.name}": p.read_text() for p in source if "synthetic" in p.read_text()}
    assert recipes
    base = {"perf-changelog.yaml": "", **recipes}
    for name, content in recipes.items():
        if "eval" in name:
            continue
        broken = content.replace('"synthetic"', '"block"')
        lines = [n for n, line in enumerate(broken.splitlines(), 1) if '"block"' in line]
        found = observe(RULE, snapshot(base, {**base, name: broken}))
        assert found
        assert {seen.line for seen in found} <= set(lines)
