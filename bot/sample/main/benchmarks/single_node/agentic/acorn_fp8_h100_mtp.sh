#!/usr/bin/env bash
source "$(dirname "$0")/../../benchmark_lib.sh"
check_env_vars MODEL TP CONC EVAL_ONLY

STEPS=2
if [ "$EVAL_ONLY" != "true" ]; then
  export SGLANG_SIMULATE_ACC_LEN=2.30
  export SGLANG_SIMULATE_ACC_METHOD=match-expected
fi

python3 -m sglang.launch_server \
  --model-path "$MODEL" \
  --tp-size "$TP" \
  --speculative-algorithm EAGLE \
  --speculative-num-steps "$STEPS" \
  --speculative-eagle-topk 1 \
  --speculative-num-draft-tokens "$((STEPS + 1))" &

run_agentic_replay_and_write_outputs "$RESULT_DIR"
