#!/usr/bin/env bash
source "$(dirname "$0")/../../benchmark_lib.sh"
check_env_vars MODEL TP CONC EVAL_ONLY

SPEC_ARGS=(--method mtp --num-speculative-tokens 2)
if [ "$EVAL_ONLY" != "true" ]; then
  SPEC_ARGS+=(--spec-decode-acceptance-length 2.30)
fi

python3 -m atom.entrypoints.openai_server \
  --model "$MODEL" \
  --tensor-parallel-size "$TP" \
  --online_quant_config '{"global_quant_config":"ptpc_fp8","exclude_layer":["lm_head","model.layers.48.*"]}' \
  "${SPEC_ARGS[@]}" &

run_agentic_replay_and_write_outputs "$RESULT_DIR"
