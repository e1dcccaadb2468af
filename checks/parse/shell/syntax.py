"""The syntax tree of a shell script, bounded and light: tree-sitter's nodes as plain values."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from dataclasses import field as data
from functools import cached_property, lru_cache, wraps
from itertools import pairwise
from typing import Any, TypeVar

import tree_sitter_bash
from tree_sitter import Language, Parser, TreeCursor
from tree_sitter import Node as SourceNode

from checks.model import Blob

T = TypeVar("T")
LONGEST_SCRIPT = 300_000
MOST_NODES = 60_000
MOST_SCANNED = 100_000_000  # bytes
DEEPEST = 150

_PARSER = Parser(Language(tree_sitter_bash.language()))


@dataclass(slots=True, eq=False)  # frozen ones take twice as long to make
class Node:
    """A node of the syntax tree, which nothing changes.

    Attributes:
        kind: tree-sitter's name of it.
        field: its role in the node above, "" for none.
        row: 0-based row at which it starts; ``end_row`` at which it ends.
        column: in characters, 0-based.
        start: offset of its first character in the script; ``end`` of the one after its last.
        script: the whole source.
        memory: of `remembered`.

    """

    kind: str
    field: str
    row: int
    column: int
    end_row: int
    start: int
    end: int
    named: bool
    children: tuple["Node", ...] = data(repr=False)
    script: str = data(repr=False)
    memory: dict[object, Any] | None = data(default=None, repr=False)

    @property
    def text(self) -> str:
        """Return its source."""
        return self.script[self.start : self.end]

    @property
    def inner(self) -> tuple["Node", ...]:
        """Return the children that are more than punctuation."""
        return _inner(self)

    def child(self, field: str) -> "Node | None":
        """Return the first child in a role."""
        return _by_role(self).get(field)

    def all(self, field: str) -> tuple["Node", ...]:
        """Return the children in a role."""
        return tuple(each for each in self.children if each.field == field)

    def walk(self) -> Iterator["Node"]:
        """Return this node and everything below it, in the order of the source."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            if node.children:
                waiting += node.children[::-1]


def remembered(function: Callable[[Node], T]) -> Callable[[Node], T]:
    """Ask only once what the source of a node alone decides; the answer lives with the node."""

    @wraps(function)
    def asked(node: Node, /) -> T:
        memory = node.memory
        if memory is None:
            memory = node.memory = {}
        if function not in memory:
            memory[function] = function(node)
        answer: T = memory[function]
        return answer

    return asked


@remembered
def _inner(node: Node) -> tuple[Node, ...]:
    return tuple([each for each in node.children if each.named])


@remembered
def _by_role(node: Node) -> dict[str, Node]:
    return {each.field: each for each in reversed(node.children) if each.field}


@dataclass(frozen=True, eq=False)
class Script:
    """A script that could be read: its tree."""

    root: Node

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """Return all nodes in the order of the source."""
        return tuple(self.root.walk())

    @cached_property
    def commands(self) -> tuple[Node, ...]:
        """Return its commands in the order of the source."""
        return tuple(node for node in self.nodes if node.kind == "command")

    @cached_property
    def names(self) -> frozenset[str]:
        """Return the variables that it mentions."""
        return frozenset(n.text for n in self.nodes if n.kind == "variable_name")

    def branches_on(self, name: str) -> bool:
        """Tell whether a condition reads a variable, or one that is computed from it."""
        derived, waiting = {name}, [name]
        while waiting:
            new = self._computed.get(waiting.pop(), set()) - derived
            derived |= new
            waiting += new
        return any(not derived.isdisjoint(_names(n)) for n in self._conditions)

    @cached_property
    def _computed(self) -> dict[str, set[str]]:
        """Return the variables that are computed from each."""
        found: dict[str, set[str]] = {}
        for each in (node for node in self.nodes if node.kind == "variable_assignment"):
            target, value = each.child("name"), each.child("value")
            if target and value:
                for name in _names(value):
                    found.setdefault(name, set()).add(target.text)
        return found

    @cached_property
    def _conditions(self) -> tuple[Node, ...]:
        found = []
        for node in self.nodes:
            arithmetic = node.kind == "compound_statement" and node.children[0].text == "(("
            if arithmetic or node.kind in ("test_command", "ternary_expression"):
                found.append(node)
            elif node.kind == "case_statement" and (value := node.child("value")):
                found.append(value)
        return tuple(found)


def _names(node: Node) -> set[str]:
    return {each.text for each in node.walk() if each.kind == "variable_name"}


@lru_cache(maxsize=24)
def read_script(blob: Blob) -> Script | None:
    """Read a script; None when it is too large, is not UTF-8 or has a syntax error."""
    # The end of each here-document is looked for in all that follows.
    scanned = blob.data.count(b"<<") * len(blob.data)
    if len(blob.data) > LONGEST_SCRIPT or scanned > MOST_SCANNED:
        return None
    try:
        source = blob.data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    tree = _PARSER.parse(blob.data)
    if tree.root_node.has_error or tree.root_node.descendant_count > MOST_NODES:
        return None
    reader = _Reader(blob.data, source)
    root = reader.read(tree.walk(), 0)
    return Script(root) if root else None


class _Reader:
    def __init__(self, data: bytes, source: str) -> None:
        self.source = source
        # Bytes that start no character: so many less are there characters before an offset.
        self.inside = [match.start() for match in re.finditer(rb"[\x80-\xbf]", data)]
        # Assignments on lines of their own, which tree-sitter takes for a part of the next command.
        self.loose: list[Node] = []

    def read(self, cursor: TreeCursor, depth: int) -> Node | None:
        """Return the node under a cursor, or None when the tree is too deep."""
        node = cursor.node
        assert node is not None
        field, children, loose = cursor.field_name or "", list[Node](), list[Node]()
        if depth < DEEPEST and cursor.goto_first_child():
            while True:
                child = self.read(cursor, depth + 1)
                if child is None:
                    return None
                # What stands before a statement stands before those that begin with it, too.
                if children or not depth:
                    children += self.loose
                else:
                    loose = self.loose
                self.loose = []
                children.append(child)
                if not cursor.goto_next_sibling():
                    break
            cursor.goto_parent()
        elif depth >= DEEPEST:
            return None
        if node.type == "command" and (cut := self.apart(children)):
            loose, children = children[:cut], children[cut:]
            if children[0].text == "{":  # taken for the name of the command
                return None
        found, self.loose = self.plain(node, field, tuple(children)), loose
        if loose:
            first = children[0]
            found.row, found.column, found.start = first.row, first.column, first.start
        return found

    def apart(self, children: list[Node]) -> int:
        """Return how many assignments at the start of a command stand on lines before it."""
        cut = 0
        for at, (each, after) in enumerate(pairwise(children), 1):
            if each.kind not in ("variable_assignment", "comment"):
                break
            between = self.source[each.end : after.start].replace("\\\n", "")
            cut = at if "\n" in between else cut
        return cut

    def plain(self, node: SourceNode, field: str, children: tuple[Node, ...]) -> Node:
        """Return tree-sitter's node as a value; its columns and offsets count bytes."""
        (row, column), end_row = node.start_point, node.end_point[0]
        start, end = node.start_byte, node.end_byte
        if self.inside:
            line = self.place(start - column)
            start, end = self.place(start), self.place(end)
            column = start - line
        named, source = node.is_named, self.source
        return Node(node.type, field, row, column, end_row, start, end, named, children, source)

    def place(self, offset: int) -> int:
        """Return how many characters there are before an offset in bytes."""
        return offset - bisect_left(self.inside, offset)
