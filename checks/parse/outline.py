"""The lines of a pull request's description that people see, each with the titles it is under."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from checks.parse.description import Block, read_markdown

_COMMENT = re.compile(r"<!--(?:(?!-->).)*(?:-->|\Z)", re.DOTALL)
_TAG = re.compile(r"<[^<>]{0,1000}>")
_FOLDS = re.compile(
    r"(<details[^<>]{0,1000}>|</details>|<summary[^<>]{0,1000}>.{0,1000}?</summary>)",
    re.IGNORECASE | re.DOTALL,
)
_BOLD = re.compile(r"\s*(?:\*\*|__)([^*_]{1,100})(?:\*\*|__)\s*[:：]?\s*")
_COLON = re.compile(r".{0,200}[:：]\s*")
_BOLD_LEVEL, _COLON_LEVEL, _FOLD = 7, 8, 10


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the description: what it says, and what stands around it.

    Attributes:
        number: 1-based.
        text: without comments and tags.
        titles: the titles that it is under, the outermost first: of sections (headings, lines in
            bold, lines that end in a colon before a list) and of collapsed parts.
        title: whether it is such a title itself, then the last of ``titles``.
        block: the block that it is in.

    """

    number: int
    text: str
    titles: tuple[str, ...]
    title: bool
    block: Block = field(repr=False)


def outline(description: str) -> Iterator[Line]:
    """Return the lines that people see, in order; lines of code are among them."""
    open_ = _Titles()
    for block in read_markdown(description):
        yield from _lines(block, open_)


@dataclass(slots=True)
class _Titles:
    """The titles that are open, with their levels, and how many collapsed parts."""

    titles: list[tuple[int, str]] = field(default_factory=list)
    folds: int = 0

    def close(self, level: int) -> None:
        while self.titles and self.titles[-1][0] >= level + _FOLD * self.folds:
            self.titles.pop()

    def open(self, level: int, title: str) -> None:
        self.close(level)
        self.titles.append((level + _FOLD * self.folds, title.strip()))

    def line(self, number: int, text: str, block: Block, *, title: bool = False) -> Line:
        return Line(number, text, tuple(each for _, each in self.titles), title, block)


def _lines(block: Block, open_: _Titles) -> Iterator[Line]:
    seen = _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), block.content)
    if block.kind == "heading":
        open_.open(block.level, seen)
        yield open_.line(block.line, seen, block, title=True)
    elif block.kind == "html":
        yield from _html(block, seen, open_)
    else:
        yield from _prose(block, seen, open_)


def _html(block: Block, seen: str, open_: _Titles) -> Iterator[Line]:
    number = block.line
    for part in _FOLDS.split(seen):
        lowered = part[:9].lower()
        if lowered.startswith("</details"):
            open_.close(0)
            open_.folds = max(0, open_.folds - 1)
        elif lowered.startswith("<details"):
            open_.folds += 1
        elif lowered.startswith("<summary"):
            open_.open(0, _TAG.sub(" ", part))
            yield open_.line(number, _TAG.sub(" ", part), block, title=True)
        else:
            for at, line in enumerate(_TAG.sub(" ", part).split("\n")):
                yield open_.line(number + at, line, block)
        number += part.count("\n")


def _prose(block: Block, seen: str, open_: _Titles) -> Iterator[Line]:
    lines = seen.split("\n")
    if block.kind == "text" and not block.listed:
        open_.close(_COLON_LEVEL)
    for at, line in enumerate(lines):
        bold = _BOLD.fullmatch(line) if block.kind == "text" else None
        colon = len(lines) == 1 and not block.listed and _COLON.fullmatch(line)
        if bold or (colon and block.kind == "text"):
            open_.open(_BOLD_LEVEL if bold else _COLON_LEVEL, bold[1] if bold else line)
        yield open_.line(block.line + at, line, block, title=bool(bold or colon))
