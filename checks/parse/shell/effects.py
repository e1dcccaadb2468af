"""What the statements of a script leave behind: variables, arrays and files."""

from collections.abc import Iterable
from itertools import islice

from checks.parse.shell.by_values import by_values
from checks.parse.shell.conditions import word_text
from checks.parse.shell.expand import body, lines, word_of, words_of
from checks.parse.shell.state import State
from checks.parse.shell.syntax import Node, remembered
from checks.parse.shell.words import ANY, Array, Word, joined, unknown

MOST_WORDS = 2_000


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
    elif start.text[:1] in "'\"\\":
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
        return Array(expanded((n for n in value.inner if n.kind != "comment"), state))
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
            value = each.child("value")
            listed = value is not None and value.kind == "array"
            found[name.text] = Array((ANY,)) if listed else unknown(each.row)
        elif each.field == "variable" and each.kind == "variable_name":
            found[each.text] = unknown(each.row)
    return found
