import pytest

from checks.model import Evidence
from tests.checks.samples import AUGUST, MASTER_PATH, SGLANG_PATH, change, edited, fixed, observe
from tests.checks.script_samples import FIXED_SCRIPT, PLAIN_SCRIPT, SCRIPTED, SGLANG_SCRIPT
from tests.kit import snapshot

RULE = "speculative-decoding/chat-template-missing"
FLAG = " \\\n    --use-chat-template"
RECIPE = {
    **edited(
        AUGUST,
        MASTER_PATH,
        "dynamo-sglang\n  scenarios:\n    agentic-coding:\n    - search-space:",
        "dynamo-sglang\n  scenarios:\n    fixed-seq-len:\n    - isl: 1024\n      osl: 1024\n"
        "      search-space:",
    ),
    SGLANG_PATH: AUGUST[SGLANG_PATH] + "benchmark:\n  type: sa-bench\n  use_chat_template: true\n",
}


def test_a_client_without_the_flag() -> None:
    pull = change(SCRIPTED, FIXED_SCRIPT, FLAG, "")
    (seen,) = observe(RULE, pull)
    assert (seen.path, seen.line) == (FIXED_SCRIPT, 13)
    assert str(seen.title) == "The client sends no chat template"
    assert str(seen.message) == (
        "This client measures speculative decoding for `toy-fp8-h200-sglang-mtp` without "
        "`--use-chat-template`, so that the draft model sees raw tokens instead of chats. Add "
        "`--use-chat-template`."
    )
    assert seen.evidence == (
        Evidence(FIXED_SCRIPT, 13, "run_benchmark_serving \\"),
        Evidence(MASTER_PATH, 40, "- { tp: 8, spec-decoding: mtp, conc-list: [8] }"),
    )
    assert fixed(RULE, pull) == ['    --max-concurrency "$CONC" \\\n    --use-chat-template\n']


@pytest.mark.parametrize(
    ("line", "edit"),
    [
        ("run_benchmark_serving --model x", "run_benchmark_serving --use-chat-template --model x"),
        ("run_benchmark_serving --model x | tee log",
         "run_benchmark_serving --use-chat-template --model x | tee log"),
        ('python3 utils/benchmark_serving.py --model x',
         'python3 utils/benchmark_serving.py --use-chat-template --model x'),
        ("run_benchmark_serving \\\n  --model x |\n  tee log",
         "run_benchmark_serving --use-chat-template \\"),
    ],
)  # fmt: skip
def test_the_flag_is_added_at_the_name_where_the_end_is_no_place_for_it(
    line: str, edit: str
) -> None:
    server, _, _ = SCRIPTED[FIXED_SCRIPT].partition("run_benchmark_serving")
    files = {**SCRIPTED, FIXED_SCRIPT: server}
    pull = snapshot(files, {**files, FIXED_SCRIPT: f"{server}{line}\n"})
    assert fixed(RULE, pull) == [f"{edit}\n"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (FLAG, " \\\n    --dsv4"),
        (FLAG, ' \\\n    "${CLIENT_ARGS[@]}"'),
        (FLAG, " \\\n    $CLIENT_ARGS"),
        ("    --max-concurrency", "    --num-prompts 10 \\\n    --max-concurrency"),
        ("run_benchmark_serving \\\n", "ARGS=(--use-chat-template)\nrun_benchmark_serving \\\n"),
    ],
)
def test_a_client_with_a_template_or_with_hidden_flags_is_right(old: str, new: str) -> None:
    assert observe(RULE, change(SCRIPTED, FIXED_SCRIPT, old, new)) == []


def test_points_that_do_not_draft_need_none() -> None:
    plain = 'vllm serve "$MODEL" &\nrun_benchmark_serving --model "$MODEL"\n'
    assert observe(RULE, snapshot(SCRIPTED, {**SCRIPTED, PLAIN_SCRIPT: plain})) == []
    agentic = SCRIPTED[SGLANG_SCRIPT] + "run_benchmark_serving --model x\n"
    assert observe(RULE, snapshot(SCRIPTED, {**SCRIPTED, SGLANG_SCRIPT: agentic})) == []
    off = edited(SCRIPTED, FIXED_SCRIPT, FLAG, "")
    for line in ("algorithm EAGLE", "num-steps 2", "eagle-topk 1", "num-draft-tokens 3"):
        text = next(x for x in off[FIXED_SCRIPT].splitlines(keepends=True) if line in x)
        off = edited(off, FIXED_SCRIPT, text, "" if "3" not in text else "    --end &\n")
    assert observe(RULE, snapshot(SCRIPTED, off)) == []


def test_a_comment_is_not_a_flag() -> None:
    script = SCRIPTED[FIXED_SCRIPT].replace(FLAG, "") + "# --use-chat-template\n"
    assert len(observe(RULE, snapshot(SCRIPTED, {**SCRIPTED, FIXED_SCRIPT: script}))) == 1


