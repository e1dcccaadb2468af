"""Expansion of the words of a script: quotes, variables, arrays, arithmetic, substitutions."""

import re
from collections.abc import Iterator

from checks.parse.shell.arithmetic import calculate
from checks.parse.shell.by_values import by_values
from checks.parse.shell.state import State
from checks.parse.shell.substitute import printed
from checks.parse.shell.syntax import Node, remembered
from checks.parse.shell.words import (
    ANY,
    REST,
    UNKNOWN_TEXT,
    Array,
    Piece,
    Word,
    joined,
    known,
    named,
    shown,
    split,
    unknown,
)

_EXPANSION = re.compile(
    r"\$\{(?P<name>\w+)(?:\[(?P<index>@|\*|\d+)\])?"
    r"(?:(?P<operator>:?[-=+?]|%%?|##?)(?P<rest>.*))?\}",
    re.DOTALL,
)
# Variables that the workflow and the launchers set to one word.
_ONE_WORD = re.compile(r"(?:PORT|MODEL|LEN|RATIO|PATH|NAME|[IO]SL|SIZE|LOG|DIR|HOST)\}?$")
# Variables that the workflow sets besides those of a point.
_BY_WORKFLOW = frozenset(
    {
        *("EXP_NAME", "MAX_MODEL_LEN", "RUN_EVAL", "TOTAL_CPU_DRAM_GB", "DURATION", "EVAL_LIMIT"),
        *("RANDOM_RANGE_RATIO", "RESULT_FILENAME", "RESULT_DIR", "RUNNER_NAME", "HF_HUB_CACHE"),
    }
)
_QUOTED_ESCAPE = re.compile(r'\\(["\\$`])')
_HOLES = (
    "simple_expansion",
    "expansion",
    "command_substitution",
    "arithmetic_expansion",
    "process_substitution",
)
_DECIDED = frozenset({"ansi_c_string", "translated_string", *_HOLES})


def words_of(node: Node, state: State) -> list[Word]:
    """Return the words that one word of the source expands to."""
    if (word := _written(node)) is not None:
        return [word]
    if node.kind == "command_name" and len(node.children) == 1:
        return words_of(node.children[0], state)
    if node.kind in ("simple_expansion", "expansion"):
        return list(_unquoted(node, state))
    if node.kind == "command_substitution":
        word = _substituted(node, state)
        return list(split(word)) if known(word) is not None else [ANY]
    if node.kind == "string":
        return _string(node, state)
    if node.kind == "process_substitution" or (node.kind == "word" and "{" in node.text):
        return [unknown(node.row)]
    return [word_of(node, state)]


def _unquoted(node: Node, state: State) -> Iterator[Word]:
    """Return the words of an unquoted expansion; what is not known may be any number of words."""
    for word in _variable(node, state, quoted=False):
        if word is ANY or (shown(word) == UNKNOWN_TEXT and not _ONE_WORD.search(node.text)):
            yield ANY
        else:
            yield from split(word)


def word_of(node: Node, state: State) -> Word:
    """Return the one word to which a node of the source expands, as in an assignment."""
    word = _written(node)
    return _expanded(node, state) if word is None else word


@remembered
def _written(node: Node) -> Word | None:
    """Return the word that a node is whatever the variables are, None when they decide it."""
    braces = node.kind == "word" and "{" in node.text
    if braces or node.kind == "command_name" or any(x.kind in _DECIDED for x in node.walk()):
        return None
    return _expanded(node, State())


