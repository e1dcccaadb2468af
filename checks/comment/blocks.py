"""Which places of a comment are plain text, and what the others are.

Plain text is what GitHub shows as text of a paragraph: also in a list, and also where an underline
of ``=`` or ``-`` makes a heading of it, which happens to people who only wanted a line.
"""

import bisect
import re
from collections import deque
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

from markdown_it.common.utils import MD_TRIM_CHARS, mdTrim
from markdown_it.token import Token

from checks.comment.inline import Span, parser, spans
from checks.comment.raw_html import OpenElements
from checks.comment.reasons import Reason

# A line of text above the second line of a table of one column is its header, for GitHub:
# https://github.github.com/gfm/#tables-extension-. markdown-it wants a ``|`` in it.
_CELL = r"[ \t]*:?-+:?[ \t]*"
_BELOW_HEADER = re.compile(
    rf"^(?! {{4}}| {{0,3}}\t|[ \t]*-+[ \t]*$)[ ]*\|?{_CELL}(?P<more>(?:\|{_CELL})*)\|?[ \t]*$",
    re.MULTILINE,
)
MOST_BRACKETS = 10_000
_LEAVES = {
    "fence": Reason.FENCED_CODE,
    "code_block": Reason.INDENTED_CODE,
    "table_open": Reason.TABLE,
}
_CONTAINERS = {"blockquote": "blockquote", "list_item": "li"}


class TooComplexError(ValueError):
    """The paragraphs of a comment would take too long to read."""


def places(lines: Sequence[str], wanted: Sequence[tuple[int, int]]) -> list[Reason | None]:
    """Return for each place what it is in; None for plain text.

    Args:
        lines: the comment, without line ends.
        wanted: 0-based (line, column) of each place, in order.

    Raises:
        TooComplexError: no person writes so many brackets.

    """
    document = _Document(lines, wanted)
    document.read()
    return [document.found.get(place, Reason.NESTED_TOO_DEEP) for place in wanted]


class _Document:
    """One walk over the blocks of a comment."""

    def __init__(self, lines: Sequence[str], wanted: Sequence[tuple[int, int]]) -> None:
        self.found: dict[tuple[int, int], Reason | None] = {}
        self._lines = lines
        self._wanted = wanted
        self._environment: dict[str, Any] = {}
        self._elements = OpenElements()
        self._quotes = 0
        self._brackets = 0
        self._block = ""

    def read(self) -> None:
        """Fill in ``found``; a later block is inside an earlier one, or elsewhere."""
        tokens = parser().parse("\n".join(self._lines), self._environment)
        self._mark_definitions()
        for token in tokens:
            kind, _, step = token.type.rpartition("_")
            if kind in _CONTAINERS:
                self._pass_container(kind, step, token)
            elif token.type in _LEAVES:
                self._mark(token, _LEAVES[token.type])
                self._block = "table" if kind == "table" else ""
            elif token.type == "table_close":
                self._block = ""
            elif token.type == "html_block":
                self._read_html(token)
            elif token.type == "inline":
                self._read_inline(token)
            elif kind == "heading" and token.markup.startswith("#"):
                self._block = "atx" if step == "open" else ""

    def _pass_container(self, kind: str, step: str, token: Token) -> None:
        opens = step == "open"
        (self._elements.open if opens else self._elements.close)(_CONTAINERS[kind])
        if kind == "blockquote":
            self._quotes += 1 if opens else -1
            self._mark(token, Reason.QUOTE)

    def _mark_definitions(self) -> None:
        repeated = self._environment.get("duplicate_refs", [])
        for definition in (*self._references.values(), *repeated):
            self._mark_lines(definition["map"], Reason.LINK_DEFINITION)

    @property
    def _references(self) -> dict[str, Any]:
        known: dict[str, Any] = self._environment.get("references", {})
        return known

    def _read_html(self, token: Token) -> None:
        comment = token.content.lstrip().startswith("<!--")
        self._mark(token, Reason.HTML_COMMENT if comment else Reason.HTML)
        self._elements.read(token.content)

    def _mark(self, token: Token, reason: Reason) -> None:
        if token.map:
            self._mark_lines(token.map, reason)

    def _mark_lines(self, lines: Sequence[int], reason: Reason) -> None:
        for place in self._within(lines):
            self.found[place] = reason

    def _within(self, lines: Sequence[int]) -> Sequence[tuple[int, int]]:
        first, last = (bisect.bisect_left(self._wanted, (line,)) for line in lines)
        return self._wanted[first:last]

    def _read_inline(self, token: Token) -> None:
        if self._block == "table" or not token.map:
            return
        wanted = [] if self._quotes else self._within(token.map)
        if not wanted and "<" not in token.content:
            return
        self._brackets += token.content.count("[")
        if self._brackets > MOST_BRACKETS:
            raise TooComplexError
        heading = self._block == "atx"
        table = len(token.content) if heading else _one_column(token.content)
        passed = _Passed(spans(token.content[:table], self._references), self._elements)
        positions = _positions(token, self._lines)
        for line, column in wanted:
            # Nothing in such a heading is at the start of a line, and its marks are not counted.
            place = 0 if heading else positions(line, column)
            self.found[line, column] = passed.to(place) if place < table else Reason.TABLE
        passed.to(len(token.content))


def _one_column(content: str) -> int:
    """Return where a table begins that markdown-it takes for a part of the paragraph."""
    found = _BELOW_HEADER.search(content)
    if found is None or found["more"] or found.start() == 0:
        return len(content)
    start = content.rfind("\n", 0, found.start() - 1) + 1
    header = content[start : found.start() - 1].strip(" \t")
    return len(content) if "|" in header[1:-1] else start


class _Passed:
    """What was passed on the way to a place of a paragraph."""

    def __init__(self, all_spans: list[Span], elements: OpenElements) -> None:
        self._left = deque(all_spans)
        self._elements = elements
        self._end = 0
        self._reason: Reason | None = None

    def to(self, position: int) -> Reason | None:
        """Return why the text at a position, which is behind the last one, is not plain."""
        while self._left and self._left[0].start < position:
            span = self._left.popleft()
            self._elements.read(span.html)
            if span.end > self._end:
                self._end, self._reason = span.end, span.reason
        return self._reason if position < self._end else self._elements.reason


def _positions(token: Token, lines: Sequence[str]) -> Callable[[int, int], int]:
    """Return the function from a place to its position in a paragraph.

    A paragraph is its lines without the marks of lists before them, trimmed as a whole: so lines
    agree in their ends, and lines of Unicode spaces at both ends are missing.
    """
    assert token.map
    first, end = token.map
    content = token.content.split("\n")
    missing = end - first - len(content)
    while missing and not mdTrim(lines[end - 1]):
        end, missing = end - 1, missing - 1
    ends = list(accumulate((len(line) + 1 for line in content), initial=-1))

    def position(line: int, column: int) -> int:
        index = line - first - missing
        raw = lines[line]
        if index == len(content) - 1:
            raw = raw.rstrip(MD_TRIM_CHARS)
        return ends[index + 1] - (len(raw) - column)

    return position