def test_a_recipe_that_turns_the_template_off() -> None:
    pull = change(RECIPE, SGLANG_PATH, "template: true", "template: false")
    (seen,) = observe(RULE, pull)
    assert (seen.path, seen.line) == (SGLANG_PATH, 23)
    assert str(seen.message) == (
        "`use_chat_template` is `false` in a recipe that measures speculative decoding for "
        "`toy-fp8-gb300-dynamo-sglang`, and no `custom_tokenizer` encodes chats instead, so that "
        "the draft model sees raw tokens. Set it to `true`."
    )
    assert fixed(RULE, pull) == ["  use_chat_template: true\n"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  use_chat_template: true\n", ""),
        ("template: true", "template: false\n  custom_tokenizer: toy.Encoder"),
        ("name: toy-disagg", "name: toy-other"),
    ],
)
def test_a_recipe_that_is_silent_or_encodes_chats_is_right(old: str, new: str) -> None:
    assert observe(RULE, change(RECIPE, SGLANG_PATH, old, new)) == []


NONE = "dynamo-sglang\n  scenarios:\n    fixed-seq-len:\n    - isl: 1024\n      osl: 1024\n"
DRAFTS = "      speculative-algo: EAGLE\n"


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (MASTER_PATH, "CONFIG_FILE=recipes/sglang", "EVAL_CONFIG_FILE=recipes/sglang"),
        (MASTER_PATH, f"{NONE}      search-space:\n      - spec-decoding: mtp",
         f"{NONE}      search-space:\n      - spec-decoding: none"),
        (SGLANG_PATH, DRAFTS, ""),
    ],
)  # fmt: skip
def test_what_drafts_nothing_or_only_evaluates_needs_none(path: str, old: str, new: str) -> None:
    files = edited(RECIPE, path, old, new)
    assert observe(RULE, change(files, SGLANG_PATH, "template: true", "template: false")) == []


def test_a_line_that_several_points_run_is_said_once() -> None:
    more = edited(SCRIPTED, MASTER_PATH, "mtp, conc-list: [8] }", "mtp, conc-list: [8, 16] }")
    pull = change(more, FIXED_SCRIPT, FLAG, "\nif [ $CONC = 8 ]; then X=1; fi")
    assert len(observe(RULE, pull)) == 1
    reference = '          - "CONFIG_FILE=recipes/sglang/toy/disagg.yaml"\n'
    space = "      - spec-decoding: mtp\n        conc-list: [8]\n"
    both = edited(
        RECIPE, MASTER_PATH, space,
        f"{space}        prefill:\n          additional-settings:\n{reference}{space}",
    )  # fmt: skip
    assert len(observe(RULE, change(both, SGLANG_PATH, "template: true", "template: false"))) == 1


COMMAND = """\
  command: |
    set -e
    for concurrency in 4 8; do
      python3 /infmax-workspace/utils/bench_serving/benchmark_serving.py \\
        --model toy-org/Toy-V2 \\
        --num-prompts "$((concurrency * 10))" \\
        --use-chat-template \\
        --max-concurrency "${concurrency}"
    done
"""
CUSTOM = edited(RECIPE, SGLANG_PATH, "  use_chat_template: true\n", COMMAND)


def test_the_command_of_a_recipe() -> None:
    pull = change(CUSTOM, SGLANG_PATH, "        --use-chat-template \\\n", "")
    (seen,) = observe(RULE, pull)
    assert (seen.path, seen.line, seen.suggestion) == (SGLANG_PATH, 26, None)
    assert seen.evidence[0].text.startswith("python3 /infmax-workspace/utils/bench_serving/")
    plain = "  command: python3 benchmark_serving.py --model x --max-concurrency 8\n"
    (seen,) = observe(RULE, change(CUSTOM, SGLANG_PATH, COMMAND, plain))
    assert seen.line == 23


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("--use-chat-template", "--dsv4"),
        ("--use-chat-template", '"${CLIENT_ARGS[@]}"'),
        (COMMAND, "  command: bash /infmax-workspace/benchmarks/fixed.sh\n"),
        (COMMAND, "  command: [bash, x.sh]\n"),
        ("set -e\n", "set -e; ((\n"),
        ("tp: 4", "tp: 8"),
    ],
)
def test_the_command_of_a_recipe_that_is_right_or_not_known(old: str, new: str) -> None:
    assert observe(RULE, change(CUSTOM, SGLANG_PATH, old, new)) == []


def test_an_agentic_recipe_needs_none() -> None:
    files = {**AUGUST, SGLANG_PATH: RECIPE[SGLANG_PATH].replace("true", "false")}
    assert observe(RULE, snapshot(AUGUST, files)) == []


@pytest.mark.parametrize(
    "call",
    [
        "run_eval --framework lm-eval --port 8888",
        "run_lm_eval --port 8888",
        'if [ "$RUN_EVAL" = true ]; then run_eval --framework lm-eval; fi',
    ],
)
def test_an_evaluation_needs_no_flag(call: str) -> None:
    client = "run_benchmark_serving"
    assert observe(RULE, change(SCRIPTED, FIXED_SCRIPT, client, f"{call}\n{client}")) == []
