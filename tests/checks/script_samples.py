"""A made-up repository whose single-node points run shell scripts."""

from collections.abc import Mapping

from tests.checks.samples import CHANGELOG, MASTER_PATH, MTP, MTP_PATH, PROB, PROB_PATH

MASTER = """\
toy-fp4-b300-vllm-agentic-mtp:
  image: vllm/vllm-openai:v0.99.1
  model: toy-org/Toy-V2
  model-prefix: toy
  runner: cluster:b300-nv
  precision: fp4
  framework: vllm
  multinode: false
  scenarios:
    agentic-coding:
    - search-space:
      - { tp: 8, ep: 1, spec-decoding: mtp, kv-offloading: none, conc-list: [4, 16, 64] }

toy-fp8-h100-sglang-agentic-mtp:
  image: lmsysorg/sglang:v0.9.1
  model: toy-org/Toy-V2-FP8
  model-prefix: toy
  runner: cluster:h100-cw
  precision: fp8
  framework: sglang
  multinode: false
  scenarios:
    agentic-coding:
    - search-space:
      - { tp: 8, ep: 8, spec-decoding: mtp, kv-offloading: none, conc-list: [8] }

toy-fp8-h200-sglang-mtp:
  image: lmsysorg/sglang:v0.9.1
  model: toy-org/Toy-V2-FP8
  model-prefix: toy
  runner: h200
  precision: fp8
  framework: sglang
  multinode: false
  scenarios:
    fixed-seq-len:
    - isl: 8192
      osl: 1024
      search-space:
      - { tp: 8, spec-decoding: mtp, conc-list: [8] }
      - { tp: 4, conc-list: [8] }
"""

# Drafts 3 tokens up to a concurrency of 4, 2 up to 16 and none above.
VLLM = """\
#!/usr/bin/env bash
set -eo pipefail
source "$(dirname "$0")/../../benchmark_lib.sh"
check_env_vars MODEL TP CONC EVAL_ONLY

if [ "$CONC" -le 4 ]; then
    NUM_SPEC_TOKENS=3
    ACCEPT_LEN=3.00
elif [ "$CONC" -le 16 ]; then
    NUM_SPEC_TOKENS=2
    ACCEPT_LEN=2.50
else
    NUM_SPEC_TOKENS=0
fi
SPEC_ARGS=()
if [ "$NUM_SPEC_TOKENS" -gt 0 ]; then
    if [ "${EVAL_ONLY:-false}" = "true" ]; then
        SPEC="{\\"method\\":\\"dspark\\",\\"num_speculative_tokens\\":$NUM_SPEC_TOKENS,\
\\"draft_sample_method\\":\\"probabilistic\\",\\"rejection_sample_method\\":\\"block\\"}"
    else
        SPEC="{\\"method\\":\\"dspark\\",\\"num_speculative_tokens\\":$NUM_SPEC_TOKENS,\
\\"draft_sample_method\\":\\"probabilistic\\",\\"rejection_sample_method\\":\\"synthetic\\",\
\\"synthetic_acceptance_length\\":$ACCEPT_LEN}"
    fi
    SPEC_ARGS=(--speculative-config "$SPEC")
fi
CMD=(
    vllm serve "$MODEL"
    --tensor-parallel-size "$TP"
    --kv-cache-dtype fp8
    "${SPEC_ARGS[@]}"
)
"${CMD[@]}" > server.log 2>&1 &

if [ "$EVAL_ONLY" = "true" ]; then
    run_eval --port "$PORT"
else
    run_agentic_replay_and_write_outputs "$RESULT_DIR"
fi
"""

SGLANG = """\
#!/usr/bin/env bash
source "$(dirname "$0")/../../benchmark_lib.sh"
check_env_vars MODEL TP CONC EVAL_ONLY

if [ "${EVAL_ONLY:-false}" != "true" ]; then
    export SGLANG_SIMULATE_ACC_LEN=2.40
    export SGLANG_SIMULATE_ACC_METHOD=match-expected
fi
SPEC_ARGS=(
    --speculative-algorithm EAGLE
    --speculative-num-steps 2
    --speculative-eagle-topk 1
    --speculative-num-draft-tokens 3
)
python3 -m sglang.launch_server \\
    --model-path="$MODEL" \\
    --tp-size "$TP" \\
    "${SPEC_ARGS[@]}" &

run_agentic_replay_and_write_outputs "$RESULT_DIR"
"""

FIXED = """\
#!/usr/bin/env bash
source "$(dirname "$0")/../../benchmark_lib.sh"
check_env_vars MODEL TP CONC

python3 -m sglang.launch_server \\
    --model-path "$MODEL" \\
    --tp-size "$TP" \\
    --speculative-algorithm EAGLE \\
    --speculative-num-steps 2 \\
    --speculative-eagle-topk 1 \\
    --speculative-num-draft-tokens 3 &

run_benchmark_serving \\
    --model "$MODEL" \\
    --max-concurrency "$CONC" \\
    --use-chat-template
"""

SINGLE = "benchmarks/single_node"
VLLM_SCRIPT = f"{SINGLE}/agentic/toy_fp4_b300_vllm_mtp.sh"
SGLANG_SCRIPT = f"{SINGLE}/agentic/toy_fp8_h100_mtp.sh"
FIXED_SCRIPT = f"{SINGLE}/fixed_seq_len/toy_fp8_h200_mtp.sh"
PLAIN_SCRIPT = f"{SINGLE}/fixed_seq_len/toy_fp8_h200.sh"

SCRIPTED: Mapping[str, str] = {
    "perf-changelog.yaml": CHANGELOG,
    MASTER_PATH: MASTER,
    VLLM_SCRIPT: VLLM,
    SGLANG_SCRIPT: SGLANG,
    FIXED_SCRIPT: FIXED,
    PLAIN_SCRIPT: '#!/usr/bin/env bash\nvllm serve "$MODEL" &\n',
    PROB_PATH: PROB,
    MTP_PATH: MTP,
}
