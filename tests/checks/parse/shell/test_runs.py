"""What a script starts, branch by branch."""

import pytest

from checks.model import Blob
from checks.parse.shell.deciding import environment
from checks.parse.shell.interpret import runs_of
from checks.parse.shell.launch import CLIENT, complete, started
from checks.parse.shell.words import UNKNOWN_TEXT, known, shown

UNKNOWN = UNKNOWN_TEXT


def started_by(source: str, **given: str) -> list[list[str]]:
    """Return the words of each command that a script starts."""
    blob = Blob.of(source.encode())
    runs = runs_of(blob, environment(blob, given))
    assert runs is not None
    return [[shown(word) for word in run.argv] for run in runs]


def serve(script: str, **given: str) -> list[str]:
    """Return the words after ``vllm serve`` of the only server that a script starts."""
    (argv,) = started_by(script, **given)
    assert argv[:2] == ["vllm", "serve"]
    return argv[2:]


@pytest.mark.parametrize(
    ("script", "argv"),
    [
        ("vllm serve m --a 1\n", ["m", "--a", "1"]),
        ("vllm serve m \\\n  --a 1 \\\n  --b=2 > log 2>&1 &\n", ["m", "--a", "1", "--b=2"]),
        ('CMD=(vllm serve m --a "$X")\n"${CMD[@]}" &\n', ["m", "--a", "x y"]),
        ("A=(--a)\nA+=(--b 2)\nvllm serve m \"${A[@]}\"\n", ["m", "--a", "--b", "2"]),
        ('A="--a 1 --b"\nvllm serve m $A\n', ["m", "--a", "1", "--b"]),
        ("K=a\nK+=b\nK+=\"c d\"\nvllm serve m --k \"$K\"\n", ["m", "--k", "abc d"]),
        ("vllm serve m --j '{\"k\": 1}'\n", ["m", "--j", '{"k": 1}']),
        ('K=3\nvllm serve m --j "{\\"k\\": $K}"\n', ["m", "--j", '{"k": 3}']),
        ("J=$(printf '{\"m\":\"%s\",\"k\":%d,\"l\":%.2f}' a/b 3 2.50)\nvllm serve m --j \"$J\"\n",
         ["m", "--j", '{"m":"a/b","k":3,"l":2.50}']),
        ("vllm serve m --n $((2 * N + 1)) --o $((N > 3 ? N / 3 : 0))\n",
         ["m", "--n", "9", "--o", "1"]),
        ("vllm serve m --d \"${D:-none}\" --b \"${P##*/}\" --c ${P%/c}\n",
         ["m", "--d", "none", "--b", "c", "--c", "a/b"]),
        ("OMP=1 numactl -N 0 vllm serve m | tee log\n", None),
        ("f() { local a=1; vllm serve m --a $a; return 0; vllm serve n; }\nf\n", ["m", "--a", "1"]),
        ("J=$(cat <<EOF\n{\"k\": $N}\nEOF\n)\nvllm serve m --j \"$J\"\n",
         ["m", "--j", '{"k": 4}']),
    ],
)  # fmt: skip
def test_the_words_of_a_server(script: str, argv: list[str] | None) -> None:
    (found,) = started_by(script, X="x y", N="4", P="a/b/c")
    if argv is None:
        assert found == ["numactl", "-N", "0", "vllm", "serve", "m"]
    else:
        assert found == ["vllm", "serve", *argv]


BRANCHES = """\
if [ "$CONC" -le 8 ]; then
    K=7
elif [[ $CONC == 1? && "${MODE:-fast}" != "slow" ]]; then
    K=3
else
    K=0
fi
case "$BACKEND" in
    ""|none) B=off ;;
    hi*) B=on ;;
    *) exit 1 ;;
esac
(( K > 0 )) && K=$((K + 1))
vllm serve m --k "$K" --b "$B"
"""


@pytest.mark.parametrize(
    ("conc", "backend", "argv"),
    [
        ("8", "", [["8", "off"]]),
        ("16", "hicache", [["4", "on"]]),
        ("64", "none", [["0", "off"]]),
        ("64", "other", []),
    ],
)
def test_a_branch_is_taken_when_its_condition_is_known(
    conc: str, backend: str, argv: list[list[str]]
) -> None:
    found = started_by(BRANCHES, CONC=conc, BACKEND=backend)
    assert [[each[4], each[6]] for each in found] == argv


def test_an_unknown_condition_is_followed_both_ways_and_keeps_pairs_together() -> None:
    script = (
        "if probe; then K=7 L=3.84; else K=3 L=3.00; fi\n"
        "[[ -n $OTHER ]] && X=1\n"
        'vllm serve m --k "$K" --l "$L"\n'
    )
    assert {(argv[4], argv[6]) for argv in started_by(script)} == {("7", "3.84"), ("3", "3.00")}


