"""What the statements of a script leave behind: variables, arrays and files."""

import re
from collections.abc import Callable, Iterable, Mapping
from itertools import islice

from checks.parse.shell.by_values import by_values
from checks.parse.shell.changing import declares, defaults, exporting, exports_too, sets, sources
from checks.parse.shell.conditions import word_text
from checks.parse.shell.expand import body, lines, word_of, words_of
from checks.parse.shell.shape import assignment, options
from checks.parse.shell.state import ALLEXPORT, State
from checks.parse.shell.syntax import Node, remembered
from checks.parse.shell.words import (
    ANY,
    REST,
    UNKNOWN_TEXT,
    Array,
    Word,
    joined,
    known,
    shown,
    unknown,
    without,
)

MOST_WORDS = 2_000
# Words of a declaration that become names and values only by what is in them.
_EXPANDED = frozenset({"string", "raw_string", "concatenation", "simple_expansion", "expansion",
                       "command_substitution"})  # fmt: skip
# An item of an array with its place before it.
_PLACED = re.compile(r"\[[^\]]*\]\+?=")


def written(redirect: Node, heredoc: Node | None, state: State) -> None:
    """Keep what a redirection writes into a file."""
    destination = redirect.child("destination")
    operator = next((n.text for n in redirect.children if not n.named), "")
    path = word_text(destination, state) if destination else None
    if path is None or operator not in (">", ">>"):
        return
    parts = {n.kind: n for n in heredoc.children} if heredoc else {}
    content, start = parts.get("heredoc_body"), parts.get("heredoc_start")
    if content is None or start is None:
        word = unknown(redirect.row)
    elif start.text.startswith(("'", '"', "\\")):
        word = lines(content.text, content.row, 0)
    else:
        word = body(content, state)
    before = state.files.get(path, unknown(redirect.row)) if operator == ">>" else ()
    state.files[path] = joined([before, word], redirect.row)


def expanded(nodes: Iterable[Node], state: State) -> tuple[Word, ...]:
    """Return the words to which nodes expand; the rest is not known when they are too many."""
    words = (word for node in nodes for word in words_of(node, state))
    first = tuple(islice(words, MOST_WORDS))
    return first if len(first) < MOST_WORDS else (*first, ANY)


def assign(node: Node, state: State) -> None:
    """Follow ``NAME=value``."""
    name, value, adds = assignment(node)
    if not name:
        forget(node, state)
        return
    new = assigned(value, state)
    if value is not None:
        forget(value, state)
    before = state.variables.get(name)
    if adds and isinstance(new, Array):
        kept = before if isinstance(before, Array) else Array([before] if before else ())
        whole = before is not None and len(kept) < MOST_WORDS
        new = Array((*(kept if whole else (ANY,)), *new))
    elif adds:
        new = appended(before, new, node.row)
    state.variables[name] = new
    if ALLEXPORT in state.exported:
        state.exported.add(name)


def declare(node: Node, state: State) -> None:
    """Follow ``export``, ``declare``, ``local`` and their like."""
    chosen, program = options(node), node.children[0].text
    exports = program == "export" or "x" in chosen
    takes_back = program == "export" and "n" in chosen
    for each in node.children:
        name = each.child("name") if each.kind == "variable_assignment" else each
        if each.kind == "variable_assignment":
            assign(each, state)
            if "n" in chosen and program != "export":
                _referred(state)
        elif each.kind in _EXPANDED:
            for word in words_of(each, state):
                _declared(word, state, each.row, exports=exports)
        elif program == "local" and each.kind == "variable_name":
            state.variables[each.text] = ()
        if exports and name is not None and name.kind == "variable_name":
            (state.exported.discard if takes_back else state.exported.add)(name.text)


def _referred(state: State) -> None:
    """Take every array for unknown, as a reference to one may change any."""
    arrays = [name for name, value in state.variables.items() if isinstance(value, Array)]
    state.variables.update(dict.fromkeys(arrays, Array((ANY,))))


