"""What changes a value besides an assignment: it is followed, or the value is not known."""

import pytest

from checks.model import Blob
from checks.parse.shell.interpret import runs_of
from checks.parse.shell.state import Run
from checks.parse.shell.words import REST, UNKNOWN_TEXT, known, shown

UNKNOWN = UNKNOWN_TEXT
SERVE = '\nvllm serve m --k "$K"\n'


def runs(script: str, **given: str) -> tuple[Run, ...]:
    found = runs_of(Blob.of(script.encode()), tuple(sorted(given.items())))
    assert found is not None
    return found


def last(script: str, **given: str) -> str:
    """Return the value of ``--k`` in the last server."""
    value = runs(script, **given)[-1].flag("k")
    assert value is not None
    return shown(value)


@pytest.mark.parametrize(
    "change",
    [
        "read -r K L <<< '2 1'",
        "while read -r K; do :; done < list",
        "mapfile -t K < list",
        "printf -v K '%d' 2",
        "let K=2",
        "let 'K += 1'",
        'eval "K=2"',
        'A=(3)\nadd() { local -n out=$1; out=(2); }\nadd A\nK="${A[0]}"',
        'for i in 1 2; do export "K=x$i"; done',
        "(( K = 2 ))",
        "((K++))",
        "(( --K ))",
        "(( K += 1 )) || true",
        "if (( K -= 1 )); then :; fi",
        "L=$((K++))",
        "while getopts k: K; do :; done",
        "f() { K=$1; }\nf 2",
        "case $CONC in 4) K=2;;& *) K=1;; esac",
        "case $CONC in 4) K=2;& 8) K=1;; esac",
    ],
)
def test_a_value_that_may_be_another_one_by_now_is_not_known(change: str) -> None:
    assert last(f"K=3\n{change}{SERVE}", CONC="4") == UNKNOWN


@pytest.mark.parametrize(
    ("script", "values"),
    [
        ("K=3\nf() { local K=7 L; : $K; }\nf", "3"),
        ("K=3\nf() { declare K=7; }\nf", "3"),
        ("K=3\nf() { declare -g K=7; }\nf", "7"),
        ("K=3\nf() { K=7; }\nK=5 f", "3"),
        ("K=3\nf() { K=7; }\nf", "7"),
        ("K=3\n[[ $K == 3 ]]", "3"),
        ("[[ 1 == 1 ]] && K=3 || K=2", "3"),
        ("[[ 1 == 1 ]] && K=$(probe) || K=2", f"2 {UNKNOWN}"),
        ("K=3\n(( K == 3 ))", "3"),
        ("K=2\nK=3 L=1\necho $K", "3"),
        ("K=3 \\\n  L=1\nprobe | tee log", "3"),
        ("K=2\nif true; then\nK=3 L=1 # both\n\nprobe && probe > log\nfi", "3"),
        ("K=2\nL=1 M=1\nexport K=3", "3"),
        ("K=2\nL=1 M=1\nunset K", ""),
        ("K=2\nK=3 L=1 probe", "2"),
        ("K=\n: ${K:=3}", "3"),
        ('K=3\n: "${K:=2}"', "3"),
        ("A=($(probe) b)\nK=${A[0]:-2}", UNKNOWN),
        ("A=(a b)\nK=${A[2]:-3}", "3"),
        ("K=3\necho 7 | read K", "3"),
        ("K=3\nprintf '%s' K", "3"),
        ('X=\n[ -n "${X:+x}" ] && K=2 || K=3', "3"),
        ('X=1\n[ -n "${X+}" ] && K=2 || K=3', "3"),
        ("X=1\nK=${X:+5}", "5"),
        ("K=$(echo -n 3)", "3"),
        ("K=$(printf '%d' 3)", "3"),
        ("K=$(printf '%02d' 3)", UNKNOWN),
        ("K=$(printf '%d' 03)", UNKNOWN),
        ("K=$(echo -e '3\\t')", UNKNOWN),
        ("NAME=12\nK=3\n[ ${#NAME} -gt 5 ] && K=2", "2 3"),
        ("unset X\nK=${X-5}", UNKNOWN),
        ("A=(a b)\nA[1]=c\nK=${A[1]}", UNKNOWN),
        ("A=([1]=a [0]=b)\nK=${A[0]}", UNKNOWN),
        ("declare -A A=([3]=a [4]=b)\nK=${A[3]}", UNKNOWN),
        ('A=(a b)\nK="${A[*]#a}"', UNKNOWN),
    ],
)
def test_what_a_value_is_afterwards(script: str, values: str) -> None:
    found = {shown(run.flag("k") or ()) for run in runs(f"{script}{SERVE}")}
    assert found == set(values.split(" "))


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ("sed -i s/1/3/ c.yaml", "c.yaml"),
        ("sed --in-place=.bak s/1/3/ c.yaml", "c.yaml"),
        ('F=c.yaml\nyq -i ".a = 3" "$F"', "c.yaml"),
        ("tee c.yaml <<EOF\na: 3\nEOF", "c.yaml"),
        ("cp other.yaml c.yaml", "c.yaml"),
        ("python3 edit.py c.yaml", "c.yaml"),
    ],
)
def test_a_file_that_something_else_writes_is_not_known(change: str, path: str) -> None:
    written = f"cat > {path} <<EOF\na: 1\nEOF\n"
    serve = f"\ntrtllm-serve m --config {path}\n"
    (before,), (after,) = runs(written + serve), runs(f"{written}{change}{serve}")
    assert shown(before.files[path]) == "a: 1\n"
    assert known(after.files[path]) is None


