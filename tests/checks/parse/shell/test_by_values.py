"""What is remembered of a part of a script is what it says for these values, and little."""

from checks.model import Blob
from checks.parse.shell import by_values
from checks.parse.shell.by_values import by_values as remembering
from checks.parse.shell.conditions import decided
from checks.parse.shell.effects import assigned
from checks.parse.shell.expand import word_of
from checks.parse.shell.state import State
from checks.parse.shell.syntax import Node, read_script
from checks.parse.shell.words import Array, Piece, Word, shown


def node_of(source: str, kind: str) -> Node:
    script = read_script(Blob.of(source.encode()))
    assert script is not None
    return next(node for node in script.root.walk() if node.kind == kind)


def word(value: str) -> Word:
    return (Piece(value, 0),)


def test_another_value_is_another_answer() -> None:
    node = node_of('A="$X-$Y"\n', "string")
    said = [
        shown(word_of(node, State({"X": word(x), "Y": word("y")}))) for x in ("1", "2", "1", "2")
    ]
    assert said == ["1-y", "2-y", "1-y", "2-y"]


def test_a_condition_is_decided_anew_when_a_variable_of_it_changes() -> None:
    node = node_of('[[ "$X" == a && $((Y + 1)) -gt 1 ]]\n', "test_command")
    states = [State({"X": word(x), "Y": word(y)}) for x, y in (("a", "1"), ("a", "0"), ("b", "1"))]
    assert [decided(node, state) for state in [*states, *states]] == [True, False, False] * 2
    assert decided(node, State()) is None


def test_an_empty_array_is_no_empty_word() -> None:
    node = node_of('A=("${X[@]}")\n', "array")
    for _ in range(2):
        assert assigned(node, State({"X": ()})) == Array([()])
        assert assigned(node, State({"X": Array()})) == Array()


def test_few_and_short_answers_are_kept() -> None:
    asked = []

    @remembering
    def answer(node: Node, state: State) -> Word:
        asked.append(state.text("X"))
        return state.variables["X"] or ()  # type: ignore[return-value]

    node = node_of('A="$X"\n', "string")
    long = word("x" * by_values.LONGEST_ANSWER)
    for value in (word("a"), word("a"), long, long):
        answer(node, State({"X": value}))
    assert [each and each[0] for each in asked] == ["a", "x", "x"]
    for number in range(by_values.MOST_ANSWERS):
        answer(node, State({"X": word(str(number))}))
    asked.clear()
    answer(node, State({"X": word("a")}))
    assert asked == ["a"]