def _declared(word: Word, state: State, row: int, *, exports: bool) -> None:
    """Follow the ``NAME=value`` or the name that a word is; it may be any when it is not known."""
    name, equals, _ = shown(word).partition("=")
    if UNKNOWN_TEXT in name and exports:
        _set_others(state, row)
    elif re.fullmatch(r"[A-Za-z_]\w*", name):
        if equals:
            state.variables[name] = without(word, len(name) + 1)
        if exports:
            state.exported.add(name)


def unset(node: Node, state: State) -> None:
    """Follow ``unset``."""
    for each in (n.text for n in node.children if n.kind == "variable_name"):
        state.variables[each] = ()
        state.exported.discard(each)


EFFECTS: Mapping[str, Callable[[Node, State], None]] = {
    "variable_assignment": assign,
    "declaration_command": declare,
    "unset_command": unset,
}


def changed(node: Node, argv: tuple[Word, ...], state: State) -> None:
    """Follow a command that is no server: what it sets, and files that it is given, are unknown."""
    if program := declares(node):
        _declared_late(node, program, argv, state)
        return
    given = {name: word_of(each, state) for name, each in defaults(node).items()}
    state.variables.update(dict.fromkeys(sets(node), unknown(node.row)) | given)
    state.files.update(
        {path: unknown(node.row) for word in argv if (path := known(word)) in state.files}
    )
    if exports_too(node):
        state.exported.update(sets(node))
    if sources(node):
        _set_others(state, node.row)
    exports = exporting(node)
    if exports is not None:
        (state.exported.add if exports else state.exported.discard)(ALLEXPORT)


def _set_others(state: State, row: int) -> None:
    """Take for possible that any variable is set and exported."""
    state.variables[REST] = unknown(row)
    state.exported.add(REST)


def _declared_late(node: Node, program: str, argv: tuple[Word, ...], state: State) -> None:
    """Follow a declaration that tree-sitter takes for a command."""
    exports = program == "export" or any(re.match(r"-\w*x", shown(word)) for word in argv)
    for name in sets(node) if program == "unset" else ():
        state.variables[name] = ()
        state.exported.discard(name)
    for word in argv[1:] if program != "unset" else ():
        _declared(word, state, node.row, exports=exports)


def appended(before: Word | Array | None, new: Word | Array, row: int) -> Word:
    """Return the value of a variable after ``+=``, not known for an array."""
    if before is None or isinstance(before, Array) or isinstance(new, Array):
        return unknown(row)
    return joined([before, new], row)


def assigned(value: Node | None, state: State) -> Word | Array:
    """Return what an assignment gives a variable."""
    return () if value is None else _value(value, state)


@by_values
def _value(value: Node, state: State) -> Word | Array:
    if value.kind == "array":
        items = [each for each in value.inner if each.kind != "comment"]
        placed = any(each.kind == "concatenation" and _PLACED.match(each.text) for each in items)
        return Array((ANY,) if placed else expanded(items, state))
    word = word_of(value, state)
    return unknown(value.row) if word is ANY else word


def forget(node: Node, state: State) -> None:
    """Take everything that is assigned below a node as not known."""
    state.variables.update(_forgotten(node))


@remembered
def _forgotten(node: Node) -> dict[str, Word | Array]:
    """Return what is not known after a node, each as a value that is not known."""
    found: dict[str, Word | Array] = {}
    for each in node.walk():
        if each.kind == "variable_assignment" and (name := each.child("name")):
            value, item = each.child("value"), name.child("name")
            listed = item or (value is not None and value.kind == "array")
            found[(item or name).text] = Array((ANY,)) if listed else unknown(each.row)
        elif each.field == "variable" and each.kind == "variable_name":
            found[each.text] = unknown(each.row)
        found.update(dict.fromkeys(sets(each), unknown(each.row)))
    return found
