"""A made-up repository in the layout of autumn 2026: variants, zipped families, anchors, flow."""

from tests.checks.samples import CHANGELOG, MTP, PROB, ROOT

SINGLE = f"{ROOT}/benchmarks/single_node/srt-slurm-recipes/toy"
MULTI = f"{ROOT}/benchmarks/multi_node/srt-slurm-recipes/toy"

MASTER = """\
toy-fp8-b300-sglang-agentic-mtp:
  image: lmsysorg/sglang:v0.9.1
  model: toy-org/Toy-V3-Flash
  model-prefix: toy
  runner: cluster:b300-nv
  precision: fp8
  framework: sglang
  multinode: false
  scenarios:
    agentic-coding:
    - search-space:
      - tp: 4
        spec-decoding: mtp
        kv-offloading: none
        conc-list: [8]
        srt-recipe: benchmarks/single_node/srt-slurm-recipes/toy/sglang/b300-fp8-mtp/agentic.yaml:override_tp4_c8
      - tp: 8
        spec-decoding: mtp
        kv-offloading: none
        conc-list: [16]
        srt-recipe: "benchmarks/single_node/srt-slurm-recipes/toy/sglang/b300-fp8-mtp/agentic.yaml:override_tp8_c16"
toy-fp8-h200-vllm-agentic-mtp:
  image: vllm/vllm-openai:v0.99.1
  model: toy-org/Toy-V3-Flash
  model-prefix: toy
  runner: cluster:h200-nv
  precision: fp8
  framework: vllm
  multinode: false
  scenarios:
    agentic-coding:
    - search-space:
      - { tp: 8, spec-decoding: mtp, kv-offloading: none, conc-list: [4], srt-recipe: benchmarks/single_node/srt-slurm-recipes/toy/vllm/h200-fp8-mtp/agentic.yaml }
toy-fp8-gb300-dynamo-sglang-agentic-mtp:
  image: lmsysorg/sglang:v0.9.1
  model: toy-org/Toy-V3-Flash
  model-prefix: toy
  runner: cluster:gb300-nv
  precision: fp8
  framework: dynamo-sglang
  multinode: true
  scenarios:
    agentic-coding:
    - search-space:
      - spec-decoding: mtp
        conc-list: [64]
        srt-recipe: recipes/toy/sglang/gb300-fp8/agentic/disagg.yaml:zip_override_hi[0]
        prefill: { num-worker: 1, tp: 4, ep: 1, dp-attn: false }
        decode: { num-worker: 1, tp: 4, ep: 1, dp-attn: false }
      - spec-decoding: mtp
        conc-list: [128]
        srt-recipe: recipes/toy/sglang/gb300-fp8/agentic/disagg.yaml:zip_override_hi[1]
        prefill: { num-worker: 2, tp: 4, ep: 1, dp-attn: false }
        decode: { num-worker: 1, tp: 4, ep: 1, dp-attn: false }
toy-fp8-gb300-dynamo-trt-agentic-mtp:
  image: nvcr.io/nvidia/tensorrt-llm/release:2.0.0
  model: toy-org/Toy-V3-Flash
  model-prefix: toy
  runner: cluster:gb300-nv
  precision: fp8
  framework: dynamo-trt
  multinode: true
  scenarios:
    agentic-coding:
    - search-space:
      - spec-decoding: mtp
        conc-list: [8]
        srt-recipe: recipes/toy/trtllm/gb300-fp8/agentic/disagg.yaml
        prefill: { num-worker: 1, tp: 4, ep: 1, dp-attn: false }
        decode: { num-worker: 1, tp: 4, ep: 1, dp-attn: false }
"""  # noqa: E501

