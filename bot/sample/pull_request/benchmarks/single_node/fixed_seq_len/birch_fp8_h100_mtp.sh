#!/usr/bin/env bash
source "$(dirname "$0")/../../benchmark_lib.sh"
check_env_vars MODEL TP CONC
set -u

export SGLANG_SIMULATE_ACC_LEN=2.30
python3 -m sglang.launch_server \
  --model-path "$MODEL" \
  --tp-size "$TP" \
  --speculative-algorithm EAGLE \
  --speculative-num-steps 2 \
  --speculative-eagle-topk 1 \
  --speculative-num-draft-tokens 3 &

run_benchmark_serving \
  --model "$MODEL" \
  --max-concurrency "$CONC"
