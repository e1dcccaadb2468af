import pytest

from checks.model import Snapshot
from tests.checks.samples import (
    AUGUST,
    MASTER_PATH,
    NOVEMBER,
    SGLANG_PATH,
    SINGLE_PATH,
    change,
    edited,
    observe,
)
from tests.kit import snapshot

RULE = "recipe/parallelism-mismatch"
KEY = "toy-fp8-gb300-dynamo-sglang"
REFERENCE = "recipes/sglang/toy/disagg.yaml"
MASTER = f"""\
{KEY}:
  image: lmsysorg/sglang:v0.9.1
  model: toy-org/Toy-V2
  model-prefix: toy
  runner: gb300-nv
  framework: dynamo-sglang
  multinode: true
  scenarios:
    agentic-coding:
    - search-space:
      - conc-list: [8]
        prefill:
          num-worker: 2
          tp: 4
          ep: 4
          dp-attn: true
          additional-settings:
          - "CONFIG_FILE={REFERENCE}"
        decode:
          num-worker: 1
          tp: 8
"""
RECIPE = """\
resources: { prefill_workers: 2, gpus_per_prefill: 4, decode_workers: 1, gpus_per_decode: 8 }
backend:
  sglang_config:
    prefill: { tp-size: 4, dp-size: 4, ep-size: 4, enable-dp-attention: true }
    decode:
      tensor-parallel-size: 8
      data-parallel-size: 1
"""
FILES = {**AUGUST, MASTER_PATH: MASTER, SGLANG_PATH: RECIPE}
AGGREGATED = """\
resources: { agg_workers: 1, gpus_per_agg: 8 }
backend:
  vllm_config:
    aggregated: { tensor-parallel-size: 2, data-parallel-size: 4, enable-expert-parallel: true }
"""


def several(old: str, new: str, recipe: str = RECIPE) -> Snapshot:
    """Return a pull request that changes the recipe or, where it is not there, the master."""
    files = {**FILES, SGLANG_PATH: recipe}
    if old in recipe:
        return snapshot({**files, SGLANG_PATH: "name: x\n"}, edited(files, SGLANG_PATH, old, new))
    return snapshot({**files, MASTER_PATH: "x: {}\n"}, edited(files, MASTER_PATH, old, new))


def test_a_recipe_with_another_parallelism() -> None:
    (seen,) = observe(RULE, several("-size: 8", "-size: 4"))
    assert (seen.path, seen.line, seen.anchor) == (SGLANG_PATH, 6, (KEY, REFERENCE, "decode"))
    assert str(seen.title) == "The recipe runs with another parallelism"
    assert str(seen.message) == (
        f"The role `decode` of `{SGLANG_PATH}` has `tensor-parallel-size: 4`, but the `decode` of "
        f"`{KEY}` says `tp: 8`. Results are filed under what the master config says: make both "
        "sides the same."
    )
    assert [(e.path, e.line, e.text) for e in seen.evidence] == [
        (SGLANG_PATH, 6, "tensor-parallel-size: 4"),
        (MASTER_PATH, 19, "decode:"),
        (MASTER_PATH, 18, f'- "CONFIG_FILE={REFERENCE}"'),
    ]


def test_a_master_config_with_another_parallelism() -> None:
    (seen,) = observe(RULE, several("          tp: 4", "          tp: 8"))
    assert (seen.path, seen.line) == (MASTER_PATH, 12)
    assert "`tp-size: 4`, `gpus_per_prefill: 4`" in str(seen.message)


