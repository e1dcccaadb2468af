from dataclasses import replace

import pytest

from checks.model import Evidence
from tests.checks.samples import AUGUST, POLICY, change, edited, observe
from tests.checks.script_samples import SCRIPTED, SGLANG_SCRIPT, VLLM_SCRIPT
from tests.kit import snapshot

RULE = "speculative-decoding/eval-keeps-simulation"
GUARD = 'if [ "${EVAL_ONLY:-false}" != "true" ]; then'


def test_a_length_outside_of_any_condition() -> None:
    (seen,) = observe(RULE, change(SCRIPTED, SGLANG_SCRIPT, GUARD, "if true; then"))
    assert (seen.path, seen.line) == (SGLANG_SCRIPT, 6)
    assert str(seen.title) == "Evaluations run with simulated acceptance"
    assert str(seen.message) == (
        "With `EVAL_ONLY=true` the server still starts with `SGLANG_SIMULATE_ACC_LEN` `2.40`, "
        "which commits drafted tokens whatever the target model thinks of them. Set it only when "
        "`EVAL_ONLY` is not `true`."
    )
    assert seen.evidence == (
        Evidence(SGLANG_SCRIPT, 6, "SGLANG_SIMULATE_ACC_LEN: 2.40"),
        Evidence(SGLANG_SCRIPT, 15, "python3 -m sglang.launch_server \\"),
    )


def test_each_branch_counts_for_itself() -> None:
    guard = 'if [ "${EVAL_ONLY:-false}" = "true" ]; then'
    broken = change(SCRIPTED, VLLM_SCRIPT, guard, 'if [ "$CONC" = 16 ]; then')
    assert [(seen.line, seen.anchor[1]) for seen in observe(RULE, broken)] == [(8, "3.00")]


def test_a_rate_is_no_real_acceptance_either() -> None:
    length, rates = '\\"block\\"}', '\\"synthetic\\",\\"synthetic_acceptance_rates\\":[1,0.5]}'
    (seen,) = observe(RULE, change(SCRIPTED, VLLM_SCRIPT, length, rates))
    assert (seen.line, seen.anchor) == (18, ("synthetic_acceptance_rates", "[1,0.5]"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("2.40", "2.41"),
        (GUARD, 'if [[ $EVAL_ONLY == false ]]; then'),
        (GUARD, "if probe; then"),
        ("\nfi\nSPEC", "\nelse\n    export SGLANG_SIMULATE_ACC_LEN=0\nfi\nSPEC"),
        ("python3 -m", '[ "$EVAL_ONLY" = true ] && unset SGLANG_SIMULATE_ACC_LEN\npython3 -m'),
    ],
)  # fmt: skip
def test_evaluations_with_real_acceptance_are_right(old: str, new: str) -> None:
    assert observe(RULE, change(SCRIPTED, SGLANG_SCRIPT, old, new)) == []


def test_a_planner_strips_what_evaluations_must_not_have() -> None:
    planned = replace(POLICY, layouts={
        name: replace(layout, golden_al_source="planner")
        for name, layout in POLICY.layouts.items()
    })  # fmt: skip
    pull = change(SCRIPTED, SGLANG_SCRIPT, GUARD, "if true; then")
    assert observe(RULE, pull, planned) == []


def test_a_server_that_drafts_nothing_simulates_nothing() -> None:
    pull = change(SCRIPTED, SGLANG_SCRIPT, GUARD, "if true; then")
    bare = edited(SCRIPTED, SGLANG_SCRIPT, '    "${SPEC_ARGS[@]}" &', "    --x &")
    assert len(observe(RULE, pull)) == 1
    assert observe(RULE, change(bare, SGLANG_SCRIPT, GUARD, "if true; then")) == []


def test_recipes_and_untouched_scripts_are_not_judged() -> None:
    assert observe(RULE, snapshot({}, AUGUST)) == []
    broken = change(SCRIPTED, SGLANG_SCRIPT, GUARD, "if true; then").head
    files = {path: broken.blob(path).data.decode() for path in broken.paths()}  # type: ignore[union-attr]
    assert observe(RULE, change(files, VLLM_SCRIPT, "set -eo", "set -euo")) == []


@pytest.mark.parametrize(
    ("generator", "evaluated"),
    [
        ("def mark_eval_entries(values, include_agentic=False): ...\n", True),
        ("def mark_eval_entries(values): ...\n", False),
        ("AGENTIC_EVALS_DISABLED = True\ndef mark(values, include_agentic=False): ...\n", False),
    ],
)
def test_what_is_never_evaluated_cannot_keep_its_simulation(
    generator: str, evaluated: bool
) -> None:
    files = {**SCRIPTED, "utils/matrix_logic/generate_sweep_configs.py": generator}
    seen = observe(RULE, change(files, SGLANG_SCRIPT, GUARD, "if true; then"))
    assert [each.line for each in seen] == [6] * evaluated
