"""A small made-up benchmark repository, and what the changelog rules say of a change of it."""

from collections.abc import Mapping
from dataclasses import replace

from checks.model import Finding, Report, Snapshot
from checks.policy import preset
from checks.registry import all_rules
from checks.run import replaced, run_checks
from tests.kit import snapshot

PATH = "perf-changelog.yaml"
NVIDIA = "configs/nvidia-master.yaml"
AMD = "configs/amd-master.yaml"
RECIPE = "benchmarks/multi_node/srt-slurm-recipes/sglang/toy/agg.yaml"
EVAL_RECIPE = "benchmarks/multi_node/srt-slurm-recipes/sglang/toy/agg-eval.yaml"
ORPHAN = "benchmarks/multi_node/srt-slurm-recipes/sglang/toy/unused.yaml"
SCRIPT = "benchmarks/single_node/fixed_seq_len/toy_fp8_b300_sglang.sh"
LINK = "https://github.com/SemiAnalysisAI/InferenceX/pull/"
POLICY = preset("inferencex")
RULES = [rule for rule in all_rules() if rule.topic == "changelog"]


def entry(
    *keys: str, link: str = LINK + "7", what: str = "Tune it", scenario: str | None = None
) -> str:
    lines = ["- config-keys:", *(f"    - {key}" for key in keys)]
    if scenario:
        lines += ["  scenario-type:", f"    - {scenario}"]
    return "\n".join([*lines, "  description:", f'    - "{what}"', f"  pr-link: {link}", ""])


OLD = "\n".join(
    [
        entry("toy-fp8-b300-sglang", link=LINK + "1", what="First"),
        entry("retired-key", link="XXX", what="Second"),
        entry("toy-fp8-b300-sglang-mtp", link=LINK + "3", what="Third"),
    ]
)
GOOD = entry("toy-fp8-b300-sglang")

MASTER = """\
# NVIDIA
toy-fp8-b300-sglang:
  image: lmsysorg/sglang:v0.9.1
  model: toy-org/Toy-FP8
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
      - { tp: 4, conc-start: 4, conc-end: 16 }
      - { tp: 8, conc-list: [1, 2] }
    agentic-coding:
    - search-space:
      - { tp: 8, kv-offloading: none, conc-list: [1, 4] }
toy-fp8-b300-sglang-mtp:
  image: lmsysorg/sglang:v0.9.1
  model: toy-org/Toy-FP8
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
      - { tp: 4, spec-decoding: mtp, conc-list: [4, 8] }
toy-fp4-gb300-dynamo-sglang:
  image: lmsysorg/sglang:v0.9.1
  model: toy-org/Toy-FP4
  model-prefix: toy
  runner: cluster:gb300-nv
  precision: fp4
  framework: dynamo-sglang
  router: { name: toy-router, version: "1.0" }
  multinode: true
  scenarios:
    agentic-coding:
    - search-space:
      - conc-list: [8]
        prefill:
          num-worker: 1
          tp: 4
          additional-settings:
          - "CONFIG_FILE=recipes/sglang/toy/agg.yaml"
          - "EVAL_CONFIG_FILE=recipes/sglang/toy/agg-eval.yaml"
"""

BASE: dict[str, str] = {
    PATH: OLD,
    NVIDIA: MASTER,
    AMD: "# AMD: nothing yet\n",
    RECIPE: "# one\nname: agg\nbackend:\n  type: sglang\nbenchmark:\n  type: custom\n",
    EVAL_RECIPE: "name: agg-eval\nbackend:\n  type: sglang\n",
    ORPHAN: "name: unused\nbackend:\n  type: sglang\n",
    SCRIPT: "#!/bin/bash\n# Serve.\nserve --tp $TP\nrun_client\n",
}


def change(
    files: Mapping[str, str | bytes | None],
    base: Mapping[str, str | bytes] | None = None,
    number: int | None = 7,
) -> Snapshot:
    """Return the pull request that replaces some files of the base; None deletes one."""
    before: dict[str, str | bytes] = {**BASE, **(base or {})}
    after = {path: content for path, content in {**before, **files}.items() if content is not None}
    return snapshot(before, after, number)


def judge(
    files: Mapping[str, str | bytes | None] | str | bytes,
    base: Mapping[str, str | bytes] | None = None,
    number: int | None = 7,
) -> Report:
    """Judge a change; a bare text is the changelog at head."""
    given = {PATH: files} if isinstance(files, str | bytes) else files
    report = run_checks(change(given, base, number), POLICY, RULES)
    assert not report.errors
    return report


def said(report: Report) -> list[str]:
    """Return each finding as one line."""
    return [
        f"{each.rule.removeprefix('changelog/')} {each.severity} "
        f"{each.path.rpartition('/')[2]}:{each.line} {each.message}"
        for each in report.findings
    ]


def fixed(files: str | bytes | Mapping[str, str | bytes | None], finding: Finding) -> bytes:
    """Return the changelog after applying a finding's suggestion."""
    given = {PATH: files} if isinstance(files, str | bytes) else files
    blob = change(given).head.blob(finding.path)
    assert blob is not None
    assert finding.suggestion is not None
    result = replaced(blob, replace(finding.suggestion))
    assert result is not None
    return result.data
