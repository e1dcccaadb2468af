"""The lines of a comment, and where they are in the raw body."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

# https://spec.commonmark.org/0.31.2/#line-ending: these three and no others.
_LINE = re.compile(r"[^\r\n]*")
_END = re.compile(r"\r\n?|\n")
_BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its end; ``start`` is its character offset in the body."""

    start: int
    text: str


def lines_of(body: str) -> list[Line]:
    """Return the lines of a body; a byte order mark before the first is skipped."""
    return list(_lines(body))


def _lines(body: str) -> Iterator[Line]:
    position = 1 if body.startswith(_BYTE_ORDER_MARK) else 0
    while True:
        found = _LINE.match(body, position)
        assert found
        yield Line(position, found[0])
        end = _END.match(body, found.end())
        if end is None:
            return
        position = end.end()


def byte_offsets(body: str, positions: Iterable[int]) -> Mapping[int, int]:
    """Return the UTF-8 offset of each character offset."""
    offsets, last, size = {}, 0, 0
    for position in sorted(positions):
        # JSON can hold half of a surrogate pair, which UTF-8 cannot.
        size += len(body[last:position].encode("utf-8", "surrogatepass"))
        offsets[position] = size
        last = position
    return offsets
