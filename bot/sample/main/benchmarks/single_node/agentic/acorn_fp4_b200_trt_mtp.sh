#!/usr/bin/env bash
source "$(dirname "$0")/../../benchmark_lib.sh"
check_env_vars MODEL TP CONC EVAL_ONLY

cat > engine.yaml <<EOF
max_batch_size: $CONC
speculative_config:
  decoding_type: MTP
  max_draft_len: 3
EOF
if [ "$EVAL_ONLY" != "true" ]; then
  export TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS=1.60
fi

trtllm-serve "$MODEL" \
  --tp_size "$TP" \
  --config engine.yaml &

run_agentic_replay_and_write_outputs "$RESULT_DIR"
