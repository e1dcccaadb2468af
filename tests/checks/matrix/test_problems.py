"""Every way in which a config key can be wrong is one sentence at its line."""

import pytest

from checks.catalog import translator
from checks.text import render
from tests.checks.matrix.samples import (
    AGENTIC,
    AGENTIC_DISAGGREGATED,
    DISAGGREGATED,
    FIXED,
    august,
    made,
    november,
)

PATH = "configs/nvidia-master.yaml"
EITHER = "14: Concurrencies are either a `conc-list`, or a `conc-start` and an `conc-end`."
CASES = [
    (
        FIXED,
        "runner: toy300",
        "runner: toy301",
        "5: There is no runner `toy301` in `configs/runners.yaml`.",
    ),
    (FIXED, "  model-prefix: toy\n", "", "1: `model-prefix` is missing in the config key."),
    (FIXED, "framework", "framwork", "7: There is no field `framwork`; did you mean `framework`?"),
    (FIXED, "ep: 8", "tokens: 8", "14: There is no field `tokens` in `search-space`; remove it."),
    (FIXED, "tp: 8", "tp: eight", "14: `tp` must be a whole number."),
    (FIXED, "tp: 8", "tp: 0", "14: `tp` must be a number above 0."),
    (FIXED, "tp: 8, ", "", "14: `tp` is missing in `search-space`."),
    (FIXED, "ep: 8", "dcp-size: 3", "14: `dcp-size` does not divide `tp`."),
    (FIXED, "conc-start: 4", "conc-start: 32", "14: `conc-start` is greater than `conc-end`."),
    (FIXED, ", conc-end: 24", "", EITHER),
    (FIXED, "conc-end: 24", "conc-end: 24, conc-list: [1]", EITHER),
    (
        FIXED,
        "mtp",
        "eagle",
        "14: `spec-decoding` must be one of `'mtp', 'draft_model' or 'none'`.",
    ),
    (FIXED, "tp: 8", "tp: 8, num-nodes: 2", "14: `num-nodes` is only for multi-node configs."),
    (
        FIXED,
        "multinode: false",
        "multinode: maybe",
        "8: `multinode` must be true or false.",
    ),
    (
        FIXED,
        "multinode: false",
        "multinode: false\n  disagg: true",
        "9: Only a multi-node config can be disaggregated.",
    ),
    (
        FIXED,
        "multinode: false",
        "multinode: false\n  kv-p2p-transfer: nixl",
        "9: `kv-p2p-transfer` is only for multi-node configs.",
    ),
    (
        FIXED,
        "tp: 8",
        "tp: 8, kv-p2p-transfer: nixl",
        "14: `kv-p2p-transfer` is only for multi-node configs.",
    ),
    (
        FIXED,
        "multinode: false",
        "multinode: false\n  router: { name: a, version: 'image:b' }",
        "9: The `version` of `router` must be its own, not an image.",
    ),
    (
        FIXED,
        "tp: 8",
        "tp: 8, router: { name: a, version: 'image:b' }",
        "14: The `version` of `router` must be its own, not an image.",
    ),
    (
        FIXED,
        "toy-fp8-toy300-sglang:",
        "toy-*-sglang:",
        "1: `toy-*-sglang` holds a wildcard; only changelog entries may.",
    ),
    (FIXED, "fixed-seq-len:", "other:", "10: There is no field `other` in `scenarios`; remove it."),
    (
        DISAGGREGATED,
        "  kv-p2p-transfer: nixl\n",
        "",
        "17: A disaggregated config says its `kv-p2p-transfer`.",
    ),
    (
        DISAGGREGATED,
        "decode: {",
        "decode: { hardware: toy9,",
        "18: `hardware` is named for both roles or for none.",
    ),
    (
        DISAGGREGATED,
        "- conc-list",
        "- router: { name: r, version: x }\n        conc-list",
        "11: `router` is set for the config and for its search space.",
    ),
    (
        DISAGGREGATED,
        "- conc-list",
        "- pp: 2\n        conc-list",
        "17: On several nodes, `pp` belongs to the workers.",
    ),
    (
        DISAGGREGATED,
        "- conc-list",
        "- num-nodes: 2\n        conc-list",
        "17: The roles of a disaggregated entry say its nodes; remove this.",
    ),
    (
        AGENTIC,
        "runner: cluster:toy300-lab",
        "runner: toy300",
        "5: An agentic config runs on one cluster: its runner starts with `cluster:`.",
    ),
    (
        AGENTIC,
        "    - dram-utilization: 0.80\n      search",
        "    - search",
        "14: `kv-offloading: dram` needs `dram-utilization` beside the search space.",
    ),
    (
        AGENTIC,
        "0.80",
        "1.8",
        "11: `dram-utilization` must be a number of at most 1.",
    ),
    (AGENTIC, "{ name: hicache }", "3", "16: `kv-offload-backend` must be a mapping."),
    (
        AGENTIC,
        "        kv-offload-backend: { name: hicache }\n",
        "",
        "15: Offloading needs a `kv-offload-backend`.",
    ),
    (AGENTIC, "kv-offloading: none, ", "", "13: An agentic entry says its `kv-offloading`."),
    (
        AGENTIC,
        "tp: 4\n",
        "tp: 16\n",
        "15: The engine takes 16 GPUs, but a node has 8; make it fit.",
    ),
    (
        AGENTIC_DISAGGREGATED,
        "num-worker: 2, tp: 4",
        "num-worker: 2, tp: 3",
        "16: A worker takes 3 GPUs, which does not divide the 8 of a node.",
    ),
    (
        AGENTIC_DISAGGREGATED,
        "num-worker: 2, tp: 4",
        "num-worker: 2, tp: 12",
        "16: A worker takes 12 GPUs, which is more than the 8 of a node and no multiple of them.",
    ),
]


