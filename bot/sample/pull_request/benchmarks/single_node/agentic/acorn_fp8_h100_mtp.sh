#!/usr/bin/env bash
source "$(dirname "$0")/../../benchmark_lib.sh"
check_env_vars MODEL TP CONC EVAL_ONLY

if [ "$CONC" -le 2 ]; then
  STEPS=3
elif [ "$CONC" -le 8 ]; then
  STEPS=2
  export SGLANG_SIMULATE_ACC_LEN=2.30
  export SGLANG_SIMULATE_ACC_METHOD=match-expected
else
  STEPS=6
fi

sed -i 's/max_steps = 4/max_steps = 8/' /sgl-workspace/sglang/python/sglang/srt/server_args.py

python3 -m sglang.launch_server \
  --model-path "$MODEL" \
  --tp-size "$TP" \
  --json-model-override-args '{"num_hidden_layers": 30}' \
  --speculative-algorithm EAGLE \
  --speculative-num-steps "$STEPS" \
  --speculative-eagle-topk 1 \
  --speculative-num-draft-tokens 4 &

run_agentic_replay_and_write_outputs "$RESULT_DIR"