@pytest.mark.parametrize(
    ("script", "flag_value"),
    [
        ("vllm serve m --k $K\n", None),
        ("vllm serve m --k $MODEL_PATH\n", UNKNOWN),
        ('vllm serve m --k "$(nproc)"\n', UNKNOWN),
        ("for K in 1 2; do :; done\nvllm serve m --k \"$K\"\n", UNKNOWN),
        ("K=1\nwhile probe; do K=2; done\nvllm serve m --k \"$K\"\n", UNKNOWN),
        ("(K=2)\nvllm serve m --k \"$K\"\n", UNKNOWN),
        ("K=1\n(K=2)\nvllm serve m --k \"$K\"\n", "1"),
        ('K="${K+x}"\nvllm serve m --k "$K"\n', UNKNOWN),
        ('vllm serve m --k "${A[0]}"\n', UNKNOWN),
    ],
)  # fmt: skip
def test_what_a_script_does_not_decide_is_not_known(script: str, flag_value: str | None) -> None:
    blob = Blob.of(script.encode())
    runs = runs_of(blob, ())
    assert runs
    for run in runs:
        value = run.flag("k")
        assert value is not None
        if flag_value is None:
            assert not complete(run.argv)
        else:
            assert shown(value) == flag_value
            assert complete(run.argv)


def test_words_that_are_not_known_may_hide_flags() -> None:
    for hidden in ("$EXTRA", '"${EXTRA[@]}"', "$(cat flags)", '"$@"', '"$EXTRA"'):
        runs = runs_of(Blob.of(f"vllm serve m --a 1 {hidden} --b\n".encode()), ())
        assert runs
        assert not complete(runs[0].argv), hidden
        assert runs[0].flag("a") is not None


def test_exports_and_prefixes_reach_the_server_and_unset_takes_them_back() -> None:
    script = "export A=1 B\nB=2\nC=3\nexport D=4\nunset D\nE=5 vllm serve m\nvllm serve n\n"
    runs = runs_of(Blob.of(script.encode()), ())
    assert runs
    seen = [{name: known(word) for name, word in run.env.items()} for run in runs]
    assert seen == [{"A": "1", "B": "2", "E": "5"}, {"A": "1", "B": "2"}]


def test_a_here_document_becomes_a_file_with_its_lines() -> None:
    script = (
        "K=3\ncat > \"c.yaml\" <<EOF\na: 1\nb: $K\nEOF\ncat <<'EOF' >> c.yaml\nc: $K\nEOF\n"
        "trtllm-serve m --config c.yaml\n"
    )
    (run,) = runs_of(Blob.of(script.encode()), ()) or ()
    assert shown(run.files["c.yaml"]) == "a: 1\nb: 3\nc: $K\n"
    assert [piece.row for piece in run.files["c.yaml"]] == [2, 3, 0, 3, 6]


def test_only_a_line_feed_ends_a_line() -> None:
    script = "cat > c.yaml <<EOF\na: \x0c\u2028\x85\nb: 1\nEOF\ntrtllm-serve m --config c.yaml\n"
    (run,) = runs_of(Blob.of(script.encode()), ()) or ()
    assert [piece.row for piece in run.files["c.yaml"]] == [1, 2]


@pytest.mark.parametrize("value", ["-+5", "+-5", "08", "- 5"])
def test_what_is_no_plain_number_decides_nothing(value: str) -> None:
    script = 'if [ "$A" -gt 3 ]; then vllm serve m; else vllm serve n; fi\n'
    assert len(started_by(script, A=value)) == 2


def test_a_class_of_characters_decides_nothing() -> None:
    script = 'if [[ "$A" == [[:digit:]]* ]]; then vllm serve m; else vllm serve n; fi\n'
    assert len(started_by(script, A="8")) == 2


def test_a_variable_that_was_unset_may_not_be_there() -> None:
    script = "A=1\nunset A\nif [[ -v A ]]; then vllm serve m; else vllm serve n; fi\n"
    assert len(started_by(script)) == 2


def test_a_format_that_is_put_together_is_not_filled_in() -> None:
    assert serve('X=%\nY=$(printf "${X}%s")\nvllm serve "$Y"\n') == [UNKNOWN]


@pytest.mark.parametrize(
    ("command", "engine"),
    [
        ("vllm serve m", "vllm"),
        ("python3 -m vllm.entrypoints.openai.api_server", "vllm"),
        ("python -m sglang.launch_server", "sglang"),
        ('"$PYTHON" -m sglang.launch_server', "sglang"),
        ("sglang serve", "sglang"),
        ("mpirun -n 1 --oversubscribe trtllm-serve m", "trtllm"),
        ("python -m atom.entrypoints.openai_server", "atom"),
        ("run_benchmark_serving --model m", CLIENT),
        ("echo vllm serve m", ""),
        ("printf '%q ' vllm serve m", ""),
        ("vllm-router --port 1", ""),
        ("python -m sglang_router.launch_router", ""),
    ],
)
def test_which_commands_start_what(command: str, engine: str) -> None:
    runs = runs_of(Blob.of(f"{command}\n".encode()), ())
    assert runs is not None
    assert [started(run.argv) for run in runs] == ([engine] if engine else [])


@pytest.mark.parametrize(
    "script",
    ["if true; then\n", "vllm serve 'm\n", b"\xff\xfe vllm serve\n", "((((\n"],
)
def test_a_script_with_a_syntax_error_is_not_followed(script: str | bytes) -> None:
    data = script if isinstance(script, bytes) else script.encode()
    assert runs_of(Blob.of(data), ()) is None
