"""A made-up repository whose matrix can be generated, with a page about its models."""

from dataclasses import replace
from datetime import date

from checks.model import Snapshot
from tests.kit import snapshot

MASTER_PATH = "configs/nvidia-master.yaml"
RUNNERS_PATH = "configs/runners.yaml"
MODELS_PATH = "MODELS.md"
CHANGELOG_PATH = "perf-changelog.yaml"
KEY = "toy-fp8-b300-sglang"

MASTER = """\
toy-fp8-b300-sglang:
  image: lmsysorg/sglang:v0.9.1
  model: toy-org/Toy-V2
  model-prefix: toy
  runner: cluster:b300-nv
  precision: fp8
  framework: sglang
  multinode: false
  scenarios:
    fixed-seq-len:
    - isl: 8192
      osl: 1024
      search-space:
      - { tp: 4, conc-list: [4, 8] }
      - { tp: 8, conc-start: 1, conc-end: 4 }
"""

VENDOR = """\
toy-fp8-b300-trt:
  image: nvcr.io/nvidia/tensorrt-llm/release:2.0.0
  model: toy-org/Toy-V2
  model-prefix: toy
  runner: b300
  precision: fp8
  framework: trt
  multinode: false
  scenarios:
    fixed-seq-len:
    - isl: 8192
      osl: 1024
      search-space:
      - { tp: 8, conc-list: [4] }
"""

RUNNERS = """\
labels:
  b300: [b300-nv_0]
  cluster:b300-nv: [b300-nv_0]
  h200: [h200-nv_0]
hardware:
  cluster:b300-nv: { available-cpu-dram-mib: 2_000_000, gpus-per-node: 8 }
"""

GONE = "(removed 2026-08-04, [#2](https://x.test/2))"
MODELS = f"""\
# Models

| Scenario | ISL/OSL | Status |
|---|---|---|
| Agentic coding | Long | Active. |
| Single-turn 8k1k | 8192 / 1024 | Active. |
| Single-turn 1k1k | 1024 / 1024 | **Deprecated for all models** since 2026-07-17 ([#1](/1)). |
| Single-turn 1k8k | 1024 / 8192 | **Deprecated for all models** after 2026-12-31. |

| Class | Prefix | Date added | Active scenarios | Deprecated scenarios |
|---|---|---|---|---|
| Toy-V2 | `toy` | 2026 | Single-turn 8k1k (primary), Agentic coding | all bf16 recipes {GONE} |
| Oak-V1.5/1.6 | `oak1.5` | 2026 | None (retired 2026-08-07) | Single-turn 8k1k |
| Elm | `elm` | 2026 | Agentic coding | Single-turn 8k1k {GONE}, Agentic coding non-MTP arm |
| Fir | `fir` | 2026 | Agentic coding | Single-turn 8k1k (last day 2026-12-31) |
| Yew | `yew` | 2026 | None (after 2026-12-31) | |
| Ivy | `ivy` | 2026 | Single-turn 8k1k (until 2026-12-31), Agentic coding | |
| Box | `box` | 2026 | Single-turn 8k1k (last day December 31, 2026, see [x](/x)) | Long ago |
| Bay | `bay` | 2026 | Single-turn 8k1k — fully retired after 2026-12-31 | |
| Fig | `fig` | 2026 | Agentic coding (may be disabled for better Pareto points) | \
Standalone non-MTP A/B baseline (not required from day 0) |
| Gum | `gum` | 2026 | — (retired 2026-07-18, [#1](/1)) | Single-turn 8k1k |
| Nut | `nut` | 2026 | Single-turn 8k1k (will end after 2026-12-31, pending) | |
"""

CHANGELOG = """\
- config-keys:
    - toy-fp8-b300-sglang
  description:
    - "First"
  pr-link: https://github.com/SemiAnalysisAI/InferenceX/pull/1
"""

FILES = {
    CHANGELOG_PATH: CHANGELOG,
    MASTER_PATH: MASTER,
    RUNNERS_PATH: RUNNERS,
    MODELS_PATH: MODELS,
}


def with_master(*parts: str, day: date | None = None) -> Snapshot:
    """Return a pull request that leaves these parts in the master config, on a day."""
    return replace(snapshot(FILES, {**FILES, MASTER_PATH: "".join(parts)}), day=day)


def renamed(entry: str, **fields: str) -> str:
    """Return a config entry with other fields; ``key`` is the config key."""
    lines = entry.splitlines(keepends=True)
    lines[0] = fields.pop("key", entry.partition(":")[0]) + ":\n"
    for name, value in fields.items():
        start = f"  {name.replace('_', '-')}: "
        row = next(n for n, line in enumerate(lines) if line.startswith(start))
        lines[row] = f"{start}{value}\n"
    return "".join(lines)
