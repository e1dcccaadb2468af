"""Unified diffs, line by line: where a review comment may stand, and where its line went."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile


@dataclass(frozen=True)
class Row:
    """One line of a hunk; `old` and `new` are 1-based and None on the side that lacks it."""

    mark: str
    text: str
    old: int | None
    new: int | None

    def at(self, side: str) -> int | None:
        """Its line number on a side (LEFT is the base)."""
        return self.old if side == "LEFT" else self.new


@dataclass(frozen=True)
class Hunk:
    """A hunk with its header line."""

    header: str
    rows: tuple[Row, ...]

    @property
    def ranges(self) -> tuple[int, int, int, int]:
        """Old start and count, new start and count, as the header has them."""
        return _ranges(self.header)

    def find(self, side: str, line: int) -> int | None:
        """The index of the row that shows a line of a side, or None."""
        found = (index for index, row in enumerate(self.rows) if row.at(side) == line)
        return next(found, None)

    def excerpt(self, side: str, line: int) -> str:
        """The header and the rows up to a line, as GitHub's `diff_hunk`."""
        end = self.find(side, line)
        rows = self.rows if end is None else self.rows[: end + 1]
        return "\n".join([self.header, *(row.mark + row.text for row in rows)])


@dataclass(frozen=True)
class FileDiff:
    """A changed file; both paths are equal unless it was renamed."""

    old_path: str
    new_path: str
    hunks: tuple[Hunk, ...]

    def hunk(self, side: str, line: int) -> Hunk | None:
        """The hunk that shows a line of a side, or None."""
        return next((hunk for hunk in self.hunks if hunk.find(side, line) is not None), None)

    def count(self, mark: str) -> int:
        """How many lines carry `+` or `-`."""
        return sum(row.mark == mark for hunk in self.hunks for row in hunk.rows)

    def carry(self, line: int) -> int | None:
        """Where an old line stands in the new file, or None when it was changed or removed.

        The diff must be made without context lines.
        """
        shift = 0
        for hunk in self.hunks:
            start, count, _, added = hunk.ranges
            first = start if count else start + 1
            if line < first:
                break
            if line < first + count:
                return None
            shift += added - count
        return line + shift


def parse_hunks(text: str) -> tuple[Hunk, ...]:
    """The hunks of one file's patch, or of a `diff_hunk`."""
    sections = re.split(r"^(?=@@ )", text, flags=re.MULTILINE)
    parts = (section.split("\n") for section in sections if section.startswith("@@ "))
    return tuple(Hunk(header, tuple(_rows(header, lines))) for header, *lines in parts)


def _ranges(header: str) -> tuple[int, int, int, int]:
    """Old start, old count, new start, new count of `@@ -1,2 +3,4 @@`."""
    pairs = [part[1:].partition(",") for part in header.split(" ")[1:3]]
    (old, _, olds), (new, _, news) = pairs
    return int(old), int(olds or 1), int(new), int(news or 1)


def _rows(header: str, lines: list[str]) -> Iterator[Row]:
    old, _, new, _ = _ranges(header)
    for line in takewhile(lambda line: line[:1] in ("+", "-", " ", "\\"), lines):
        mark, text = line[0], line[1:]
        has_old, has_new = mark in " -", mark in " +"
        yield Row(mark, text, old if has_old else None, new if has_new else None)
        old, new = old + has_old, new + has_new


def parse_diff(output: bytes) -> tuple[FileDiff, ...]:
    """The files of `git diff --raw --patch -z`: names from the raw part, hunks from the patch.

    https://git-scm.com/docs/git-diff#_raw_output_format
    """
    fields = output.split(b"\0")
    names: list[tuple[str, str]] = []
    at = 0
    while at < len(fields) and fields[at].startswith(b":"):
        status = fields[at].split(b" ")[-1]
        moved = status[:1] in (b"R", b"C")
        paths = fields[at + 1 : at + 2 + moved]
        names.append((_text(paths[0]), _text(paths[-1])))
        at += 2 + moved
    patches = (b"\n" + b"\0".join(fields[at + 1 :])).split(b"\ndiff --git ")[1:]
    return tuple(
        FileDiff(old, new, parse_hunks(_text(patch)))
        for (old, new), patch in zip(names, patches, strict=True)
    )


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", errors="replace")
