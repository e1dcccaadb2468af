"""What a reader of a comment sees: its lines, and those of its block quotes and code blocks.

GitHub renders Markdown as CommonMark does (https://github.github.com/gfm/): HTML comments are not
shown, and what stands in a block quote or a code block belongs to that block alone.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

LONGEST_BODY = 65_536  # https://docs.github.com/en/rest/issues/comments
DEEPEST = 6
_QUOTE = re.compile(r"\A[ \t]*>[ ]?")
_BLOCKS = MarkdownIt("commonmark")
_BLOCKS.core.ruler.enableOnly(["normalize", "block"])


@dataclass(frozen=True, slots=True)
class Line:
    """A visible line; ``number`` is 1-based in the comment.

    ``aside`` tells that the line is in a quote or code block of its region: read as text only.
    """

    number: int
    text: str
    aside: bool = False


@dataclass(frozen=True, slots=True)
class Region:
    """The lines that stand together: of the comment, or of one quote or code block in it."""

    lines: tuple[Line, ...]
    depth: int = 0
    quoted: bool = False
    fenced: bool = False


def regions(body: str) -> tuple[Region, ...]:
    """Return the regions of a comment, outer before inner."""
    text = body[:LONGEST_BODY].replace("\r\n", "\n").replace("\r", "\n")
    found = _regions(text, 1, Region(()))
    return tuple(sorted(found, key=lambda region: region.depth))


def _regions(text: str, first: int, within: Region) -> Iterator[Region]:
    """Yield the region of a text that starts at a line of the comment, and those inside it."""
    rows = text.split("\n")
    lines = [Line(first + index, row) for index, row in enumerate(rows)]
    for token, start, end in _outer_blocks(text):
        for index in range(start, min(end, len(rows))):
            shown = "" if token.type == "html_block" else _QUOTE.sub("", rows[index], count=1)
            lines[index] = Line(first + index, shown, aside=True)
        if within.depth < DEEPEST and token.type != "html_block":
            yield from _inner(token, rows[start:end], first + start, within)
    yield Region(tuple(lines), within.depth, within.quoted, within.fenced)


def _inner(token: Token, rows: list[str], first: int, within: Region) -> Iterator[Region]:
    deeper = within.depth + 1
    if token.type == "blockquote_open":
        bare = "\n".join(_QUOTE.sub("", row, count=1) for row in rows)
        yield from _regions(bare, first, Region((), deeper, True, within.fenced))
    else:
        place = first + (token.type == "fence")
        yield from _regions(token.content, place, Region((), deeper, within.quoted, True))


def _outer_blocks(text: str) -> Iterator[tuple[Token, int, int]]:
    """Yield the outermost quotes, code blocks and HTML blocks with their rows, end exclusive."""
    done = 0
    for token in _BLOCKS.parse(text):
        if token.type not in ("blockquote_open", "fence", "code_block", "html_block"):
            continue
        assert token.map is not None
        start, end = token.map
        if start >= done:
            yield token, start, end
            done = end
