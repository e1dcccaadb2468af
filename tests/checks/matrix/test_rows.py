"""Master entries become rows, field by field, in both generations and in earlier ones."""

from typing import Any

import pytest

from tests.checks.matrix.samples import (
    AGENTIC,
    AGENTIC_DISAGGREGATED,
    DISAGGREGATED,
    FIXED,
    august,
    november,
    rows,
)

TOY = {"model": "toy/Toy-FP8", "model-prefix": "toy", "precision": "fp8"}
TOY4 = {"model": "toy/Toy-FP4", "model-prefix": "toy", "precision": "fp4"}
ONES = {"pp": 1, "dcp-size": 1, "pcp-size": 1}
PREFILL = {"num-worker": 2, "tp": 4, "ep": 4, "dp-attn": True, **ONES}
DECODE = {"num-worker": 1, "tp": 8, "ep": 1, "dp-attn": False, **ONES}
GENERATOR = "utils/matrix_logic/generate_sweep_configs.py"


@pytest.mark.parametrize("layout", [august, november])
def test_one_job_for_each_concurrency_of_a_single_node(layout: Any) -> None:
    master = FIXED if layout is august else FIXED.replace("toy300\n", "cluster:toy300-lab\n")
    found = rows(layout(master))
    assert [row["conc"] for row in found] == [4, 8, 16, 24]
    assert found[0] == {
        "image": "lab/sglang:v1",
        **TOY,
        "framework": "sglang",
        "runner": "toy300" if layout is august else "cluster:toy300-lab",
        "isl": 8192,
        "osl": 1024,
        "tp": 8,
        **ONES,
        "ep": 8,
        "dp-attn": True,
        "spec-decoding": "mtp",
        "conc": 4,
        "max-model-len": 9472,
        "exp-name": "toy_8k1k",
        "disagg": False,
        "run-eval": False,
    }


def test_one_job_for_all_concurrencies_of_several_nodes() -> None:
    (row,) = rows(august(DISAGGREGATED))
    assert row == {
        "image": "lab/vllm:v1",
        **TOY4,
        "framework": "dynamo-vllm",
        "runner": "cluster:toy300-lab",
        "isl": 1024,
        "osl": 1024,
        "spec-decoding": "none",
        "prefill": PREFILL | {"additional-settings": ["A=1"]},
        "decode": DECODE | {"tp": 16},
        "conc": [8, 64],
        "max-model-len": 2304,
        "exp-name": "toy_1k1k",
        "disagg": True,
        "run-eval": False,
        "router": {"name": "lab-router", "version": "1.2"},
        "kv-p2p-transfer": "nixl",
    }


def test_agentic_jobs_know_their_share_of_the_memory() -> None:
    first, second, third = rows(august(AGENTIC))
    assert first == {
        "image": "lab/vllm:v1",
        **TOY,
        "framework": "vllm",
        "runner": "cluster:toy300-lab",
        "tp": 4,
        **ONES,
        "ep": 1,
        "dp-attn": False,
        "spec-decoding": "mtp",
        "conc": 1,
        "kv-offloading": "none",
        "total-cpu-dram-gb": 0,
        "duration": 3600,
        "exp-name": "toy_tp4_conc1_kvnone_spec-mtp",
        "scenario-type": "agentic-coding",
    }
    assert second["exp-name"] == "toy_tp4_conc4_kvnone_spec-mtp"
    # 2,000,000 MiB, 80 % of it, for 4 of 8 GPUs.
    assert third["total-cpu-dram-gb"] == 838
    assert third["kv-offload-backend"] == {"name": "hicache"}
    assert third["exp-name"] == "toy_tp4_conc32_kvdram-hicache"


def test_an_agentic_job_of_several_nodes_has_one_concurrency() -> None:
    first, second = rows(august(AGENTIC_DISAGGREGATED))
    assert first == {
        "image": "lab/vllm:v1",
        **TOY4,
        "framework": "dynamo-vllm",
        "runner": "cluster:toy300-lab",
        "spec-decoding": "mtp",
        "prefill": PREFILL,
        "decode": DECODE,
        "conc": [8],
        "kv-offloading": "dram",
        "kv-offload-backend": {"name": "lmcache", "version": "0.4"},
        "total-cpu-dram-gb": 524,
        "duration": 3600,
        "exp-name": "toy_p2x4ep4dpa_d1x8_conc8_kvdram-lmcache",
        "disagg": True,
        "scenario-type": "agentic-coding",
        "kv-p2p-transfer": "nixl",
    }
    assert (second["conc"], second["exp-name"][-23:]) == ([32], "d1x8_conc32_kvdram-lmcache"[-23:])


def test_memory_is_capped_at_three_terabytes() -> None:
    files = august(AGENTIC)
    files["configs/runners.yaml"] = files["configs/runners.yaml"].replace("2_000_000", "9_000_000")
    assert rows(files)[-1]["total-cpu-dram-gb"] == 1199


def test_since_autumn_a_job_says_how_many_nodes_it_takes() -> None:
    (row,) = rows(november(DISAGGREGATED))
    assert row["node-count"] == 1 + 2
    stated = DISAGGREGATED.replace("[A=1]", "[PREFILL_NODES=2]")
    assert rows(november(stated))[0]["node-count"] == 2 + 2


