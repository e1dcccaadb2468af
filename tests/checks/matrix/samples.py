"""Made-up masters and runners of both generations, and what is made of them."""

from collections.abc import Mapping
from typing import Any

from checks.matrix.matrix import Matrix, matrix
from checks.policy import preset
from tests.kit import DictTree

POLICY = preset("inferencex")
CHANGELOG = """\
- config-keys:
    - old
  description:
    - "First"
  pr-link: https://github.com/SemiAnalysisAI/InferenceX/pull/1
"""
RUNNERS = """\
labels:
  toy300:
    - toy300-lab_0
  cluster:toy300-lab:
    - toy300-lab_0
    - toy300-lab_1
hardware:
  cluster:toy300-lab:
    available-cpu-dram-mib: 2_000_000
    gpus-per-node: 8
"""
CLUSTERS = """\
labels:
  cluster:toy300-lab:
    - toy300-lab_0
clusters:
  toy300-lab:
    gpus-per-node: 8
    available-cpu-dram-mib: 2_000_000
    arch: x86_64
"""
FIXED = """\
toy-fp8-toy300-sglang:
  image: lab/sglang:v1
  model: toy/Toy-FP8
  model-prefix: toy
  runner: toy300
  precision: fp8
  framework: sglang
  multinode: false
  scenarios:
    fixed-seq-len:
    - isl: 8192
      osl: 1024
      search-space:
      - { tp: 8, ep: 8, dp-attn: true, spec-decoding: mtp, conc-start: 4, conc-end: 24 }
"""
DISAGGREGATED = """\
toy-fp4-toy300-dynamo-vllm:
  image: lab/vllm:v1
  model: toy/Toy-FP4
  model-prefix: toy
  runner: cluster:toy300-lab
  precision: fp4
  framework: dynamo-vllm
  multinode: true
  disagg: true
  kv-p2p-transfer: nixl
  router: { name: lab-router, version: "1.2" }
  scenarios:
    fixed-seq-len:
    - isl: 1024
      osl: 1024
      search-space:
      - conc-list: [8, 64]
        prefill: { num-worker: 2, tp: 4, ep: 4, dp-attn: true, additional-settings: [A=1] }
        decode: { num-worker: 1, tp: 16, ep: 1, dp-attn: false }
"""
AGENTIC = """\
toy-fp8-toy300-vllm-agentic-mtp:
  image: lab/vllm:v1
  model: toy/Toy-FP8
  model-prefix: toy
  runner: cluster:toy300-lab
  precision: fp8
  framework: vllm
  multinode: false
  scenarios:
    agentic-coding:
    - dram-utilization: 0.80
      search-space:
      - { tp: 4, spec-decoding: mtp, kv-offloading: none, conc-list: [1, 4] }
      - tp: 4
        kv-offloading: dram
        kv-offload-backend: { name: hicache }
        conc-list: [32]
"""
AGENTIC_DISAGGREGATED = """\
toy-fp4-toy300-dynamo-vllm-agentic:
  image: lab/vllm:v1
  model: toy/Toy-FP4
  model-prefix: toy
  runner: cluster:toy300-lab
  precision: fp4
  framework: dynamo-vllm
  multinode: true
  disagg: true
  kv-p2p-transfer: nixl
  scenarios:
    agentic-coding:
    - dram-utilization: 0.5
      search-space:
      - spec-decoding: mtp
        kv-offloading: dram
        kv-offload-backend: { name: lmcache, version: "0.4" }
        conc-list: [8, 32]
        prefill: { num-worker: 2, tp: 4, ep: 4, dp-attn: true }
        decode: { num-worker: 1, tp: 8, ep: 1, dp-attn: false }
"""


def august(master: str, **more: str) -> dict[str, str]:
    """Return the files of a repository in the layout of August 2026."""
    return {
        "perf-changelog.yaml": CHANGELOG,
        "configs/nvidia-master.yaml": master,
        "configs/runners.yaml": RUNNERS,
        **more,
    }


def november(master: str, **more: str) -> dict[str, str]:
    """Return the files of a repository in the layout of November 2026."""
    files = {
        "perf-changelog.yaml": CHANGELOG,
        "configs/nvidia-master.yaml": master,
        "configs/runners.yaml": CLUSTERS,
        **more,
    }
    return {f"inferencex-e2e/{path}": content for path, content in files.items()}


def made(files: Mapping[str, str | bytes]) -> Matrix:
    """Return the matrix of some files."""
    tree = DictTree(files, "a" * 40)
    layout = POLICY.layout(tree)
    assert layout is not None
    return matrix(tree, layout)


def rows(files: Mapping[str, str | bytes], evals: Any = "none") -> list[dict[str, Any]]:
    """Return the jobs of some files, which are right."""
    found = made(files)
    assert [str(each) for each in found.problems] == []
    return [dict(row) for row in found.jobs(found.rows, evals)]
