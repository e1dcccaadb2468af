from dataclasses import replace

import pytest

from checks.model import Snapshot
from tests.checks.samples import (
    AUGUST,
    MASTER_PATH,
    POLICY,
    SGLANG_PATH,
    VLLM_PATH,
    change,
    edited,
    observe,
)
from tests.checks.script_samples import SCRIPTED, SGLANG_SCRIPT
from tests.kit import snapshot

RULE = "draft-model/precision-lowered"
FLAG = "speculative-draft-model-quantization"
STEPS = "      speculative-num-steps: 2\n"
KNOWN = replace(POLICY, drafts={"toy": ("toy-org/Draft",)})


def flagged(value: str, more: str = "") -> Snapshot:
    return change(AUGUST, SGLANG_PATH, STEPS, f"{STEPS}      {FLAG}: {value}\n{more}")


def test_a_draft_model_that_is_quantized() -> None:
    (seen,) = observe(RULE, flagged("quark_mxfp4"))
    assert (seen.path, seen.line, seen.anchor) == (SGLANG_PATH, 20, ("decode", FLAG))
    assert seen.severity is None
    assert str(seen.title) == "The draft model does not run as shipped"
    assert str(seen.message) == (
        f"`{FLAG}` is `quark_mxfp4` in the role `decode`, which quantizes the draft model alone. A "
        "draft model runs as shipped: drop it, or say in the sign-off what the draft's stored and "
        "effective precision are."
    )
    assert [(e.line, e.text) for e in seen.evidence] == [(20, f"{FLAG}: quark_mxfp4")]
    assert len(observe(RULE, flagged("fp8", "      quantization: modelopt_fp4\n"))) == 1


@pytest.mark.parametrize(
    "value", ["auto", "unquant", "null", "bf16", "''", "AUTO", "false", "float32"]
)
def test_a_value_that_lowers_nothing(value: str) -> None:
    assert observe(RULE, flagged(value)) == []


def test_the_quantization_of_the_target_is_the_default() -> None:
    assert observe(RULE, flagged("fp8", "      quantization: fp8\n")) == []
    backend = "      speculative-moe-runner-backend: triton\n"
    assert observe(RULE, change(AUGUST, SGLANG_PATH, STEPS, STEPS + backend)) == []


@pytest.mark.parametrize(
    ("member", "name"), [('"quantization":"fp8"', "quantization"), ('"dtype":"fp8_e4m3"', "dtype")]
)
def test_members_of_a_json_string(member: str, name: str) -> None:
    (seen,) = observe(RULE, change(AUGUST, VLLM_PATH, '"method"', f'{member},"method"'))
    assert (seen.line, seen.anchor) == (9, ("aggregated", name))
    above = change(AUGUST, VLLM_PATH, '"method"', '"dtype":"bfloat16","method"')
    assert observe(RULE, above) == []
    same = edited(
        AUGUST, VLLM_PATH, "kv-cache-dtype: fp8\n", "kv-cache-dtype: fp8\n      dtype: fp8\n"
    )
    same = edited(same, VLLM_PATH, '"method"', '"dtype":"fp8","method"')
    assert observe(RULE, snapshot(AUGUST, same)) == []


@pytest.mark.parametrize(
    "form", [f"--{FLAG} fp8", f"--{FLAG}=fp8", f"--{FLAG.replace('-', '_')} fp8"]
)
def test_a_server_of_a_script(form: str) -> None:
    steps = "    --speculative-num-steps 2\n"
    (seen,) = observe(RULE, change(SCRIPTED, SGLANG_SCRIPT, steps, f"{steps}    {form}\n"))
    assert (seen.path, seen.line, seen.anchor[1]) == (SGLANG_SCRIPT, 12, FLAG)
    hidden = SCRIPTED[SGLANG_SCRIPT].replace('"${SPEC_ARGS[@]}" &', '"${SPEC_ARGS[@]}" $MORE &')
    files = {**SCRIPTED, SGLANG_SCRIPT: hidden}
    assert observe(RULE, change(files, SGLANG_SCRIPT, steps, f"{steps}    {form}\n")) == []


def test_a_draft_model_that_is_not_on_record() -> None:
    pull = change(AUGUST, VLLM_PATH, "toy-org/Draft", "else/Draft-FP8")
    (seen,) = observe(RULE, pull, KNOWN)
    assert (seen.line, seen.anchor) == (9, ("aggregated", "model"))
    assert "is not the draft model on record for `toy-org/Toy-V2`, `toy-org/Draft`" in str(
        seen.message
    )
    assert [(e.path, e.line) for e in seen.evidence] == [(VLLM_PATH, 9), (MASTER_PATH, 3)]
    native = replace(POLICY, drafts={"toy": ()})
    (seen,) = observe(RULE, pull, native)
    assert "`toy-org/Toy-V2` drafts with the head that it has" in str(seen.message)
    assert observe(RULE, pull) == []


@pytest.mark.parametrize(
    "draft", ["toy-org/Draft", "mirror/draft", "/models/other", "$DRAFT", "Other", "toy-org/Toy-V2"]
)
def test_a_draft_model_that_is_on_record_or_not_known(draft: str) -> None:
    files = edited(AUGUST, VLLM_PATH, "toy-org/Draft", "x/y")
    assert observe(RULE, change(files, VLLM_PATH, "x/y", draft), KNOWN) == []


def test_untouched_recipes_are_not_judged() -> None:
    files = edited(AUGUST, SGLANG_PATH, STEPS, f"{STEPS}      {FLAG}: fp8\n")
    assert observe(RULE, change(files, VLLM_PATH, "toy-agg", "toy")) == []
