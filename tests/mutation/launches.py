"""A made-up repository whose scripts start servers in every form that benchmark scripts have."""

from tests.checks.samples import CHANGELOG, MASTER_PATH, MTP, MTP_PATH, PROB, PROB_PATH

HEAD = """\
#!/usr/bin/env bash
source "$(dirname "$0")/../../benchmark_lib.sh"
"""
CHECK = "check_env_vars MODEL TP CONC EP_SIZE\n"
AGENTIC_CHECK = "check_env_vars MODEL TP CONC EP_SIZE EVAL_ONLY\n"
REPLAY = '\nrun_agentic_replay_and_write_outputs "$RESULT_DIR"\n'
SAMPLED = '"method":"dspark","draft_sample_method":"probabilistic"'
SYNTHETIC = '"rejection_sample_method":"synthetic","synthetic_acceptance_length"'

ESCAPED = SAMPLED.replace('"', '\\"')
QUOTED = f"""\
SPEC='{{{SAMPLED},"num_speculative_tokens":3,{SYNTHETIC}:3.00}}'
if [ "$EVAL_ONLY" = "true" ]; then
    SPEC='{{{SAMPLED},"num_speculative_tokens":3}}'
fi
vllm serve "$MODEL" \\
    --tensor-parallel-size "$TP" \\
    --kv-cache-dtype fp8 \\
    --speculative-config "$SPEC" &
"""

PRINTED = f"""\
NUM_SPEC_TOKENS=2
ACCEPT_LEN=2.50
if [[ "${{EVAL_ONLY:-false}}" == "true" ]]; then
    SPEC_CONFIG=$(printf '{{{SAMPLED},"num_speculative_tokens":%d}}' "$NUM_SPEC_TOKENS")
else
    SPEC_CONFIG=$(printf '{{{SAMPLED},"num_speculative_tokens":%d,{SYNTHETIC}:%.2f}}' \\
        "$NUM_SPEC_TOKENS" "$ACCEPT_LEN")
fi
SPEC_ARGS=(--speculative-config "$SPEC_CONFIG")
exec vllm serve "$MODEL" \\
    --tensor-parallel-size="$TP" \\
    --kv-cache-dtype=fp8 \\
    "${{SPEC_ARGS[@]}}" &
"""

CASES = f"""\
case "$CONC" in
    1|2|4)
        TOKENS=3
        LENGTH=3.00
        ;;
    *)
        TOKENS=2
        LENGTH=2.50
        ;;
esac
REJECT=',{SYNTHETIC}:'"$LENGTH"
[ "$EVAL_ONLY" = "true" ] && REJECT=""
serve() {{
    local args=(
        --tensor-parallel-size "$TP"
        --kv-cache-dtype fp8
        --speculative-config "{{{ESCAPED},\\"num_speculative_tokens\\":$TOKENS$REJECT}}"
    )
    vllm serve "$MODEL" "${{args[@]}}" > server.log 2>&1 &
}}
serve
"""

EXPORTED = """\
if [ "${EVAL_ONLY:-false}" != "true" ]; then
    export SGLANG_SIMULATE_ACC_LEN=2.40
    export SGLANG_SIMULATE_ACC_METHOD=match-expected
fi
python3 -m sglang.launch_server \\
    --model-path "$MODEL" \\
    --tp-size "$TP" \\
    --speculative-algorithm EAGLE \\
    --speculative-num-steps 2 \\
    --speculative-eagle-topk 1 \\
    --speculative-num-draft-tokens 3 &
"""

UNSET = """\
export SGLANG_SIMULATE_ACC_LEN="2.70"
export SGLANG_SIMULATE_ACC_METHOD='match-expected'
if [[ $EVAL_ONLY == true ]]; then
    unset SGLANG_SIMULATE_ACC_LEN SGLANG_SIMULATE_ACC_METHOD
fi
STEPS=3
SPEC=(
    --speculative-algo=NEXTN
    --speculative-num-steps="$STEPS"
    --speculative-eagle-topk=1
    --speculative-num-draft-tokens=4
)
sglang serve --model-path="$MODEL" \\
    "${SPEC[@]}" &
"""