def _expanded(node: Node, state: State) -> Word:
    if node.kind == "raw_string":
        quoted = node.text  # `text[` would look like a message to the catalog's extractor
        return lines(quoted[1:-1], node.row, node.column + 1)
    if node.kind == "string":
        return joined(_string(node, state), node.row)
    if node.kind == "concatenation":
        return joined((word_of(each, state) for each in node.children), node.row)
    if node.kind in ("simple_expansion", "expansion"):
        return joined(_variable(node, state, quoted=True), node.row)
    if node.kind == "command_substitution":
        return _substituted(node, state)
    if node.kind == "arithmetic_expansion":
        value = calculate(node, state)
        return unknown(node.row) if value is None else (Piece(str(value), node.row),)
    if node.kind in ("command_name", "word") and node.children:
        return joined((word_of(each, state) for each in node.children), node.row)
    if node.kind in ("process_substitution", "ansi_c_string", "translated_string"):
        return unknown(node.row)
    text = re.sub(r"\\(.)", r"\1", node.text, flags=re.DOTALL) if "\\" in node.text else node.text
    return (Piece(text, node.row, node.column),) if text else ()


def lines(text: str, row: int, column: int) -> Word:
    """Return a literal text as a word that knows the row of each of its lines."""
    found = re.findall(r"[^\n]*\n|[^\n]+", text)  # other line breaks are none to the shell
    return tuple(Piece(line, row + i, 0 if i else column) for i, line in enumerate(found))


def body(node: Node, state: State) -> Word:
    """Return the text of a here-document."""
    return _text(node, state)


def _string(node: Node, state: State) -> list[Word]:
    listed = _listed_alone(node)
    if listed is not None:
        return _variable(listed, state, quoted=True)
    return [_text(node, state)]


@by_values
def _text(node: Node, state: State) -> Word:
    return joined(_filled(node, state), node.row)


@remembered
def _listed_alone(node: Node) -> Node | None:
    """Return the expansion of an array or of its item when a quoted text is nothing else."""
    holes = [each for each in node.children if each.kind in _HOLES]
    alone = len(holes) == 1 and len(holes[0].text) == len(node.text) - 2
    return holes[0] if alone and "[" in holes[0].text else None


def _filled(node: Node, state: State) -> Iterator[Word]:
    """Return the literal and the expanded parts of a quoted text or a here-document."""
    for literal, hole in _parts(node):
        yield literal
        if hole is not None:
            word = word_of(hole, state)
            yield unknown(hole.row) if word is ANY else word


@remembered
def _parts(node: Node) -> tuple[tuple[Word, Node | None], ...]:
    """Return each literal part with what is expanded behind it, None at the end."""
    quote = 1 if node.kind == "string" else 0
    parts: list[tuple[Word, Node | None]] = []
    at, row, column = node.start + quote, node.row, node.column + quote
    for hole in (each for each in node.children if each.kind in _HOLES):
        parts.append((_literal(node, at, hole.start, row, column), hole))
        at, row, column = hole.end, hole.end_row, hole.column + len(hole.text)
    parts.append((_literal(node, at, node.end - quote, row, column), None))
    return tuple(parts)


def _literal(node: Node, start: int, end: int, row: int, column: int) -> Word:
    whole = node.text
    source = whole[start - node.start : end - node.start]
    pieces = lines(source, row, column)
    if "\\" not in source:
        return pieces
    return tuple(
        piece._replace(text=_QUOTED_ESCAPE.sub(r"\1", piece.text.replace("\\\n", "")))
        for piece in pieces
    )


def _variable(node: Node, state: State, *, quoted: bool) -> list[Word]:
    """Return what a variable expands to: one word, or those of an array."""
    if node.kind not in ("simple_expansion", "expansion"):
        return [word_of(node, state)]
    name, found = _expansion(node)
    if not name:
        listed = not quoted or "@" in node.text
        return [ANY if listed else unknown(node.row)]
    value = state.variables.get(name)
    if found and found["index"] in ("@", "*"):
        if (operator := found["operator"]) and not (operator[-1] == "+" and name in found["rest"]):
            return [unknown(node.row) if quoted and found["index"] == "*" else ANY]
        return _listed(value, node, starred=found["index"] == "*" and quoted)
    if name.isdigit():
        return [unknown(node.row)]
    if isinstance(value, Array):
        value = _item(value, found["index"] if found else None, node.row)
    if found and found["operator"]:
        value = _operated(node, found, value, state)
    return [unknown(node.row) if value is None else named(value, name)]


