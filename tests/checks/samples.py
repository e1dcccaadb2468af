"""A made-up benchmark repository in both layouts, small enough to see every line."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from checks.model import Cleared, Observation, Snapshot
from checks.policy import Curve, Policy, preset
from checks.registry import find_rule
from checks.run import run_checks
from tests.kit import snapshot

POLICY = replace(
    preset("inferencex"),
    curves=(
        Curve(file="toy_prob", prefix="toy", method="dspark", sampling="probabilistic"),
        Curve(file="toy_dspark", prefix="toy", method="dspark"),
        Curve(file="toy_mtp", prefix="toy", method="^(mtp|eagle|nextn)$"),
    ),
)

CHANGELOG = """\
- config-keys:
    - toy-fp4-b300-dynamo-vllm-agentic
  description:
    - "First"
  pr-link: https://github.com/SemiAnalysisAI/InferenceX/pull/1
"""

MASTER = """\
toy-fp4-b300-dynamo-vllm-agentic:
  image: vllm/vllm-openai:v0.99.1
  model: toy-org/Toy-V2
  model-prefix: toy
  runner: cluster:b300-nv
  framework: dynamo-vllm
  scenarios:
    agentic-coding:
    - search-space:
      - spec-decoding: mtp
        conc-list: [1, 2, 4, 8, 16]
        prefill:
          num-worker: 1
          tp: 8
          additional-settings:
          - "CONFIG_FILE=recipes/vllm/toy/agg.yaml"
          - "EVAL_CONFIG_FILE=recipes/vllm/toy/agg-eval.yaml"

toy-fp8-gb300-dynamo-sglang:
  image: lmsysorg/sglang:v0.9.1
  model: toy-org/Toy-V2
  model-prefix: toy
  runner: gb300-nv
  framework: dynamo-sglang
  scenarios:
    agentic-coding:
    - search-space:
      - spec-decoding: mtp
        conc-list: [8]
        prefill:
          additional-settings:
          - "CONFIG_FILE=recipes/sglang/toy/disagg.yaml"
"""

VLLM = """\
name: toy-agg
model: { path: toy, container: vllm/vllm-openai:v0.99.1, precision: fp4 }
backend:
  type: vllm
  vllm_config:
    aggregated:
      kv-cache-dtype: fp8
      # DSpark at three draft tokens.
      speculative-config: '{"method":"dspark","model":"toy-org/Draft","num_speculative_tokens":3,\
"draft_sample_method":"probabilistic","rejection_sample_method":"synthetic",\
"synthetic_acceptance_length":3.00}'
"""

SGLANG = """\
name: toy-disagg
model:
  path: toy
  container: "lmsysorg/sglang:v0.9.1"
backend:
  type: sglang
  prefill_environment:
    SGLANG_SIMULATE_ACC_LEN: '9.99'
  decode_environment:
    SGLANG_SIMULATE_ACC_LEN: '2.40'  # golden
    SGLANG_SIMULATE_ACC_METHOD: match-expected
  sglang_config:
    prefill:
      speculative-algorithm: EAGLE
      speculative-num-steps: 1
    decode:
      tp: 4
      speculative-algo: EAGLE
      speculative-num-steps: 2
      speculative-num-draft-tokens: 3
"""

PROB = """\
# speculative-config: draft_sample_method=probabilistic
toy-v2:
  thinking_on:
    1: 1.85
    2: 2.50
    3: 3.00
"""

MTP = """\
toy-v2:
  thinking_on:
    1: 1.80
    2: 2.40
    3: 2.70
  thinking_off:
    1: 1.80
    2: 2.55
"""

RECIPES = "benchmarks/multi_node/srt-slurm-recipes"
MASTER_PATH = "configs/nvidia-master.yaml"
VLLM_PATH = f"{RECIPES}/vllm/toy/agg.yaml"
EVAL_PATH = f"{RECIPES}/vllm/toy/agg-eval.yaml"
SGLANG_PATH = f"{RECIPES}/sglang/toy/disagg.yaml"
PROB_PATH = "golden_al_distribution/toy_prob.yaml"
MTP_PATH = "golden_al_distribution/toy_mtp.yaml"

AUGUST: Mapping[str, str] = {
    "perf-changelog.yaml": CHANGELOG,
    MASTER_PATH: MASTER,
    VLLM_PATH: VLLM,
    EVAL_PATH: VLLM.replace('"synthetic"', '"block"').replace("name: toy", "name: eval"),
    SGLANG_PATH: SGLANG,
    PROB_PATH: PROB,
    MTP_PATH: MTP,
}

NOVEMBER_MASTER = """\
toy-fp8-gb300-sglang-agentic:
  image: lmsysorg/sglang:v0.9.1
  model: toy-org/Toy-V3-Flash
  model-prefix: toy
  runner: cluster:gb300-nv
  framework: sglang
  scenarios:
    agentic-coding:
    - search-space:
      - tp: 4
        spec-decoding: mtp
        conc-list: [8]
        srt-recipe: benchmarks/single_node/srt-slurm-recipes/toy/sglang/gb300-fp8-eagle/agentic.yaml