def test_since_autumn_an_aggregate_is_one_worker_of_so_many_nodes() -> None:
    master = DISAGGREGATED.replace("  disagg: true\n  kv-p2p-transfer: nixl\n", "")
    lines = [line for line in master.splitlines() if not line.lstrip().startswith("decode")]
    worker = "        worker: { tp: 16, ep: 1, dp-attn: false, additional-settings: [A=1] }"
    lines[-1:] = [worker, "        num-nodes: 2"]
    (row,) = rows(november("\n".join(lines) + "\n"))
    worker_row = {"num-worker": 1, "tp": 16, "ep": 1, "dp-attn": False, **ONES}
    assert row["prefill"] == worker_row | {"additional-settings": ["A=1"]}
    assert row["decode"] == worker_row | {"num-worker": 0}
    assert (row["node-count"], row["disagg"]) == (2, False)


RECIPE = """\
schema: 2
roles:
  prefill: { nodes: 3, workers: 3 }
  decode: { nodes: %s, workers: 1 }
infra: { etcd_nats_dedicated_node: true }
services: [{ type: cache, nodes: 2 }]
"""


@pytest.mark.parametrize(("decode", "count"), [("4", 3 + 4 + 3), ("colocate", 3 + 3)])
def test_a_recipe_decides_how_many_nodes_there_are(decode: str, count: int) -> None:
    path = "benchmarks/multi_node/srt-slurm-recipes/toy/disagg.yaml"
    master = DISAGGREGATED.replace(
        "- conc-list", "- srt-recipe: recipes/toy/disagg.yaml\n        conc-list"
    )
    (row,) = rows(november(master, **{path: RECIPE % decode}))
    assert (row["node-count"], row["srt-recipe"]) == (count, "recipes/toy/disagg.yaml")
    external = rows(november(master))
    assert external[0]["node-count"] == 3


def test_a_recipe_variant_decides_how_many_nodes_there_are() -> None:
    path = "benchmarks/multi_node/srt-slurm-recipes/toy/all.yaml"
    recipe = (
        "schema: 2\nbase:\n  roles: { prefill: { nodes: 1 }, decode: { nodes: 1 } }\n"
        "override_big:\n  roles: { decode: { nodes: 6 } }\n"
    )
    master = DISAGGREGATED.replace("  scenarios", "  srt-recipe-dir: toy\n  scenarios").replace(
        "- conc-list", "- srt-recipe: all.yaml:override_big\n        conc-list"
    )
    (row,) = rows(november(master, **{path: recipe}))
    assert (row["node-count"], row["srt-recipe"]) == (7, f"{path}:override_big")


def test_power_and_recipes_of_an_evaluation_are_part_of_the_row() -> None:
    master = DISAGGREGATED.replace("isl: 1024\n", "isl: 8192\n      require-power: true\n").replace(
        "- conc-list",
        "- eval-srt-recipe: recipes/toy/e.yaml\n        power: true\n        conc-list",
    )
    (row,) = rows(november(master))
    names = ("require-power", "power", "eval-srt-recipe")
    assert [row[name] for name in names] == [True, True, "recipes/toy/e.yaml"]
    (evaluation,) = rows(november(master), "only")
    assert "require-power" not in evaluation


EARLY = AGENTIC.replace("    - dram-utilization: 0.80\n      search", "    - search").replace(
    "kv-offloading: none", "offloading: cpu"
)


def test_the_generator_of_may_knows_no_context_parallelism_and_no_memory() -> None:
    early = "\n".join(EARLY.splitlines()[:-4])
    found = rows(august(early, **{GENERATOR: "Fields.TP.value"}))
    assert found[0] == {
        "image": "lab/vllm:v1",
        **TOY,
        "framework": "vllm",
        "runner": "cluster:toy300-lab",
        "tp": 4,
        "ep": 1,
        "dp-attn": False,
        "conc": 1,
        "offloading": "cpu",
        "duration": 1800,
        "exp-name": "toy_tp4_conc1_offloadcpu",
        "scenario-type": "agentic-coding",
    }


def test_the_generator_of_july_puts_four_agentic_concurrencies_into_a_job() -> None:
    source = "KV_OFFLOADING MAX_CONCURRENCIES_PER_ALLOCATION = 4\nDCP_SIZE Fields.PP"
    master = AGENTIC_DISAGGREGATED.replace("[8, 32]", "[1, 2, 4, 8, 16]")
    first, second = rows(august(master, **{GENERATOR: source}))
    assert (first["conc"], second["conc"]) == ([1, 2, 4, 8], [16])
    assert first["exp-name"] == "toy_p2x4_d1x8_conc1x2x4x8_kvdram-lmcache"
    assert "total-cpu-dram-gb" not in first
    assert "pp" not in first["prefill"]


@pytest.mark.parametrize("count", ["1", "~", "0"])
def test_an_aggregate_that_says_no_number_of_workers_is_one(count: str) -> None:
    worker = f"worker: {{ num-worker: {count}, tp: 16, ep: 1, dp-attn: false }}"
    lines = [x for x in DISAGGREGATED.splitlines() if "decode:" not in x and "prefill:" not in x]
    master = "\n".join([*lines, f"        {worker}\n"])
    master = master.replace("  disagg: true\n  kv-p2p-transfer: nixl\n", "")
    (row,) = rows(november(master))
    assert row["prefill"]["num-worker"] == int(count != "0")
    assert row["node-count"] == 2 * int(count != "0")


def test_more_workers_than_a_float_can_count_need_as_many_nodes() -> None:
    many = 10**380
    (row,) = rows(november(DISAGGREGATED.replace("num-worker: 2", f"num-worker: {many}")))
    assert row["node-count"] == many // 2 + 2


def test_offloading_that_is_null_is_none() -> None:
    old = '        kv-offload-backend: { name: lmcache, version: "0.4" }\n'
    master = AGENTIC_DISAGGREGATED.replace(old, "")
    found = rows(november(master.replace("kv-offloading: dram", "kv-offloading: ~")))
    assert [row["kv-offloading"] for row in found] == ["none"] * len(found) != []
