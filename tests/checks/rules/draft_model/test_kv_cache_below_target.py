import pytest

from checks.parse.dtype import bits
from tests.checks.samples import (
    AUGUST,
    MULTI_PATH,
    NOVEMBER,
    SGLANG_PATH,
    SINGLE_PATH,
    VLLM_PATH,
    change,
    edited,
    fixed,
    observe,
)
from tests.checks.script_samples import SCRIPTED, SGLANG_SCRIPT, VLLM_SCRIPT
from tests.kit import REFERENCE, needs_reference, snapshot

RULE = "draft-model/kv-cache-below-target"
SINGLE = (
    "        attention-backend: trtllm_mha\n",
    "        attention-backend: trtllm_mha\n        speculative-draft-kv-cache-dtype: fp8_e4m3\n",
)
MULTI = (
    "        speculative-num-steps: 3\nzip",
    "        speculative-num-steps: 3\n        speculative-draft-kv-cache-dtype: fp8_e4m3\nzip",
)


def test_a_draft_only_dtype_in_two_recipes_is_two_findings() -> None:
    head = edited(edited(NOVEMBER, SINGLE_PATH, *SINGLE), MULTI_PATH, *MULTI)
    pull = snapshot(NOVEMBER, head)
    found = observe(RULE, pull)
    assert [(seen.path, seen.line) for seen in found] == [(MULTI_PATH, 11), (SINGLE_PATH, 12)]
    assert str(found[1].title) == "The draft model's KV cache is below the target's"
    assert str(found[1].message) == (
        "`speculative-draft-kv-cache-dtype` is `fp8_e4m3` for the draft model alone; in the same "
        "role (`aggregated`) the target has no `kv-cache-dtype` and stays at its default. A draft "
        "model runs as shipped: drop this setting, or set the dtype for the target, from which "
        "the draft model inherits it."
    )
    assert [(e.path, e.line, e.text) for e in found[1].evidence] == [
        (SINGLE_PATH, 12, "speculative-draft-kv-cache-dtype: fp8_e4m3"),
        (SINGLE_PATH, 8, "aggregated: kv-cache-dtype is not set"),
    ]
    assert found[1].anchor == ("base", "aggregated", "speculative-draft-kv-cache-dtype")
    assert fixed(RULE, pull) == ["", ""]


def test_one_of_them_fixed_leaves_the_other() -> None:
    head = edited(NOVEMBER, MULTI_PATH, *MULTI)
    assert [seen.path for seen in observe(RULE, snapshot(NOVEMBER, head))] == [MULTI_PATH]


@pytest.mark.parametrize("dtype", ["fp8_e4m3", "fp8", "fp8_e5m2", "auto", "bf16"])
def test_a_target_at_the_same_width_or_an_inherited_draft_is_fine(dtype: str) -> None:
    new = SINGLE[1].replace("fp8_e4m3", dtype)
    if dtype not in ("auto", "bf16"):
        new += "        kv-cache-dtype: fp8_e4m3\n"
    assert observe(RULE, change(NOVEMBER, SINGLE_PATH, SINGLE[0], new)) == []


def test_a_wider_target_is_not() -> None:
    new = SINGLE[1] + "        kv-cache-dtype: bf16\n"
    (seen,) = observe(RULE, change(NOVEMBER, SINGLE_PATH, SINGLE[0], new))
    assert "`kv-cache-dtype` is `bf16`" in str(seen.message)
    assert seen.evidence[1].line == 13
    new = SINGLE[1] + "        kv-cache-dtype: auto\n"
    assert len(observe(RULE, change(NOVEMBER, SINGLE_PATH, SINGLE[0], new))) == 1


def test_the_target_may_be_set_by_an_override_or_lost_in_one() -> None:
    files = edited(NOVEMBER, SINGLE_PATH, *SINGLE)
    both = files[SINGLE_PATH].replace("parallel-size: 4", "parallel-size: 4, kv-cache-dtype: fp8")
    both = both.replace("parallel-size: 8", "parallel-size: 8, kv-cache-dtype: fp8")
    assert observe(RULE, snapshot(NOVEMBER, {**files, SINGLE_PATH: both})) == []
    one = both.replace("parallel-size: 8, kv-cache-dtype: fp8", "parallel-size: 8")
    (seen,) = observe(RULE, snapshot(NOVEMBER, {**files, SINGLE_PATH: one}))
    assert seen.line == 12


def test_every_spelling_and_the_summer_layout() -> None:
    for flag in ("speculative_draft_kv_cache_dtype", "--speculative-draft-kv-cache-dtype"):
        pull = change(AUGUST, SGLANG_PATH, "tp: 4", f"{flag}: fp8_e4m3")
        (seen,) = observe(RULE, pull)
        assert (seen.line, seen.anchor) == (17, ("", "decode", flag))
        assert fixed(RULE, pull) == [""]


