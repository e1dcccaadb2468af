"""Which config keys run a script, by the launchers' own names for it."""

import pytest

from checks.model import Blob
from checks.parse.hardware import sku_of
from checks.parse.master_config import config_entries
from checks.parse.scripts import Difference, difference, runs_script, script_of
from checks.policy import preset
from tests.kit import DictTree

SINGLE = "benchmarks/single_node/"
MULTI = "benchmarks/multi_node/"


def master(runner: str, framework: str, spec: str = "none", *, nodes: bool = False) -> str:
    return f"""\
toy-key:
  model-prefix: toy
  precision: fp8
  runner: {runner}
  framework: {framework}
  multinode: {str(nodes).lower()}
  scenarios:
    fixed-seq-len:
    - search-space:
      - {{ tp: 4, spec-decoding: {spec}, conc-list: [1] }}
    agentic-coding:
    - search-space:
      - {{ tp: 8, conc-list: [1] }}
"""


def scenarios(config: str, path: str, *others: str) -> list[str]:
    files = dict.fromkeys([path, *others], "x\n") | {"perf-changelog.yaml": ""}
    tree = DictTree({**files, "configs/nvidia-master.yaml": config}, "a" * 40)
    layout = preset("inferencex").layout(tree)
    assert layout is not None
    found = runs_script(config_entries(tree, layout)["toy-key"], path, tree)
    return [space.scenario for space in found]


FIXED, AGENTIC = SINGLE + "fixed_seq_len/", SINGLE + "agentic/"


@pytest.mark.parametrize(
    ("config", "path", "others", "expected"),
    [
        (master("cluster:b200-nb", "vllm"), FIXED + "toy_fp8_b200_vllm.sh", [], True),
        (master("cluster:b200-nb", "vllm"), FIXED + "toy_fp8_b200.sh", [], True),
        (
            master("cluster:b200-nb", "vllm"),
            FIXED + "toy_fp8_b200.sh",
            [FIXED + "toy_fp8_b200_vllm.sh"],
            False,
        ),
        (
            master("h200", "vllm"),
            FIXED + "toy_fp8_h200.sh",
            [FIXED + "toy_fp8_h200_vllm.sh"],
            True,
        ),
        (master("b200", "trt"), FIXED + "toy_fp8_b200_trt.sh", [], True),
        (master("mi355x", "atom", "mtp"), FIXED + "toy_fp8_mi355x_atom_mtp.sh", [], True),
        (master("b200", "vllm", "mtp"), FIXED + "toy_fp8_b200_vllm.sh", [], False),
        (master("b200", "vllm", "draft_model"), FIXED + "toy_fp8_b200_vllm_mtp.sh", [], False),
        (master("h100", "vllm"), FIXED + "toy_fp8_h100.sh", [], True),
        (master("h100", "vllm"), FIXED + "toy_fp8_h100_vllm.sh", [], False),
        (master("b200", "vllm"), FIXED + "toy_fp4_b200_vllm.sh", [], False),
        (master("b200", "vllm"), FIXED + "toy2_fp8_b200_vllm.sh", [], False),
        (master("b200", "vllm"), SINGLE + "other/toy_fp8_b200_vllm.sh", [], False),
        (master("b200", "vllm"), SINGLE + "toy_fp8_b200_vllm.sh", [], True),
        (master("b200", "vllm"), SINGLE + "toy_fp8_b200_vllm.sh", [AGENTIC + "x.sh"], True),
        (master("b200", "vllm"), SINGLE + "toy_fp8_b200_vllm.sh", [FIXED + "x.sh"], False),
        (
            master("mi355x", "sglang-disagg", nodes=True),
            MULTI + "toy_fp8_mi355x_sglang-disagg.sh",
            [],
            True,
        ),
        (master("b200", "tilert", nodes=True), MULTI + "toy_fp8_b200_tilert-disagg.sh", [], True),
    ],
)
def test_names(config: str, path: str, others: list[str], expected: bool) -> None:
    assert scenarios(config, path, *others) == (["fixed-seq-len"] if expected else [])


def test_agentic_scripts_have_a_folder_even_where_others_have_none() -> None:
    config = master("b200", "vllm").replace("fixed-seq-len", "agentic-coding")
    assert scenarios(config, SINGLE + "toy_fp8_b200_vllm.sh") == []


@pytest.mark.parametrize(
    ("paths", "found"),
    [
        ([SINGLE + "toy_fp8_b200.sh"], SINGLE + "toy_fp8_b200.sh"),
        ([SINGLE + "toy_fp8_b200.sh", AGENTIC + "x.sh"], SINGLE + "toy_fp8_b200.sh"),
        ([SINGLE + "toy_fp8_b200.sh", FIXED + "x.sh"], None),
        ([SINGLE + "toy_fp8_b200.sh", FIXED + "toy_fp8_b200.sh"], FIXED + "toy_fp8_b200.sh"),
        ([SINGLE + "toy_fp8_b200_trt.sh"], None),
    ],
)
def test_scripts_of_fixed_lengths_without_a_folder(paths: list[str], found: str | None) -> None:
    files = dict.fromkeys([*paths, "perf-changelog.yaml"], "x\n")
    tree = DictTree({**files, "configs/nvidia-master.yaml": master("b200", "vllm")}, "a" * 40)
    layout = preset("inferencex").layouts["august-2026"]
    entry = config_entries(tree, layout)["toy-key"]
    fixed, agentic = entry.search_spaces
    assert script_of(entry, fixed, tree, layout) == found
    assert script_of(entry, agentic, tree, layout) is None


def test_the_folder_is_the_scenario() -> None:
    config = master("b200", "vllm")
    assert scenarios(config, AGENTIC + "toy_fp8_b200_vllm.sh") == ["agentic-coding"]
    config = master("mi355x", "sglang-disagg", nodes=True)
    path = MULTI + "agentic/toy_fp8_mi355x_sglang-disagg.sh"
    assert scenarios(config, path) == ["agentic-coding"]


def test_an_incomplete_entry_runs_nothing() -> None:
    config = master("b200", "vllm").replace("  precision: fp8\n", "")
    assert scenarios(config, FIXED + "toy_fp8_b200_vllm.sh") == []


def test_hardware() -> None:
    tree = DictTree({"configs/nvidia-master.yaml": master("cluster:gb300-nv", "x")}, "a" * 40)
    layout = preset("inferencex").layouts["august-2026"]
    assert sku_of(config_entries(tree, layout)["toy-key"]) == "gb300"


BEFORE = "#!/bin/bash\nserve --tp 4\nrun_client\n"


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (BEFORE, Difference.NOTHING),
        ("#!/bin/bash\n# more\n\n  serve --tp 4  \nrun_client\n", Difference.NOTHING),
        (BEFORE + "check_env_vars \\\n  TP \\\n  CONC\n", Difference.NOTHING),
        (BEFORE + 'if [ "$EVAL_ONLY" ]; then\nrun_eval\nfi\n', Difference.EVALUATION),
        (BEFORE + "export AIPERF_X=1\n", Difference.CLIENT),
        ("#!/bin/bash\nserve --tp 8\nrun_client\n", Difference.SERVER),
        ("#!/bin/bash\nrun_client\nserve --tp 4\n", Difference.SERVER),
        (BEFORE + "export AIPERF_X=1\nserve\n", Difference.SERVER),
    ],
)
def test_difference(after: str, expected: Difference) -> None:
    assert difference(Blob.of(BEFORE.encode()), Blob.of(after.encode())) is expected
