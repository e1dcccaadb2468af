"""Which statements of a script decide what it starts, and which variables they ask about.

Most of a script logs, installs, waits and tidies up. What is behind the last server or client, and
what only sets variables that nothing else mentions, need not be followed.
"""

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from enum import Enum, auto
from typing import NamedTuple

from checks.model import Blob
from checks.parse.shell.changing import declares, exporting, exports_too, has_effect, sets
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
        starts: whether it may start something, by a function too.
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


def matters(node: Node, functions: Container[str]) -> bool:
    """Tell whether a command changes anything that is followed, or its name is not known."""
    program = command(node)[0]
    if program is None or program in HALTS or program in functions:
        return True
    return may_start(program) or has_effect(node)


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
    bodies: dict[str, list[Node]] = {}
    for node in (each for each in root.walk() if each.kind == "function_definition"):
        name, inner = node.child("name"), node.child("body")
        if name and inner:
            bodies.setdefault(name.text, []).append(inner)
    starting = _starting(bodies)
    traces = [_trace(node, frozenset(bodies), starting) for node in statements(root)]
    if any(exporting(each) for each in root.walk() if each.kind == "command"):
        return [trace._replace(lasts=True) for trace in traces]
    return traces


def _starting(bodies: Mapping[str, list[Node]]) -> frozenset[str]:
    """Return the functions that may start something, themselves or by another one."""
    called = {name: _programs(inner, bodies) for name, inner in bodies.items()}
    found = frozenset(name for name, programs in called.items() if any(map(_starts, programs)))
    while more := {n for n, programs in called.items() if n not in found and programs & found}:
        found |= more
    return found


def _programs(nodes: Iterable[Node], functions: Container[str]) -> frozenset[str | None]:
    """Return the commands that matter below nodes, by their names."""
    below = (each for node in nodes for each in _below(node, functions))
    return frozenset(command(n)[0] for n, followed in below if followed and n.kind == "command")


def _starts(program: str | None) -> bool:
    return program is None or may_start(program)


def _trace(statement: Node, functions: frozenset[str], starting: frozenset[str]) -> Trace:
    assigned, names = set[str](), set[str]()
    programs, lasts = set[str | None](), False
    for node, followed in _below(statement, functions):
        set_here = sets(node)
        assigned.update(set_here)
        names.update(set_here)
        sets_only = node.kind == "command" and bool(set_here)
        sets_only = sets_only and not (declares(node) or exports_too(node))
        if followed and node.kind in _LASTING and not sets_only:
            lasts = True
            programs |= {command(node)[0]} if node.kind == "command" else set()
        if node.kind in _NAMES:
            names.add(node.text)
            if node.field in ("name", "variable") and node.kind == "variable_name":
                assigned.add(node.text)
        elif node.kind in ("simple_expansion", "expansion") and (hole := _HOLE.match(node.text)):
            names.add(hole[1])
    starts = any(map(_starts, programs)) or not programs.isdisjoint(starting)
    return Trace(statement, starts, lasts, frozenset(assigned), frozenset(names))


class _How(Enum):
    """What the follower does with a node where it stands."""

    FOLLOWED = auto()
    DEFINED = auto()
    EXPANDED = auto()


def _below(node: Node, functions: Container[str]) -> Iterator[tuple[Node, bool]]:
    """Return a node and what is below it, each with whether it is followed where it stands.

    What is expanded is not, nor is what a function does. Commands that change nothing are left out.
    """
    waiting = [(node, _How.FOLLOWED)]
    while waiting:
        each, how = waiting.pop()
        if each.kind in _EXPANDED:
            how = _How.EXPANDED
        unread = how is not _How.EXPANDED and each.kind == "command"
        if unread and not matters(each, functions):
            continue
        yield each, how is _How.FOLLOWED
        if each.kind == "function_definition" and how is _How.FOLLOWED:
            how = _How.DEFINED
        waiting += [(below, how) for below in each.children]
