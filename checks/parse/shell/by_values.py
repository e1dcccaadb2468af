"""What a part of a script says is computed once for equal values of the variables it speaks of."""

import re
from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from checks.parse.shell.state import State
from checks.parse.shell.syntax import Node, remembered
from checks.parse.shell.words import REST, Array

T = TypeVar("T")
MOST_ANSWERS = 64
LONGEST_ANSWER = 4_000
_NAMES = frozenset({"variable_name", "special_variable_name", "word"})
_EXPANDED = re.compile(r"\$\{?(\w+)")


def by_values(function: Callable[[Node, State], T]) -> Callable[[Node, State], T]:
    """Remember what a function says of a node; it may look at nothing but variables.

    The points of a search space differ in a few variables, and so do the ways through a script.
    """

    @remembered
    def kept(_: Node) -> dict[object, T]:
        return {}

    @wraps(function)
    def asked(node: Node, state: State, /) -> T:
        variables, answers = state.variables, kept(node)
        values = [variables.get(name) for name in _mentioned(node)]
        # An empty array equals an empty word.
        key = tuple([(Array, each) if each.__class__ is Array else each for each in values])
        if key in answers:
            return answers[key]
        answer = function(node, state)
        if _short(answer):
            if len(answers) == MOST_ANSWERS:
                answers.clear()
            answers[key] = answer
        return answer

    return asked


def _short(answer: object) -> bool:
    """Tell whether an answer is worth its room: a truth, or a word or array that is not long."""
    if not isinstance(answer, tuple):
        return True
    words = answer if isinstance(answer, Array) else (answer,)
    return sum(len(piece.text) for word in words for piece in word) < LONGEST_ANSWER


@remembered
def _mentioned(node: Node) -> tuple[str, ...]:
    """Return whatever may be the name of a variable below a node."""
    found = {REST}
    for each in node.walk():
        if each.kind in _NAMES:
            found.add(each.text)
        elif each.kind in ("simple_expansion", "expansion") and (
            name := _EXPANDED.match(each.text)
        ):
            found.add(name[1])
    return tuple(sorted(found))