@pytest.mark.parametrize(
    ("old", "new", "seen"),
    [
        ("prefill_workers: 2", "prefill_workers: 1", "prefill_workers: 1"),
        ("gpus_per_decode: 8", "gpus_per_decode: 4", "gpus_per_decode: 4"),
        ("ep-size: 4", "ep-size: 1", "ep-size: 1"),
        ("dp-size: 4", "dp-size: 1", "dp-size: 1"),
        ("enable-dp-attention: true", "enable-dp-attention: false", "enable-dp-attention: false"),
        ("data-parallel-size: 1", "data-parallel-size: 8", "data-parallel-size: 8"),
        ("          ep: 4\n", "", "ep-size: 4"),
    ],
)
def test_every_side_of_parallelism(old: str, new: str, seen: str) -> None:
    (found,) = observe(RULE, several(old, new))
    assert f"has `{seen}`, but" in str(found.message)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("resources: ", "x: "),
        ("      tensor-parallel-size: 8\n", ""),
        ("tensor-parallel-size: 8", "tensor-parallel-size: '@fabric.ranks'"),
        (", enable-dp-attention: true", ""),
        (", ep-size: 4", ""),
        ("dp-size: 4", "dp-size: 2"),
        ("          tp: 8", "          tp: x"),
        ("          num-worker: 1\n", ""),
        ("sglang_config", "toy_config"),
    ],
)
def test_what_one_side_does_not_say(old: str, new: str) -> None:
    assert observe(RULE, several(old, new)) == []


WRONG = RECIPE.replace("-size: 8", "-size: 4")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("CONFIG_FILE", "EVAL_CONFIG_FILE"),
        ("multinode: true", "multinode: false"),
        ("multinode: true\n", "\n"),
        ("num-worker: 1\n          tp: 8", "num-worker: 1"),
    ],
)
def test_evaluations_and_one_node_are_judged_otherwise(old: str, new: str) -> None:
    assert len(observe(RULE, several("conc-list: [8]", "conc-list: [8, 16]", WRONG))) == 1
    assert observe(RULE, several(old, new, WRONG)) == []


def test_a_reference_that_runs_several_variants_is_not_judged() -> None:
    indented = "".join(f"  {line}" for line in WRONG.splitlines(keepends=True))
    one = f"base:\n{indented}override_a: {{ name: a }}\n"
    assert len(observe(RULE, several("[8]", "[8, 16]", one))) == 1
    assert observe(RULE, several("[8]", "[8, 16]", f"{one}override_b: {{ name: b }}\n")) == []


def test_only_the_touched_uses_of_a_recipe_are_judged() -> None:
    other = MASTER.replace(f"{KEY}:", "toy-fp8-gb300-old:").replace("tp: 8", "tp: 4")
    files = {**FILES, MASTER_PATH: other}
    assert observe(RULE, snapshot(files, {**FILES, MASTER_PATH: other + MASTER})) == []
    assert len(observe(RULE, snapshot({}, files))) == 1


def test_prefill_workers_are_no_aggregated_role_beside_decode_workers() -> None:
    files = {**FILES, SGLANG_PATH: AGGREGATED.replace("size: 2", "size: 16")}
    assert observe(RULE, snapshot({**files, SGLANG_PATH: "x: 1\n"}, files)) == []


def test_prefill_context_parallelism_of_sglang() -> None:
    tall = "          tp: 1\n          pcp-size: 4"
    assert observe(RULE, several("          tp: 4", tall)) == []


@pytest.mark.parametrize(
    ("worker", "right"),
    [
        ("num-worker: 1\n          tp: 8\n          ep: 8\n          dp-attn: true", True),
        ("num-worker: 4\n          tp: 2\n          ep: 8\n          dp-attn: true", True),
        ("num-worker: 1\n          tp: 4\n          ep: 8\n          dp-attn: true", False),
        ("num-worker: 1\n          tp: 8\n          ep: 1\n          dp-attn: true", False),
        ("num-worker: 1\n          tp: 8\n          ep: 8\n          dp-attn: false", False),
    ],
)
@pytest.mark.parametrize("decode", ["num-worker: 0", "x"])
def test_an_aggregated_role_and_the_ranks_of_vllm(worker: str, right: bool, decode: str) -> None:
    old = "num-worker: 2\n          tp: 4\n          ep: 4\n          dp-attn: true"
    master = MASTER.replace("num-worker: 1\n          tp: 8\n", f"{decode}\n").replace(old, worker)
    if decode == "x":
        master = master.replace("        prefill:", "        worker:")
        master, _, _ = master.partition("        decode")
    files = {**FILES, MASTER_PATH: master, SGLANG_PATH: AGGREGATED}
    found = observe(RULE, snapshot({**files, SGLANG_PATH: "x: 1\n"}, files))
    assert (found == []) is right