@pytest.mark.parametrize(("master", "old", "new", "sentence"), CASES)
def test_one_sentence_with_its_line(master: str, old: str, new: str, sentence: str) -> None:
    assert old in master
    found = made(august(master.replace(old, new, 1)))
    assert sentence in [str(each).removeprefix(f"{PATH}:") for each in found.problems]


def test_the_words_of_a_sentence_are_in_chinese_too() -> None:
    chinese = translator("zh")
    found = made(august(FIXED.replace("tp: 8", "tp: eight").replace("  model-prefix: toy\n", "")))
    shown = [render(each.what, chinese) for each in found.problems]
    assert shown == ["该配置键 中缺少 `model-prefix`。", "`tp` 必须是整数。"]


def test_a_wrong_search_space_entry_takes_no_other_with_it() -> None:
    found = made(august(AGENTIC.replace("tp: 4\n", "tp: 16\n")))
    assert [row["conc"] for row in found.rows["toy-fp8-toy300-vllm-agentic-mtp"]] == [1, 4]
    assert [each.fatal for each in found.problems] == [True]


def test_an_unknown_runner_still_gives_rows() -> None:
    found = made(august(FIXED.replace("runner: toy300", "runner: toy301")))
    assert len(found.rows["toy-fp8-toy300-sglang"]) == 4
    assert [each.fatal for each in found.problems] == [False]


def test_the_start_of_a_machines_name_is_a_runner() -> None:
    assert not made(august(FIXED.replace("runner: toy300", "runner: toy300-lab"))).problems


def test_without_a_runners_file_no_runner_is_wrong() -> None:
    files = august(FIXED.replace("runner: toy300", "runner: toy301"))
    del files["configs/runners.yaml"]
    assert not made(files).problems


def test_a_runner_without_memory_is_named() -> None:
    files = august(AGENTIC)
    lines = files["configs/runners.yaml"].splitlines()
    files["configs/runners.yaml"] = "\n".join(x for x in lines if "dram" not in x)
    (problem,) = made(files).problems
    assert str(problem) == (
        f"{PATH}:15: `kv-offloading: dram` needs `available-cpu-dram-mib` of `cluster:toy300-lab`, "
        "which `configs/runners.yaml` does not have."
    )


def test_nodes_of_unknown_size_are_named() -> None:
    files = november(DISAGGREGATED)
    path = "inferencex-e2e/configs/runners.yaml"
    files[path] = files[path].replace("toy300-lab:\n    gpus", "other-lab:\n    gpus")
    (problem,) = made(files).problems
    assert str(problem).partition(": ")[2] == (
        f"`{path}` does not say how many GPUs a node of `cluster:toy300-lab` has; "
        "add `gpus-per-node`."
    )


def test_nodes_of_two_sizes_are_named() -> None:
    files = november(DISAGGREGATED.replace("runner: cluster:toy300-lab", "runner: toy300"))
    path = "inferencex-e2e/configs/runners.yaml"
    files[path] += "  toy300-den: { gpus-per-node: 4 }\n"
    what = "Nodes of `toy300` have 4 or 8 GPUs; name a cluster."
    assert what in [str(each).partition(": ")[2] for each in made(files).problems]


@pytest.mark.parametrize(
    ("recipe", "sentence"),
    [
        ("schema: 1\n", "Its recipe does not declare `schema: 2`."),
        ("schema: 2\n", "Its recipe has no worker `roles`."),
        (
            "schema: 2\nroles: { decode: {} }\n",
            "Role `decode` of its recipe does not say its `nodes`.",
        ),
        ("[", "Its recipe cannot be read: YAML cannot be read here"),
    ],
)
def test_a_recipe_that_does_not_say_its_nodes_is_named(recipe: str, sentence: str) -> None:
    master = DISAGGREGATED.replace(
        "- conc-list", "- srt-recipe: recipes/toy/d.yaml\n        conc-list"
    )
    files = november(master, **{"benchmarks/multi_node/srt-slurm-recipes/toy/d.yaml": recipe})
    (problem,) = made(files).problems
    assert sentence in str(problem)


def test_keys_given_twice_and_unreadable_files_are_named() -> None:
    files = august(FIXED + FIXED, **{"configs/amd-master.yaml": FIXED})
    told = [str(each) for each in made(files).problems]
    assert f"{PATH}:15: `toy-fp8-toy300-sglang` is given twice; keep one." in told
    assert any("is also in `configs/amd-master.yaml`; keep one." in each for each in told)
    (broken,) = made(august("]")).problems
    assert str(broken).startswith(f"{PATH}:1: YAML cannot be read here")


@pytest.mark.parametrize(
    ("runners", "sentence"),
    [
        ("labels: {a: []}\n", ":1: `a` lists no machines by name."),
        (
            "labels: {}\nhardware: {a: {gpus-per-node: -1}}\n",
            ":2: `gpus-per-node` is a whole number above 0.",
        ),
        ("- a\n", ":1: A runners file is a mapping with `labels`."),
        ("]", ":1: YAML cannot be read here"),
    ],
)
def test_a_wrong_runners_file_is_named(runners: str, sentence: str) -> None:
    found = made(august(DISAGGREGATED) | {"configs/runners.yaml": runners})
    assert any(str(each).startswith(f"configs/runners.yaml{sentence}") for each in found.problems)
