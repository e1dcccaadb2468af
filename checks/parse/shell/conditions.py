"""Tests of a shell script, as far as they are decided: true, false, or None for not known."""

import re
from collections.abc import Callable
from fnmatch import translate

from checks.parse.shell.arithmetic import calculate, integer
from checks.parse.shell.by_values import by_values
from checks.parse.shell.expand import word_of
from checks.parse.shell.state import State
from checks.parse.shell.syntax import Node
from checks.parse.shell.words import UNKNOWN_TEXT, Array, known, shown

_NUMBERS: dict[str, Callable[[int, int], bool]] = {
    "-eq": lambda a, b: a == b,
    "-ne": lambda a, b: a != b,
    "-lt": lambda a, b: a < b,
    "-le": lambda a, b: a <= b,
    "-gt": lambda a, b: a > b,
    "-ge": lambda a, b: a >= b,
}
LONGEST_PATTERN = 200


@by_values
def decided(node: Node, state: State) -> bool | None:
    """Return what a test command or an arithmetic command says."""
    if node.kind == "compound_statement":
        value = calculate(node, state)
        return None if value is None else value != 0
    inner = node.inner
    return _test(inner[0], state) if len(inner) == 1 else None


def _test(node: Node, state: State) -> bool | None:
    if node.kind == "parenthesized_expression":
        return decided(node, state)
    if node.kind == "unary_expression":
        return _unary(node, state)
    if node.kind == "binary_expression":
        left, right, operator = node.child("left"), node.child("right"), node.child("operator")
        if left is None or right is None or operator is None:
            return None
        return _binary(left, operator.text, right, state)
    return _filled(node, state)


def _unary(node: Node, state: State) -> bool | None:
    operator, operand = node.children[0].text, node.children[-1]
    if operator == "!":
        value = _test(operand, state)
        return None if value is None else not value
    if operator == "-v":
        return True if state.variables.get(operand.text) else None
    if operator in ("-n", "-z"):
        value = _filled(operand, state)
        return value if operator == "-n" or value is None else not value
    return None


def _filled(node: Node, state: State) -> bool | None:
    word = shown(word_of(node, state))
    if word.replace(UNKNOWN_TEXT, ""):
        return True
    return None if word else False


def _binary(left: Node, operator: str, right: Node, state: State) -> bool | None:
    if operator in ("&&", "||", "-a", "-o"):
        sides = [_test(left, state), _test(right, state)]
        ruling = operator in ("||", "-o")
        if ruling in sides:
            return ruling
        return None if None in sides else not ruling
    if operator in _NUMBERS:
        first, second = _number(left, state), _number(right, state)
        if first is None or second is None:
            return None
        return _NUMBERS[operator](first, second)
    if operator in ("=", "==", "!="):
        same = like(word_text(left, state), right, state)
        return same if operator != "!=" or same is None else not same
    return None


def _number(node: Node, state: State) -> int | None:
    value = calculate(node, state)
    return value if value is not None else integer(word_text(node, state))


def word_text(node: Node, state: State) -> str | None:
    """Return the text of a word, None when it is not known."""
    word = word_of(node, state)
    return None if isinstance(word, Array) else known(word)


def like(text: str | None, pattern: Node, state: State) -> bool | None:
    """Tell whether a text matches a pattern: a glob unless it is quoted."""
    wanted = word_text(pattern, state)
    if pattern.text == "*":
        return True
    if text is None or wanted is None or len(wanted) > LONGEST_PATTERN:
        return None
    globs = pattern.kind in ("extglob_pattern", "concatenation", "word", "regex")
    if not globs or not re.search(r"[*?\[(]", pattern.text):
        return text == wanted
    if "(" in wanted or "[:" in wanted or wanted.count("*") > 3:
        return None
    return re.fullmatch(translate(wanted), text) is not None