def test_what_is_not_touched_is_not_judged() -> None:
    files = edited(FILES, SGLANG_PATH, "-size: 8", "-size: 4")
    assert observe(RULE, change(files, MASTER_PATH, "sglang:v0.9.1", "sglang:v0.9.2")) == []


NOVEMBER_PATH = "inferencex-e2e/configs/nvidia-master.yaml"
SINGLE = "toy-fp8-gb300-sglang-agentic"
NAMED = "benchmarks/single_node/srt-slurm-recipes/toy/sglang/gb300-fp8-eagle/agentic.yaml"


def single(*edits: tuple[str, str]) -> Snapshot:
    files = dict(NOVEMBER)
    for old, new in edits:
        path = SINGLE_PATH if old in files[SINGLE_PATH] else NOVEMBER_PATH
        files = edited(files, path, old, new)
    return snapshot({**NOVEMBER, SINGLE_PATH: "x: 1\n", NOVEMBER_PATH: "x: {}\n"}, files)


def test_a_point_that_exactly_one_variant_fits() -> None:
    assert observe(RULE, single()) == []


def test_a_point_that_no_variant_fits() -> None:
    (seen,) = observe(RULE, single(("conc-list: [8]", "conc-list: [8, 16, 32]")))
    assert (seen.path, seen.line) == (NOVEMBER_PATH, 13)
    assert seen.anchor == (SINGLE, NAMED, "none")
    assert str(seen.title) == "No variant of the recipe fits"
    assert str(seen.message) == (
        f"The points of `{SINGLE}` at concurrency `16, 32` run the variant of `{SINGLE_PATH}` that "
        "fits them, and none does; the nearest, `override_tp4_c8`, has `CONC: 8`, but the point "
        "has `conc-list: 16`. The launch fails: let exactly one fit."
    )
    assert [(e.path, e.line, e.text) for e in seen.evidence] == [
        (NOVEMBER_PATH, 13, f"srt-recipe: {NAMED}"),
        (NOVEMBER_PATH, 12, "conc-list: [8, 16, 32]"),
        (SINGLE_PATH, 12, "CONC: 8"),
    ]


TP4 = "{ gpus: 4, args: { tensor-parallel-size: 4, mem: 1 } }"
TP8 = "{ gpus: 8, args: { tensor-parallel-size: 8 } }"


def test_a_point_that_several_variants_fit() -> None:
    nodes = ("      nodes: 1\n", "      nodes: 1\n      workers: 1\n")
    offload = ("CONC: '8'", "CONC: '8', KV_OFFLOADING: none")
    tp4 = (TP8, TP4)
    (seen,) = observe(RULE, single(nodes, offload, tp4))
    assert seen.anchor == (SINGLE, NAMED, "several")
    assert str(seen.title) == "Several variants of the recipe fit"
    assert "and 2 do: `override_tp4_c8`, `override_tp8_c16`. The launch" in str(seen.message)
    # A variant without a concurrency may not be meant, and another image may decide.
    assert observe(RULE, single(nodes, ("CONC: '8'", "X: '8'"), tp4)) == []
    other = f"roles: {{ agg: {TP4} }}\n  model: {{ container: a/b:c }}"
    assert observe(RULE, single(nodes, offload, (f"roles: {{ agg: {TP8} }}", other))) == []