def test_a_file_that_only_one_of_many_ways_writes_is_not_known() -> None:
    ways = "".join(f"if probe {n}; then A{n}=1; else A{n}=2; fi\n" for n in range(5))
    once = "if probe; then cat > c.yaml <<EOF\na: 1\nEOF\nfi\n"
    listed = " ".join(f"$A{n}" for n in range(5))
    for run in runs(f"{once}{ways}trtllm-serve m --config c.yaml {listed}\n"):
        assert "c.yaml" not in run.files or known(run.files["c.yaml"]) is None


@pytest.mark.parametrize(
    ("script", "env"),
    [
        ("env A=1 -u B vllm serve m", {"A": "1"}),
        ("env -i A=1 vllm serve m", {"A": "1"}),
        ("nohup env A=1 vllm serve m", {"A": "1", "B": "0"}),
        ('E=(A=1 C=2)\nenv "${E[@]}" vllm serve m', {"A": "1", "B": "0", "C": "2"}),
        ("mpirun -n 1 -x A=1 trtllm-serve m", {"A": "1", "B": "0"}),
        ("vllm serve m --x env A=1", {"B": "0"}),
        ("env A=/bin/python C=2 vllm serve m", {"A": "/bin/python", "B": "0", "C": "2"}),
        ("mpirun -x A=/x/vllm -x C=2 trtllm-serve m", {"A": "/x/vllm", "B": "0", "C": "2"}),
        ('env "$SETTING" vllm serve m', {"B": "0", REST: None}),
        ('env "${SETTINGS[@]}" vllm serve m', {"B": "0", REST: None}),
        ('export "A=1"\nvllm serve m', {"A": "1", "B": "0"}),
        ("A=1\nexport A\nexport -n A\nvllm serve m", {"B": "0"}),
        ("A=1 C=2\nexport A\nvllm serve m", {"A": "1", "B": "0"}),
        ("A=1 C=2\nvllm serve m", {"B": "0"}),
        ("A=1 C=2\ndeclare -x D=3\nunset B\nvllm serve m", {"D": "3"}),
        ("set -a\nA=1\nset +a\nC=2\nvllm serve m", {"A": "1", "B": "0"}),
        ("set -o allexport\nA=1\nset +o allexport\nC=2\nvllm serve m", {"A": "1", "B": "0"}),
        ("set -euo pipefail\nA=1\nvllm serve m", {"B": "0"}),
        ("f() { vllm serve m; }\nA=1 f", {"A": "1", "B": "0"}),
        ("f() { local C=3; export C; }\nf\nvllm serve m", {"B": "0"}),
        ('source "$(dirname "$0")/toy_env.sh"\nvllm serve m', {"B": "0", REST: None}),
        ('source "$(dirname "$0")/../benchmark_lib.sh"\nvllm serve m', {"B": "0"}),
        ("export $(cat env)\nvllm serve m", {"B": "0", REST: None}),
        ('while read -r L; do export "$L"; done < f\nvllm serve m', {"B": "0", REST: None}),
        ('L="A=1 C=2"\nexport $L\nvllm serve m', {"A": "1", "B": "0", "C": "2"}),
        ('L=(A=1 C=2)\nexport "${L[@]}"\nvllm serve m', {"A": "1", "B": "0", "C": "2"}),
        ('L=A\nexport "$L=1"\nvllm serve m', {"A": "1", "B": "0"}),
        ('export "A=$(probe)"\nvllm serve m', {"A": None, "B": "0"}),
        ('eval "export A=1"\nvllm serve m', {"A": None, "B": "0"}),
        ('eval "A=1"\nvllm serve m', {"B": "0"}),
        ('eval "$(probe)"\nvllm serve m', {"B": "0", REST: None}),
        ("source /opt/venv/bin/activate\nvllm serve m", {"B": "0"}),
    ],
)
def test_the_variables_that_a_server_is_given(script: str, env: dict[str, str | None]) -> None:
    run = runs(f"export B=0\n{script}\n")[-1]
    assert {name: known(word) for name, word in run.env.items()} == env


def test_another_script_may_set_what_has_a_default() -> None:
    script = "\nK=${SPEC_TOKENS:-3}" + SERVE
    assert last(f"source lib/benchmark_lib.sh{script}") == "3"
    assert last(f"source toy_common.sh{script}") == UNKNOWN


def test_a_group_that_is_taken_for_a_command_is_not_followed() -> None:
    blob = Blob.of(f"K=2 L=1\n{{ K=4; }}{SERVE}".encode())
    assert runs_of(blob, ()) is None


def test_what_the_workflow_sets_does_not_have_its_default() -> None:
    assert last(f"K=${{HICACHE_RATIO:-3}}{SERVE}") == "3"
    assert last(f"K=${{TOTAL_CPU_DRAM_GB:-3}}{SERVE}") == UNKNOWN


def test_an_unknown_word_that_is_named_like_flags_hides_flags() -> None:
    (plain,) = runs("vllm serve m --a $MAX_MODEL_LEN\n")
    (more,) = runs("vllm serve m --trust-remote-code $MODEL_ARGS\n")
    assert plain.complete
    assert not more.complete
