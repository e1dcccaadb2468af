"""Merge conflicts that were left in a file."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_MARKS = (b"<" * 7, b"|" * 7, b"=" * 7, b">" * 7)
_CONFLICT = re.compile(rb"^(?:<{7}|\|{7}|={7}|>{7})(?=[ \r\n]|\Z)", re.MULTILINE)


class Conflict(NamedTuple):
    """A merge conflict that was left in the file: its 1-based lines, markers included."""

    line: int
    end_line: int


def find_conflicts(data: bytes) -> tuple[Conflict, ...]:
    """Return the regions between conflict markers; a marker without partner is one of its own."""
    if not any(mark in data for mark in _MARKS):
        return ()
    marks, line, at = [], 1, 0
    for match in _CONFLICT.finditer(data):
        line += data.count(b"\n", at, match.start())
        at = match.start()
        marks.append((line, match[0][:1]))
    return tuple(_conflicts(marks))


def _conflicts(marks: list[tuple[int, bytes]]) -> Iterator[Conflict]:
    """Return the regions; markers without a partner are regions of one line."""
    opened: int | None = None
    for line, kind in marks:
        if kind == b"<" and opened is None:
            opened = line
        elif kind == b">" and opened is not None:
            yield Conflict(opened, line)
            opened = None
        elif opened is None or kind == b"<":
            yield Conflict(line, line)
    if opened is not None:
        yield Conflict(opened, opened)