toy-fp8-gb300-dynamo-sglang-agentic:
  image: lmsysorg/sglang:v0.9.1
  model: toy-org/Toy-V3-Flash
  model-prefix: toy
  runner: cluster:gb300-nv
  framework: dynamo-sglang
  scenarios:
    agentic-coding:
    - search-space:
      - spec-decoding: mtp
        conc-list: [64]
        srt-recipe: recipes/toy/sglang/gb300-fp8/agentic/disagg.yaml:zip_override_hi[1]
"""

NOVEMBER_SINGLE = """\
base:
  schema: 2
  model: { path: "hf:toy-org/Toy-V3-Flash", container: "lmsysorg/sglang:v0.9.1" }
  engine: { type: sglang }
  roles:
    agg:
      nodes: 1
      args:
        speculative-algorithm: EAGLE3
        speculative-num-steps: 3
        attention-backend: trtllm_mha
  benchmark: { type: custom, env: { CONC: '8' } }
override_tp4_c8:
  roles: { agg: { gpus: 4, args: { tensor-parallel-size: 4 } } }
override_tp8_c16:
  roles: { agg: { gpus: 8, args: { tensor-parallel-size: 8 } } }
"""

NOVEMBER_MULTI = """\
schema: 2
base:
  model: { path: "hf:toy-org/Toy-V3-Flash", container: "lmsysorg/sglang:v0.9.1" }
  engine: { type: sglang }
  roles:
    prefill: { args: { speculative-algorithm: EAGLE3, speculative-num-steps: 3 } }
    decode:
      args:
        speculative-algorithm: EAGLE3
        speculative-num-steps: 3
zip_override_hi:
  roles: { decode: { nodes: [1, 2] } }
"""

ROOT = "inferencex-e2e"
SINGLE_PATH = (
    f"{ROOT}/benchmarks/single_node/srt-slurm-recipes/toy/sglang/gb300-fp8-eagle/agentic.yaml"
)
MULTI_PATH = (
    f"{ROOT}/benchmarks/multi_node/srt-slurm-recipes/toy/sglang/gb300-fp8/agentic/disagg.yaml"
)
NOVEMBER: Mapping[str, str] = {
    f"{ROOT}/perf-changelog.yaml": CHANGELOG,
    f"{ROOT}/configs/nvidia-master.yaml": NOVEMBER_MASTER,
    SINGLE_PATH: NOVEMBER_SINGLE,
    MULTI_PATH: NOVEMBER_MULTI,
    f"{ROOT}/infx/golden_al_distribution/toy_mtp.yaml": MTP,
}


def edited(files: Mapping[str, str], path: str, old: str, new: str) -> dict[str, str]:
    """Return the files with a text replaced that must be there."""
    assert old in files[path], f"{old!r} is not in {path}"
    return {**files, path: files[path].replace(old, new)}


def change(files: Mapping[str, str], path: str, old: str, new: str) -> Snapshot:
    """Return a pull request that replaces a text in one file."""
    return snapshot(files, edited(files, path, old, new))


def observe(name: str, pull: Snapshot, policy: Policy = POLICY) -> list[Observation]:
    """Return what one rule finds, in its order."""
    return [seen for seen in _seen(name, pull, policy) if isinstance(seen, Observation)]


def cleared(name: str, pull: Snapshot, policy: Policy = POLICY) -> list[Cleared]:
    """Return what one rule rules out."""
    return [seen for seen in _seen(name, pull, policy) if isinstance(seen, Cleared)]


def _seen(name: str, pull: Snapshot, policy: Policy) -> Iterable[Observation | Cleared]:
    rule = find_rule(name)
    assert rule is not None
    return rule.check(pull, policy)


def fixed(name: str, pull: Snapshot, policy: Policy = POLICY) -> list[str]:
    """Return the suggestions of a rule that are proven to help, applied to their lines."""
    rule = find_rule(name)
    assert rule is not None
    report = run_checks(pull, policy, [rule])
    assert not report.errors
    return [f.suggestion.replacement for f in report.findings if f.suggestion]
