import pytest

from checks.model import Snapshot
from tests.checks.samples import MULTI_PATH, NOVEMBER, edited, observe
from tests.checks.script_samples import SCRIPTED, VLLM_SCRIPT
from tests.kit import snapshot

RULE = "draft-model/online-quantization"
EXCLUDED = '["lm_head","*.mlp.gate","*expert*"]'
CONFIG = f'{{"global_quant_config":"ptpc_fp8","exclude_layer":{EXCLUDED}}}'
SCRIPT = f"""\
#!/usr/bin/env bash
SPEC_ARGS=(--method mtp --num-speculative-tokens 3)
python -m atom.entrypoints.openai_server \\
    --model "$MODEL" \\
    --online_quant_config '{CONFIG}' \\
    "${{SPEC_ARGS[@]}}" &
"""
RECIPE = f"""\
schema: 2
engine: atom
roles:
  prefill: {{ args: {{ method: mtp }} }}
  decode:
    args:
      method: mtp
      online_quant_config: '{CONFIG}'
"""


def script(old: str = "", new: str = "") -> Snapshot:
    assert old in SCRIPT
    return snapshot(
        SCRIPTED, {**SCRIPTED, VLLM_SCRIPT: SCRIPT.replace(old, new) if old else SCRIPT}
    )


def recipe(old: str = "", new: str = "") -> Snapshot:
    files = {**NOVEMBER, MULTI_PATH: RECIPE}
    head = edited(files, MULTI_PATH, old, new) if old else files
    return snapshot(NOVEMBER, edited(head, "inferencex-e2e/configs/nvidia-master.yaml",
                                     ":zip_override_hi[1]", ""))  # fmt: skip


def test_a_script_whose_draft_head_is_quantized() -> None:
    (seen,) = observe(RULE, script())
    assert (seen.path, seen.line) == (VLLM_SCRIPT, 5)
    assert seen.anchor == ("aggregated", "online-quant-config")
    assert str(seen.title) == "Online quantization reaches the draft model"
    assert str(seen.message) == (
        "`online-quant-config` gives every layer the format `ptpc_fp8` but those in "
        "`exclude_layer`, and none of these is the draft head of `mtp`. A draft model runs as "
        "shipped: exclude its layer, too."
    )
    assert [(e.line, e.text) for e in seen.evidence] == [
        (5, f"--online_quant_config '{CONFIG}' \\"),
        (2, "method: mtp"),
    ]


def test_what_every_point_starts_is_said_once() -> None:
    both = f'if [ "$CONC" -gt 4 ]; then X=1; fi\n{SCRIPT}'.replace(" 3)", " $X)")
    pull = snapshot(SCRIPTED, {**SCRIPTED, VLLM_SCRIPT: both})
    assert len(observe(RULE, pull)) == 1


def test_a_recipe_whose_draft_head_is_quantized() -> None:
    (seen,) = observe(RULE, recipe())
    assert (seen.path, seen.line, seen.anchor[0]) == (MULTI_PATH, 8, "decode")


@pytest.mark.parametrize(
    "pattern",
    ["*draft*", "eagle.*", "*medusa*", "*enorm", "*hnorm", "*shared_head*", "model.layer.78.*",
     "model.layers.78.*", "*layers.78*", "*.layers.61", "mtp.*", "*nextn*", "*eh_proj*", "*",
     "model.*", "model.layers.7[89].*", r"re:model\\.layers\\.78\\..*"],
)  # fmt: skip
def test_a_pattern_that_leaves_the_draft_out(pattern: str) -> None:
    assert observe(RULE, script('"lm_head"', f'"lm_head","{pattern}"')) == []


@pytest.mark.parametrize(
    "pattern",
    ["model.layers.[0-9].mlp.*expert*", "model.layers.7[0-7].mlp.*expert*", "*block_sparse_moe",
     "*self_attn.[qkv]_conv1d*", "vision_tower", "*.gate.*"],
)  # fmt: skip
def test_a_pattern_that_does_not(pattern: str) -> None:
    assert len(observe(RULE, script('"lm_head"', f'"lm_head","{pattern}"'))) == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("--method mtp", "--method dspark"),
        ("--method mtp", "--method eagle3 --draft-model toy-org/Draft"),
        ("--method mtp --num-speculative-tokens 3", ""),
        ("ptpc_fp8", "none"),
        ('"global_quant_config":"ptpc_fp8"', '"layer_quant_config":{"*expert*":"mxfp4"}'),
        (EXCLUDED, '"$OTHERS"'),
        (f"'{CONFIG}'", '"$QUANT"'),
        ("python -m atom.entrypoints.openai_server", "python -m sglang.launch_server"),
    ],
)
def test_what_is_right_or_not_known(old: str, new: str) -> None:
    assert observe(RULE, script(old, new)) == []


def test_recipes_that_are_right_or_run_another_engine() -> None:
    assert observe(RULE, recipe('"lm_head"', '"model.layers.78.*"')) == []
    assert observe(RULE, recipe("engine: atom", "engine: vllm")) == []
    assert observe(RULE, recipe("      method: mtp\n", "")) == []