HEREDOC = """\
cat > engine.yaml <<EOF
max_batch_size: $CONC
speculative_config:
  decoding_type: MTP
  max_draft_len: 2
EOF
if [ "$EVAL_ONLY" != "true" ]; then
    export TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS=1.40
fi
mpirun -n 1 trtllm-serve "$MODEL" \\
    --tp_size "$TP" \\
    --extra_llm_api_options engine.yaml &
"""

FLAGS = """\
SPEC_ARGS=(--method mtp --num-speculative-tokens 2)
if [ "$EVAL_ONLY" != "true" ]; then
    SPEC_ARGS+=(--spec-decode-acceptance-length 2.40)
fi
python3 -m atom.entrypoints.openai_server \\
    --model "$MODEL" \\
    -tp "$TP" \\
    "${SPEC_ARGS[@]}" &
"""

CLIENT = """
run_benchmark_serving \\
    --model "$MODEL" \\
    --max-concurrency "$CONC" \\
    --use-chat-template
"""
MODULE = """
python3 utils/bench_serving/benchmark_serving.py \\
    --model "$MODEL" \\
    --use-chat-template \\
    --max-concurrency "$CONC"
"""
FIXED_SGLANG = EXPORTED.partition("fi\n")[2]
FIXED_VLLM = f"""\
SPEC_CONFIG='{{{SAMPLED},"num_speculative_tokens":2}}'
vllm serve "$MODEL" \\
    --tensor-parallel-size "$TP" \\
    --kv-cache-dtype fp8 \\
    --speculative-config "$SPEC_CONFIG" &
"""

# hardware, framework, fixed lengths?, what stands after the head of the script
FORMS = (
    ("b300", "vllm", False, AGENTIC_CHECK + QUOTED + REPLAY),
    ("b200", "vllm", False, AGENTIC_CHECK + PRINTED + REPLAY),
    ("h200", "vllm", False, AGENTIC_CHECK + CASES + REPLAY),
    ("h100", "sglang", False, AGENTIC_CHECK + EXPORTED + REPLAY),
    ("mi300x", "sglang", False, AGENTIC_CHECK + UNSET + REPLAY),
    ("b300", "trt", False, AGENTIC_CHECK + HEREDOC + REPLAY),
    ("mi355x", "atom", False, AGENTIC_CHECK + FLAGS + REPLAY),
    ("h100", "sglang", True, CHECK + FIXED_SGLANG + CLIENT),
    ("b200", "sglang", True, CHECK + FIXED_SGLANG + MODULE),
    ("b300", "vllm", True, CHECK + FIXED_VLLM + CLIENT),
    ("h200", "vllm", True, CHECK + FIXED_VLLM + MODULE),
)
FOLDER = {False: "agentic", True: "fixed_seq_len"}


def _entry(hardware: str, framework: str, fixed: bool) -> str:
    agentic = "agentic-coding:\n    - search-space:"
    lengths = "fixed-seq-len:\n    - isl: 8192\n      osl: 1024\n      search-space:"
    offload = "" if fixed else "kv-offloading: none, "
    return f"""\
toy-fp8-{hardware}-{framework}{"" if fixed else "-agentic"}-mtp:
  image: {"lmsysorg/sglang" if framework == "sglang" else "vllm/vllm-openai"}:v0.9.1
  model: toy-org/Toy-V2
  model-prefix: toy
  runner: {"" if fixed else "cluster:"}{hardware}-lab
  precision: fp8
  framework: {framework}
  multinode: false
  scenarios:
    {lengths if fixed else agentic}
      - {{ tp: 8, spec-decoding: mtp, {offload}conc-list: [4, 16] }}
"""


def _path(hardware: str, framework: str, fixed: bool) -> str:
    plain = hardware in ("h100", "mi300x")
    ending = "mtp" if plain else f"{framework}_mtp"
    return f"benchmarks/single_node/{FOLDER[fixed]}/toy_fp8_{hardware}_{ending}.sh"


FILES = {
    "perf-changelog.yaml": CHANGELOG,
    MASTER_PATH: "\n".join(_entry(*form[:3]) for form in FORMS),
    PROB_PATH: PROB,
    MTP_PATH: MTP,
    **{_path(*form[:3]): HEAD + form[3] for form in FORMS},
}