@pytest.mark.parametrize(
    ("old", "new", "seen"),
    [
        ("  framework: sglang", "  framework: vllm", "engine: sglang"),
        ("      - tp: 4\n", "      - tp: 2\n", "tensor-parallel-size: 4`, `gpus: 4"),
        ("      - tp: 4\n", "      - tp: 4\n        ep: 4\n", "expert-parallel-size: 1"),
        ("      - tp: 4\n", "      - tp: 4\n        dp-attn: true\n",
         "data-parallel-size: 1`, `enable-dp-attention: false"),
        ("        spec-decoding: mtp\n        conc-list: [8]\n        srt-recipe: bench",
         "        conc-list: [8]\n        srt-recipe: bench", "speculative-algorithm: EAGLE3"),
        ("        speculative-algorithm: EAGLE3\n", "", "no speculative decoding"),
        ("env: { CONC: '8' }", "env: { CONC: '8', KV_OFFLOADING: dram }", "KV_OFFLOADING: dram"),
        ("type: custom,", "type: custom, command: bash /x/srt_fixed_sequence.sh,",
         "command: bash /x/srt_fixed_sequence.sh"),
        ("gpus: 4, ", "gpus: 2, ", "gpus: 2"),
    ],
)  # fmt: skip
def test_what_a_point_and_its_variant_agree_on(old: str, new: str, seen: str) -> None:
    (found,) = observe(RULE, single((old, new)))
    assert f"has `{seen}`, but the point" in str(found.message)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("CONC: '8'", "X: '8'"),
        ("gpus: 4, ", ""),
        ("engine: { type: sglang }", "engine: sglang"),
        ("spec-decoding: mtp\n        conc-list: [8]",
         "spec-decoding: draft_model\n        conc-list: [8]"),
        ("  roles:\n    agg:", "  roles:\n    other: {}\n    decode:"),
    ],
)  # fmt: skip
def test_what_fits_or_is_not_known(old: str, new: str) -> None:
    assert observe(RULE, single((old, new))) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  framework: sglang\n", "  framework: tilert\n"),
        ("  framework: sglang\n", "  framework: sglang\n  multinode: true\n"),
        ("        srt-recipe: bench", "        eval-srt-recipe: bench"),
    ],
)
def test_what_is_not_bound_to_a_variant(old: str, new: str) -> None:
    wrong = ("conc-list: [8]", "conc-list: [32]")
    assert len(observe(RULE, single(wrong))) == 1
    assert observe(RULE, single(wrong, (old, new))) == []


VLLM = """\
base:
  engine: vllm
  roles: { agg: { nodes: 1, workers: 1, args: { kv-cache-dtype: fp8 } } }
zip_override_tp:
  roles: { agg: { gpus: [8, 4], args: { tensor-parallel-size: [8, 4] } } }
  benchmark: { env: { CONC: ['1', '8'], KV_OFFLOADING: none } }
zip_override_dep8:
  roles:
    agg:
      gpus: 8
      args: { tensor-parallel-size: 1, data-parallel-size: 8, enable-expert-parallel: true }
  benchmark: { env: { CONC: ['64', '96'], KV_OFFLOADING: dram } }
"""


@pytest.mark.parametrize(
    ("space", "right"),
    [
        ("{ tp: 8, conc-list: [1] }", True),
        ("{ tp: 4, conc-list: [8] }", True),
        ("{ tp: 8, conc-list: [8] }", False),
        ("{ tp: 8, ep: 8, dp-attn: true, kv-offloading: dram, conc-list: [64, 96] }", True),
        ("{ tp: 8, ep: 8, kv-offloading: dram, conc-list: [64] }", False),
        ("{ tp: 8, dp-attn: true, kv-offloading: dram, conc-list: [64] }", False),
        ("{ tp: 8, ep: 8, dp-attn: true, kv-offloading: none, conc-list: [64] }", False),
    ],
)
def test_vllm_on_one_node(space: str, right: bool) -> None:
    master = (
        f"{SINGLE}:\n  framework: vllm\n  srt-recipe-dir: toy\n  scenarios:\n    agentic-coding:\n"
        f"    - search-space:\n      - {space[:-1]}, srt-recipe: a.yaml }}\n"
    )
    path = SINGLE_PATH.replace("toy/sglang/gb300-fp8-eagle/agentic", "toy/a")
    files = {**NOVEMBER, NOVEMBER_PATH: master, path: VLLM}
    assert (observe(RULE, snapshot(NOVEMBER, files)) == []) is right
