#!/usr/bin/env bash
source "$(dirname "$0")/../../benchmark_lib.sh"
check_env_vars MODEL TP CONC

python3 -m sglang.launch_server --model-path "$MODEL" \
  --tensor-parallel-size "$TP" \
  --max-num-seqs "$CONC" &

run_benchmark_serving --model "$MODEL" --max-concurrency "$CONC"
