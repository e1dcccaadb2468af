"""Points that share their way through a script start what each would start alone."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks.model import Blob
from checks.parse.shell import course
from checks.parse.shell.deciding import environment
from checks.parse.shell.interpret import _Follower, runs_of
from checks.parse.shell.shape import statements
from checks.parse.shell.state import Run, State
from checks.parse.shell.syntax import Script, read_script
from checks.parse.shell.words import Piece, shown

POINTS = [
    {"CONC": conc, "TP": tp, "EVAL_ONLY": only, "ISL": ""}
    for conc in ("1", "8", "16")
    for tp in ("4", "8")
    for only in ("false", "true")
]


def said(runs: tuple[Run, ...], names: frozenset[str]) -> set[object]:
    """Return what is started, without the variables of the point that a script does not name."""
    return {
        (
            run.row,
            tuple(map(shown, run.argv)),
            frozenset((k, shown(v)) for k, v in run.env.items() if k in names),
            frozenset((k, shown(v)) for k, v in run.files.items()),
        )
        for run in runs
    }


def alone(script: Script, point: dict[str, str]) -> tuple[Run, ...]:
    """Follow every statement of a script for one point."""
    variables = {k: (Piece(v, -1),) if v else () for k, v in point.items()}
    states = _Follower().block(statements(script.root), [State(dict(variables), set(variables))])
    return tuple(run for state in states for run in state.runs)


def compare(source: str) -> None:
    blob = Blob.of(source.encode())
    script = read_script(blob)
    assert script is not None
    for point in POINTS:
        asked = environment(blob, point)
        names = script.names - (set(point) - {name for name, _ in asked})
        runs = runs_of(blob, asked)
        assert runs is not None
        assert said(runs, names) == said(alone(script, point), names), (source, point)


LINES = [
    'MAX=$((2 * CONC))\n',
    'if [ "$TP" = 8 ]; then MAX=7; fi\n',
    'if [ "$CONC" -gt 8 ]; then ARGS+=(--big "$TP"); else ARGS=(--small); fi\n',
    'if [ -f there ]; then MODE=a; elif [ "$EVAL_ONLY" = true ]; then MODE=b; fi\n',
    'if [[ "$EVAL_ONLY" == true ]]; then echo "$TP"; fi\n',
    'case "$ISL" in "") ;; *) exit 1 ;; esac\n',
    '[ "$CONC" -eq 16 ] && unset TP\n',
    'if [ -d data ]; then unset ISL; fi\n',
    'CONC=$CONC\n',
    'CONC=3\n',
    'LOG=$MODE.log\n',
    'echo "$CONC" > "$LOG"\n',
    'cat > conf.yaml <<EOF\nmax: $MAX\nmode: $MODE\nEOF\n',
    'f() { vllm serve m --in f --conc "$CONC"; }\n',
    'f\n',
    'export MODE\n',
    'for n in 1 2; do MAX+=",$n"; done\n',
    'vllm serve m --max "$MAX" --mode "$MODE" "${ARGS[@]}"\n',
    'if [ "$TP" = 4 ]; then vllm serve m --tp "$TP"; exit 0; fi\n',
    'python3 "$X" --conc "$CONC"\n',
    'run_benchmark_serving --conc "$CONC" > out\n',
    'if [ "${MAX:-0}" -gt 8 ]; then return; fi\n',
]  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(LINES), min_size=2, max_size=9))
def test_points_start_together_what_they_start_alone(lines: list[str]) -> None:
    compare("MODE=none\nARGS=()\n" + "".join(lines) + 'vllm serve m --mode "$MODE" --log "$LOG"\n')


@pytest.mark.parametrize("most", [0, 3])
def test_when_little_is_kept_the_same_is_started(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(course, "MOST_KEPT", most)
    compare(f"# {most}\n" + "".join(LINES[:14]) + LINES[17] + LINES[20])


def test_a_statement_is_followed_once_for_points_that_it_does_not_ask_about(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    steps = []
    follow = _Follower.statement
    monkeypatch.setattr(
        _Follower,
        "statement",
        lambda self, node, state: (steps.append(node.row), follow(self, node, state))[1],
    )
    source = 'A=1\nif [ "$CONC" -gt 4 ]; then B=2; fi\nC=$A\nvllm serve m --c "$C" --conc "$CONC"\n'
    blob = Blob.of(source.encode())
    for conc in ("1", "2", "8"):
        assert runs_of(blob, environment(blob, {"CONC": conc}))
    assert (steps.count(0), steps.count(2), steps.count(3)) == (1, 1, 3)


@pytest.mark.parametrize(
    ("source", "asked"),
    [
        ('vllm serve m --n "$CONC"\n', {"CONC"}),
        ('vllm serve m\necho "$CONC"\n', set()),
        ('echo "$CONC"\nvllm serve m\n', set()),
        ('if [ "$CONC" = 1 ]; then echo 1; fi\nvllm serve m\n', set()),
        ('if [ "$CONC" = 1 ]; then exit 1; fi\nvllm serve m\n', {"CONC"}),
        ('N=$CONC\nvllm serve m\n', set()),
        ('N=$CONC\nM=$N\nvllm serve m --n "$M"\n', {"CONC"}),
        ('vllm serve m\nif [ "$EVAL_ONLY" = true ]; then run_eval; else replay; fi\n', set()),
        ('f() { echo "$CONC"; }\nf\nvllm serve m --tp "$TP"\n', {"TP"}),
        ('f() { N=$(nproc "$CONC"); }\nf\nvllm serve m --n "$N"\n', {"CONC"}),
        ('cat > c <<EOF\n$CONC\nEOF\nvllm serve m --config c\n', {"CONC"}),
        ('N=1\n', set()),
    ],
)  # fmt: skip
def test_only_what_decides_what_is_started_is_asked(source: str, asked: set[str]) -> None:
    found = environment(Blob.of(source.encode()), {"CONC": "4", "TP": "8", "EVAL_ONLY": "true"})
    assert {name for name, _ in found} == asked