SGLANG = """\
base:
  schema: 2
  model: { path: "hf:toy-org/Toy-V3-Flash", container: "lmsysorg/sglang:v0.9.1" }
  engine: { type: sglang }
  roles:
    agg:
      nodes: 1
      env: { SGLANG_SIMULATE_ACC_LEN: '2.40', SGLANG_SIMULATE_ACC_METHOD: match-expected }
      args:
        speculative-algorithm: EAGLE
        speculative-num-steps: 2
        speculative-eagle-topk: 1
        speculative-num-draft-tokens: 3
  benchmark: { type: custom, env: { CONC: '8' } }
override_tp4_c8:
  roles: { agg: { gpus: 4, args: { tensor-parallel-size: 4 } } }
override_tp8_c16:
  benchmark:
    env: { CONC: '16' }
  roles:
    agg:
      gpus: 8
      env:
        SGLANG_SIMULATE_ACC_LEN: "2.70"
      args:
        tensor-parallel-size: 8
        speculative-num-steps: 3
        speculative-num-draft-tokens: 4
"""

VLLM = """\
shared: &shared
  speculative-config: '{"method":"mtp","num_speculative_tokens":2,\
"rejection_sample_method":"synthetic","synthetic_acceptance_length":2.40}'
base:
  schema: 2
  model:
    path: hf:toy-org/Toy-V3-Flash
    container: vllm/vllm-openai:v0.99.1
  engine:
    type: vllm
  roles:
    agg:
      nodes: 1
      gpus: 8
      args:
        <<: *shared
        tensor-parallel-size: 8
  benchmark: { type: custom, env: { CONC: '4' } }
"""

ZIPPED = """\
schema: 2
base:
  model: { path: "hf:toy-org/Toy-V3-Flash", container: "lmsysorg/sglang:v0.9.1" }
  engine: { type: sglang }
  roles:
    prefill:
      args: { speculative-algorithm: EAGLE, speculative-num-steps: 2 }
    decode: &decode
      env:
        SGLANG_SIMULATE_ACC_METHOD: match-expected
      args:
        speculative-algorithm: EAGLE
        speculative-eagle-topk: 1
zip_override_hi:
  roles:
    decode:
      nodes: [1, 2]
      env:
        SGLANG_SIMULATE_ACC_LEN:
        - '2.40'
        - '2.70'
      args:
        speculative-num-steps: [2, 3]
        speculative-num-draft-tokens:
        - 3
        - 4
"""

TRTLLM = """\
schema: 2
model:
  path: hf:toy-org/Toy-V3-Flash
  container: "nvcr.io/nvidia/tensorrt-llm/release:2.0.0"
engine:
  type: trtllm
roles:
  prefill:
    nodes: 1
    args: { max_batch_size: 8 }
  decode:
    nodes: 1
    env:
      TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS: "1.40"
    args:
      publish_events_and_metrics: true
      speculative_config:
        decoding_type: MTP
        max_draft_len: 2
"""

RUNNERS = """\
labels:
  cluster:b300-nv: [b300-nv_0]
  cluster:h200-nv: [h200-nv_0]
  cluster:gb300-nv: [gb300-nv_0]
clusters:
  gb300-nv: { gpus-per-node: 4, available-cpu-dram-mib: 800_000 }
"""

FILES = {
    f"{ROOT}/perf-changelog.yaml": CHANGELOG,
    f"{ROOT}/configs/nvidia-master.yaml": MASTER,
    f"{ROOT}/configs/runners.yaml": RUNNERS,
    f"{SINGLE}/sglang/b300-fp8-mtp/agentic.yaml": SGLANG,
    f"{SINGLE}/vllm/h200-fp8-mtp/agentic.yaml": VLLM,
    f"{MULTI}/sglang/gb300-fp8/agentic/disagg.yaml": ZIPPED,
    f"{MULTI}/trtllm/gb300-fp8/agentic/disagg.yaml": TRTLLM,
    f"{ROOT}/infx/golden_al_distribution/toy_mtp.yaml": MTP,
    f"{ROOT}/infx/golden_al_distribution/toy_prob.yaml": PROB,
}