@remembered
def _expansion(node: Node) -> tuple[str, "re.Match[str] | None"]:
    """Return the variable that is expanded, "" for none, and the parts of ``${...}``."""
    plain = re.fullmatch(r"\$(\w+)", node.text)
    if plain:
        return plain[1], None
    found = _EXPANSION.fullmatch(node.text)
    return (found["name"], found) if found else ("", None)


def _item(value: Array, index: str | None, row: int) -> Word:
    """Return an item of an array, the first one where none is named; empty when there is none."""
    at = int(index or 0) if len(index or "") < 5 else len(value)
    return unknown(row) if ANY in value else value[at] if at < len(value) else ()


def _listed(value: Word | Array | None, node: Node, *, starred: bool) -> list[Word]:
    if starred:
        return [unknown(node.row)]
    if isinstance(value, Array):
        return list(value)
    return [ANY] if value is None or UNKNOWN_TEXT in shown(value) else [value]


def _operated(node: Node, found: "re.Match[str]", value: Word | None, state: State) -> Word | None:
    """Return a variable's value after ``:-``, ``##`` and their like; None when not known."""
    operator = found["operator"]
    if operator[-1] in "-=+":
        return _otherwise(node, operator, value, state)
    if operator[-1] == "?":
        return value
    text, pattern = (shown(value) if value is not None else None), found["rest"]
    if text is None or value is None:
        return None
    if operator == "##" and pattern == "*/":
        return (Piece(text.rpartition("/")[2], value[0].row),) if value else value
    if UNKNOWN_TEXT in text or not re.fullmatch(r"[\w ,./-]*", pattern):
        return None
    edited = text.removesuffix(pattern) if operator[0] == "%" else text.removeprefix(pattern)
    return (Piece(edited, value[0].row),) if value else value


def _otherwise(node: Node, operator: str, value: Word | None, state: State) -> Word | None:
    """Return a variable's value, or what stands there for it by whether it is set and filled."""
    filled = value is not None and bool(shown(value).replace(UNKNOWN_TEXT, ""))
    after = next(n.end for n in node.children if n.field == "operator")
    parts = [n for n in node.children if n.start >= after and n.kind != "}"]
    other = joined((word_of(each, state) for each in parts), node.row)
    if operator[-1] == "+":
        return other if filled else value if operator[0] == ":" and value == () else None
    if value is not None and (filled or shown(value)):
        return value
    # An empty one may be unset. An empty default asks whether somebody has set it.
    if (value == () and operator[0] != ":") or (value is None and not parts):
        return None
    # Nobody sets what a script gives a default, unless the workflow or another script does.
    elsewhere = REST in state.variables or _expansion(node)[0] in _BY_WORKFLOW
    return None if value is None and elsewhere else other


def _chomped(word: Word) -> Word:
    """Return a text without the line feeds at its end, as a substitution takes it."""
    end = len(word)
    while end and not word[end - 1].text.strip("\n"):
        end -= 1
    if not end:
        return ()
    last = word[end - 1]
    return (*word[: end - 1], last._replace(text=last.text.rstrip("\n")))


def _substituted(node: Node, state: State) -> Word:
    inner = node.inner
    if len(inner) != 1:
        return unknown(node.row)
    command = inner[0]
    if command.kind == "redirected_statement":
        heredoc = next((n for n in command.walk() if n.kind == "heredoc_body"), None)
        name = next((n for n in command.walk() if n.kind == "command_name"), None)
        plain = name is not None and name.text == "cat" and heredoc is not None
        return _chomped(body(heredoc, state)) if plain and heredoc else unknown(node.row)
    if command.kind != "command" or command.child("redirect"):
        return unknown(node.row)
    parts = [each for each in command.children if each.named and each.kind != "comment"]
    argv = [word for part in parts for word in words_of(part, state)]
    return printed(argv, node.row)
