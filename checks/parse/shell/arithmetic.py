"""Integer arithmetic of a shell script, as far as its variables are known."""

import re
from collections.abc import Callable, Sequence

from checks.parse.shell.state import State
from checks.parse.shell.syntax import Node

LARGEST = 2**63
_INTEGER = re.compile(r"\s*[-+]?(?:0|[1-9][0-9]*)\s*")

_BINARY: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "<": lambda a, b: int(a < b),
    ">": lambda a, b: int(a > b),
    "<=": lambda a, b: int(a <= b),
    ">=": lambda a, b: int(a >= b),
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "&&": lambda a, b: int(bool(a and b)),
    "||": lambda a, b: int(bool(a or b)),
}


def integer(value: str | None) -> int | None:
    """Return a short decimal integer, or None; a zero before others may mean an octal one."""
    found = _INTEGER.fullmatch(value) if value is not None and len(value) <= 20 else None
    return int(found[0]) if found else None


def calculate(node: Node, state: State) -> int | None:
    """Return the value of an arithmetic expression, or None when it is not known."""
    if node.kind == "number":
        return integer(node.text)
    if node.kind in ("variable_name", "word"):
        return integer(state.text(node.text))
    if node.kind in ("simple_expansion", "expansion"):
        names = node.inner
        plain = len(names) == 1 and names[0].kind == "variable_name" and not node.child("operator")
        return integer(state.text(names[0].text)) if plain else None
    inner = node.inner
    if node.kind == "ternary_expression" and len(inner) == 3:
        chosen = calculate(inner[0], state)
        return None if chosen is None else calculate(inner[1 if chosen else 2], state)
    if node.kind == "binary_expression" and len(inner) == 2:
        operator = node.child("operator")
        return _binary(operator.text if operator else "", inner, state)
    if node.kind == "unary_expression" and len(inner) == 1:
        value = calculate(inner[0], state)
        signs = {"-": -1, "+": 1}
        sign = signs.get(node.children[0].text)
        return value * sign if value is not None and sign else None
    if node.kind in ("parenthesized_expression", "arithmetic_expansion", "compound_statement"):
        return calculate(inner[0], state) if len(inner) == 1 else None
    return None


def _binary(operator: str, sides: Sequence[Node], state: State) -> int | None:
    left, right = calculate(sides[0], state), calculate(sides[1], state)
    if left is None or right is None:
        return None
    if operator in ("/", "%"):
        # The shell rounds towards zero.
        quotient = abs(left) // abs(right) if right else 0
        quotient = quotient if (left < 0) == (right < 0) else -quotient
        value: int | None = quotient if operator == "/" else left - quotient * right
        value = value if right else None
    else:
        value = _BINARY[operator](left, right) if operator in _BINARY else None
    return value if value is not None and abs(value) < LARGEST else None
