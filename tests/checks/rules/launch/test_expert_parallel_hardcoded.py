import pytest

from checks.model import Evidence
from tests.checks.samples import AUGUST, MASTER_PATH, VLLM_PATH, change, edited, fixed, observe
from tests.checks.script_samples import FIXED_SCRIPT, SCRIPTED, SGLANG_SCRIPT, VLLM_SCRIPT
from tests.kit import snapshot

RULE = "launch/expert-parallel-hardcoded"
FLAG = "    --enable-expert-parallel\n"
ARGS = '    "${SPEC_ARGS[@]}"\n)'


def test_the_flag_without_a_condition() -> None:
    (seen,) = observe(RULE, change(SCRIPTED, VLLM_SCRIPT, ARGS, FLAG + ARGS))
    assert (seen.path, seen.line) == (VLLM_SCRIPT, 28)
    assert str(seen.title) == "Expert parallelism is always on"
    assert str(seen.message) == (
        "`--enable-expert-parallel` is set even with `EP_SIZE=1`, so that the points of "
        "`toy-fp4-b300-vllm-agentic-mtp` run with expert parallelism whatever `ep` says. Add it "
        "only when `EP_SIZE` is above 1."
    )
    entry = "- { tp: 8, ep: 1, spec-decoding: mtp, kv-offloading: none, conc-list: [4, 16, 64] }"
    assert seen.evidence == (
        Evidence(VLLM_SCRIPT, 28, "--enable-expert-parallel"),
        Evidence(MASTER_PATH, 12, entry),
    )


@pytest.mark.parametrize(
    "guard",
    [
        'EP_ARGS=()\nif [ "$EP_SIZE" -gt 1 ]; then EP_ARGS+=(--enable-expert-parallel); fi',
        "EP_ARGS=()\n(( EP_SIZE > 1 )) && EP_ARGS=(--enable-expert-parallel)",
        'EP_ARGS=""\n[[ "${EP_SIZE:-1}" == 1 ]] || EP_ARGS=--enable-expert-parallel',
        "EP_ARGS=()\nif probe; then EP_ARGS=(--enable-expert-parallel); fi",
        'if [ "$EP_SIZE" = 1 ]; then exit 1; fi\nEP_ARGS=(--enable-expert-parallel)',
        "# --enable-expert-parallel",
    ],
)
def test_a_flag_behind_a_condition_is_right(guard: str) -> None:
    files = edited(SCRIPTED, VLLM_SCRIPT, "CMD=(\n", f"{guard}\nCMD=(\n")
    assert observe(RULE, change(files, VLLM_SCRIPT, ARGS, '    "${EP_ARGS[@]}"\n' + ARGS)) == []


def test_the_short_flag_and_the_flag_of_atom() -> None:
    (seen,) = observe(RULE, change(SCRIPTED, VLLM_SCRIPT, ARGS, "    -ep\n" + ARGS))
    assert (seen.line, seen.suggestion) == (28, None)
    atom = 'CMD=(\n    python3 -m atom.entrypoints.openai_server --model "$MODEL"'
    files = edited(SCRIPTED, VLLM_SCRIPT, 'CMD=(\n    vllm serve "$MODEL"', atom)
    (seen,) = observe(RULE, change(files, VLLM_SCRIPT, ARGS, FLAG + ARGS))
    assert seen.line == 28


def test_sglang_has_another_flag_and_untouched_scripts_are_not_judged() -> None:
    tokens = "    --speculative-num-draft-tokens 3"
    pull = change(SCRIPTED, FIXED_SCRIPT, tokens, f"    --enable-expert-parallel \\\n{tokens}")
    assert observe(RULE, pull) == []
    files = edited(SCRIPTED, VLLM_SCRIPT, ARGS, FLAG + ARGS)
    assert observe(RULE, change(files, SGLANG_SCRIPT, "2.40", "2.41")) == []
    assert observe(RULE, change(files, MASTER_PATH, "[4, 16, 64]", "[4, 16]")) == []


def test_the_flag_is_put_behind_the_condition() -> None:
    (edit,) = fixed(RULE, change(SCRIPTED, VLLM_SCRIPT, ARGS, FLAG + ARGS))
    assert (
        edit
        == """\
EP_ARGS=()
if [ "$EP_SIZE" -gt 1 ]; then EP_ARGS=(--enable-expert-parallel); fi
CMD=(
    vllm serve "$MODEL"
    --tensor-parallel-size "$TP"
    --kv-cache-dtype fp8
    "${EP_ARGS[@]}"
"""
    )


def test_a_command_of_several_lines_in_a_branch() -> None:
    server = 'vllm serve "$MODEL" \\\n    --enable-expert-parallel \\\n    --x 1 &'
    plain = f"if true; then\n  {server}\nfi\n"
    files = {**SCRIPTED, VLLM_SCRIPT: "#!/bin/bash\n"}
    (edit,) = fixed(RULE, change(files, VLLM_SCRIPT, "#!/bin/bash\n", plain))
    assert (
        edit
        == """\
  EP_ARGS=()
  if [ "$EP_SIZE" -gt 1 ]; then EP_ARGS=(--enable-expert-parallel); fi
  vllm serve "$MODEL" \\
    "${EP_ARGS[@]}" \\
"""
    )


@pytest.mark.parametrize(
    "line",
    [
        'vllm serve "$MODEL" --enable-expert-parallel &',
        'EP_ARGS=x\nvllm serve "$MODEL" \\\n  --enable-expert-parallel &',
        'A=1; vllm serve "$MODEL" \\\n  --enable-expert-parallel \\\n  --x &',
    ],
)
def test_what_has_no_safe_guard(line: str) -> None:
    files = {**SCRIPTED, VLLM_SCRIPT: "#!/bin/bash\n"}
    pull = change(files, VLLM_SCRIPT, "#!/bin/bash\n", f"{line}\n")
    assert len(observe(RULE, pull)) == 1
    assert fixed(RULE, pull) == []


def test_collectors_and_recipes_are_not_judged() -> None:
    collector = "benchmarks/single_node/speedbench/toy_fp4_b300_vllm.sh"
    head = {**SCRIPTED, collector: "vllm serve m \\\n  --enable-expert-parallel\n"}
    assert observe(RULE, snapshot(SCRIPTED, head)) == []
    dtype = "      kv-cache-dtype: fp8\n"
    recipe = change(AUGUST, VLLM_PATH, dtype, f"{dtype}      enable-expert-parallel: true\n")
    assert observe(RULE, recipe) == []
