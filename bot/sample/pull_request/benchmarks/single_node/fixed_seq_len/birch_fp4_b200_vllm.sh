#!/usr/bin/env bash
source "$(dirname "$0")/../../benchmark_lib.sh"
check_env_vars MODEL TP CONC

vllm serve "$MODEL" \
  --tensor-parallel-size "$TP" \
  --max-num-seqs "$CONC" \
  --enable-expert-parallel &

run_benchmark_serving --model "$MODEL" --max-concurrency "$CONC"
