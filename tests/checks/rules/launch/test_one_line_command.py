import pytest

from tests.checks.samples import change, fixed, observe
from tests.checks.script_samples import PLAIN_SCRIPT, SCRIPTED
from tests.kit import snapshot

RULE = "launch/one-line-command"


def test_two_flags_on_the_launch_line() -> None:
    line = 'vllm serve "$MODEL" --port "$PORT" --max-num-seqs 64 &'
    pull = change(SCRIPTED, PLAIN_SCRIPT, 'vllm serve "$MODEL" &', line)
    (seen,) = observe(RULE, pull)
    assert (seen.path, seen.line) == (PLAIN_SCRIPT, 2)
    assert str(seen.title) == "Several flags on the launch line"
    assert str(seen.message) == (
        "This line starts the server and gives it 2 flags. Put each flag with its value on a line "
        "of its own."
    )
    assert [(e.line, e.text) for e in seen.evidence] == [(2, line)]
    assert fixed(RULE, pull) == [
        'vllm serve "$MODEL" \\\n    --port "$PORT" \\\n    --max-num-seqs 64 &\n'
    ]


def test_the_rest_of_the_command_stays() -> None:
    line = "python3 -m sglang.launch_server --a=1 --b 2 \\\n    --c 3 &"
    pull = change(SCRIPTED, PLAIN_SCRIPT, 'vllm serve "$MODEL" &', line)
    assert fixed(RULE, pull) == ["python3 -m sglang.launch_server \\\n    --a=1 \\\n    --b 2 \\\n"]


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("sglang serve --model-path m --port 1 &", 2),
        ('python3 -m vllm.entrypoints.openai.api_server --model m -tp "$TP" -dp 2 &', 3),
        ('python3 -m atom.entrypoints.openai_server -tp "$TP" --kv-cache-dtype fp8 &', 2),
        ("mpirun -n 1 --oversubscribe /usr/bin/trtllm-serve m --a 1 --b -1 &", 2),
    ],
)
def test_flags_of_every_server(line: str, count: int) -> None:
    (seen,) = observe(RULE, change(SCRIPTED, PLAIN_SCRIPT, 'vllm serve "$MODEL" &', line))
    assert f"gives it {count} flags" in str(seen.message)


@pytest.mark.parametrize(
    "line",
    [
        'vllm serve "$MODEL" --port "$PORT" \\\n  --max-num-seqs 64 &',
        'X=1 vllm serve "$MODEL" --port "$PORT" &',
        'CMD=(vllm serve "$MODEL" --port 1 --max-num-seqs 64)',
        'mpirun -n 1 --oversubscribe --allow-run-as-root trtllm-serve "$MODEL" &',
        "# vllm serve m --a --b",
        "run_benchmark_serving --a 1 --b 2",
        "hf download --a 1 --b 2",
        "python3 -m sglang.launch_server -tp 8 &",
        'echo "vllm serve m --a 1 --b 2"',
    ],
)
def test_one_flag_arrays_wrappers_and_others_are_right(line: str) -> None:
    assert observe(RULE, change(SCRIPTED, PLAIN_SCRIPT, 'vllm serve "$MODEL" &', line)) == []


def test_existing_lines_are_not_judged() -> None:
    old = {**SCRIPTED, PLAIN_SCRIPT: "vllm serve m --a 1 --b 2 &\n"}
    added = {**old, PLAIN_SCRIPT: "set -x\n" + old[PLAIN_SCRIPT]}
    assert observe(RULE, snapshot(old, added)) == []
    new = {path: text for path, text in old.items() if path != PLAIN_SCRIPT}
    assert [seen.line for seen in observe(RULE, snapshot(new, old))] == [1]
