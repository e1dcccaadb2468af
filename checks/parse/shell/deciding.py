"""Which statements of a script decide what it starts, and which variables they ask about.

Most of a script logs, installs, waits and tidies up. What is behind the last server or client, and
what only sets variables that nothing else mentions, need not be followed.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from checks.model import Blob
from checks.parse.shell.launch import may_start
from checks.parse.shell.shape import command, statements
from checks.parse.shell.syntax import Node, Script, read_script, remembered

HALTS = frozenset({"exit", "return"})
# What is in these is expanded, not followed.
_EXPANDED = frozenset({"command_substitution", "process_substitution"})
# What lasts besides variables: exports, files, functions, and the end of the script.
_LASTING = frozenset(
    {"declaration_command", "unset_command", "file_redirect", "function_definition", "command"}
)
_NAMES = frozenset({"variable_name", "special_variable_name", "word"})
_HOLE = re.compile(r"\$\{?(\w+)")


class Trace(NamedTuple):
    """What a statement is about.

    Attributes:
        node: the statement.
        starts: whether it may start something, also when a function that it defines is called.
        lasts: whether more than variables may be otherwise after it.
        assigned: the variables that it may assign.
        names: whatever in it may name a variable.

    """

    node: Node
    starts: bool
    lasts: bool
    assigned: frozenset[str]
    names: frozenset[str]


class Deciding(NamedTuple):
    """The statements to follow, in their order, and whatever in them may name a variable."""

    traces: tuple[Trace, ...]
    names: frozenset[str]


def matters(program: str | None, functions: Iterable[str]) -> bool:
    """Tell whether a command changes anything that is followed; None is a name not known."""
    if program is None:
        return True
    return program in HALTS or program in functions or may_start(program)


def environment(blob: Blob, point: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the variables of a point that a script asks about, to follow it once for equals."""
    script = read_script(blob)
    names = deciding(script, point).names & script.names if script else frozenset[str]()
    return tuple(sorted((k, v) for k, v in point.items() if k in names))


def deciding(script: Script, given: Iterable[str]) -> Deciding:
    """Return the statements of a script that decide what it starts.

    Args:
        script: the script.
        given: the variables that it is given, and so is whatever it starts.

    """
    known, wanted = _known(script.root), script.names.intersection(given)
    found = known.get(wanted)
    if found is None:
        found = known[wanted] = _deciding(_traces(script.root), wanted)
    return found


@remembered
def _known(_: Node) -> dict[frozenset[str], Deciding]:
    return {}


def _deciding(traces: list[Trace], given: frozenset[str]) -> Deciding:
    starting = [at for at, trace in enumerate(traces) if trace.starts]
    waiting = traces[: starting[-1] + 1] if starting else []
    needed, kept = given, list[Trace]()
    while found := [x for x in waiting if x.lasts or not x.assigned.isdisjoint(needed)]:
        kept += found
        needed = needed.union(*(trace.names for trace in found))
        waiting = [trace for trace in waiting if trace not in found]
    kept.sort(key=lambda trace: trace.node.start)
    names = frozenset[str]().union(*(trace.names for trace in kept))
    return Deciding(tuple(kept), names)


@remembered
def _traces(root: Node) -> list[Trace]:
    named = (n.child("name") for n in root.walk() if n.kind == "function_definition")
    functions = frozenset(name.text for name in named if name)
    return [_trace(node, functions) for node in statements(root)]


def _trace(statement: Node, functions: frozenset[str]) -> Trace:
    starts = lasts = False
    assigned, names = set[str](), set[str]()
    for node, followed in _below(statement, functions):
        if followed and node.kind in _LASTING:
            program = command(node)[0] if node.kind == "command" else ""
            starts = starts or program is None or program in functions or may_start(program)
            starts = starts or node.kind == "function_definition"
            lasts = True
        if node.kind in _NAMES:
            names.add(node.text)
            if node.field in ("name", "variable") and node.kind == "variable_name":
                assigned.add(node.text)
        elif node.kind in ("simple_expansion", "expansion") and (hole := _HOLE.match(node.text)):
            names.add(hole[1])
    return Trace(statement, starts, lasts, frozenset(assigned), frozenset(names))


def _below(
    node: Node, functions: frozenset[str], *, followed: bool = True
) -> Iterator[tuple[Node, bool]]:
    """Return a node and what is below it, each with whether it is followed, not expanded.

    Commands that change nothing are left out.
    """
    if node.kind in _EXPANDED:
        followed = False
    if followed and node.kind == "command" and not matters(command(node)[0], functions):
        return
    yield node, followed
    for each in node.children:
        yield from _below(each, functions, followed=followed)