def test_roles_are_judged_apart() -> None:
    pull = change(
        AUGUST,
        SGLANG_PATH,
        "    decode:\n      tp: 4\n",
        "    decode:\n      kv-cache-dtype: fp8_e4m3\n      tp: 4\n",
    )
    head = edited(
        dict(AUGUST),
        SGLANG_PATH,
        "    prefill:\n",
        "    prefill:\n      speculative-draft-kv-cache-dtype: fp8\n",
    )
    (seen,) = observe(RULE, snapshot(AUGUST, head))
    assert seen.anchor[1] == "prefill"
    assert observe(RULE, pull) == []


def test_vllm_has_it_inside_the_json_string() -> None:
    old, new = '"num_speculative_tokens":3,', '"num_speculative_tokens":3,"kv_cache_dtype":"{}",'
    assert observe(RULE, change(AUGUST, VLLM_PATH, old, new.replace("{}", "fp8"))) == []
    assert observe(RULE, change(AUGUST, VLLM_PATH, old, new.replace("{}", "auto"))) == []
    files = edited(AUGUST, VLLM_PATH, "      kv-cache-dtype: fp8\n", "")
    pull = change(files, VLLM_PATH, old, new.replace("{}", "fp8"))
    (seen,) = observe(RULE, pull)
    assert seen.line == 8
    assert fixed(RULE, pull) == [files[VLLM_PATH].splitlines(keepends=True)[7]]


STEPS = "    --speculative-num-steps 2\n"
DRAFT = f"{STEPS}    --speculative-draft-kv-cache-dtype fp8_e4m3\n"


def test_a_server_of_a_script() -> None:
    pull = change(SCRIPTED, SGLANG_SCRIPT, STEPS, DRAFT)
    (seen,) = observe(RULE, pull)
    assert (seen.path, seen.line) == (SGLANG_SCRIPT, 12)
    assert "is `fp8_e4m3` for the draft model alone" in str(seen.message)
    assert [(e.path, e.line) for e in seen.evidence] == [(SGLANG_SCRIPT, 12), (SGLANG_SCRIPT, 16)]
    wider = change(SCRIPTED, SGLANG_SCRIPT, STEPS, f"{DRAFT}    --kv-cache-dtype bf16\n")
    assert [seen.evidence[1].line for seen in observe(RULE, wider)] == [13]


@pytest.mark.parametrize(
    "flags",
    [
        f"{DRAFT}    --kv-cache-dtype fp8\n",
        f'{DRAFT}    --kv-cache-dtype "$KV_DTYPE"\n',
        f"{DRAFT}    $MORE\n",
        DRAFT.replace("fp8_e4m3", "auto"),
        DRAFT.replace("fp8_e4m3", '"$DRAFT_DTYPE"'),
        f"{STEPS}    --kv-cache-dtype fp8\n",
    ],
)
def test_a_server_of_a_script_that_is_right_or_not_known(flags: str) -> None:
    assert observe(RULE, change(SCRIPTED, SGLANG_SCRIPT, STEPS, flags)) == []


def test_a_script_is_judged_once_and_only_where_it_is_touched() -> None:
    member = '\\"draft_sample_method\\"'
    files = edited(SCRIPTED, VLLM_SCRIPT, "    --kv-cache-dtype fp8\n", "")
    pull = change(files, VLLM_SCRIPT, member, f'\\"kv_cache_dtype\\":\\"fp8\\",{member}')
    assert [(seen.path, seen.line) for seen in observe(RULE, pull)] == [(VLLM_SCRIPT, 20)]
    old = edited(SCRIPTED, SGLANG_SCRIPT, STEPS, DRAFT)
    assert observe(RULE, change(old, VLLM_SCRIPT, "set -eo", "set -e -o")) == []


def test_widths() -> None:
    known = {"fp8_e4m3": 8, "fp8": 8, "int8": 8, "bf16": 16, "bfloat16": 16, "float16": 16}
    known |= {"float32": 32, "half": 16, "nvfp4": 4, "fp4_e2m1": 4, "fp8_ds_mla": 8}
    assert {name: bits(name) for name in known} == known
    assert [bits(name) for name in ("auto", "turbo", "fp80", "")] == [None] * 4


@needs_reference
def test_reference_recipes_are_clean_until_the_draft_alone_is_lowered() -> None:
    folder = "benchmarks/multi_node/srt-slurm-recipes/sglang/qwen3.5"
    paths = sorted((REFERENCE / folder).rglob("*.yaml"))[:12]
    base = {"perf-changelog.yaml": ""}
    files = {f"{folder}/{p.relative_to(REFERENCE / folder)}": p.read_text() for p in paths}
    assert observe(RULE, snapshot(base, {**base, **files})) == []
    caught = 0
    for path, content in files.items():
        lines = content.splitlines(keepends=True)
        for number, line in enumerate(lines, 1):
            if "speculative-num-steps" in line and "kv-cache-dtype" not in content:
                indent = line[: len(line) - len(line.lstrip())]
                added = f"{indent}speculative-draft-kv-cache-dtype: fp8_e4m3\n"
                head = "".join([*lines[:number], added, *lines[number:]])
                (seen,) = observe(RULE, snapshot(base, {**base, path: head}))
                assert (seen.path, seen.line) == (path, number + 1)
                caught += 1
    assert caught or all("kv-cache-dtype" in content for content in files.values())
