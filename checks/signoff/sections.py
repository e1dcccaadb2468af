"""A sign-off's parts: the boxes, the detail section and the signature, as lines of a comment.

The template's page is read by the same rules as the comments that follow it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from checks.signoff.visible import Line, Region
from checks.signoff.words import Plain, find, plain, readable, says

# A bullet that GitHub does not take for one, and a box that it does not draw, are read too, to be
# able to say so: https://github.github.com/gfm/#task-list-items-extension-
_ITEM = re.compile(
    r"(?P<indent>[ \t]*)(?P<bullet>[-*+•·–—]|\d{1,3}[.)、]|)(?P<gap>[ \t]*)"
    r"(?P<box>(?:\\?\[(?P<mark>[^\[\]\n]{0,6})\\?\]|[［【（(](?:\s|[^\W\d_]|[√✓✔])?[)）】］]"
    r"|[☐☑☒□■✅✔✓❌❎✗✘]\ufe0f?)(?![(\[])|)(?P<text>.*)",
    re.DOTALL,
)
_NOT_APPLICABLE = re.compile(r"n\s?/?\s?a\.?", re.IGNORECASE)
_SIGNED = re.compile(r"\W*signed(?:[ -]?off)?(?:[ -]by)?\W*[:：](?P<name>.*)", re.IGNORECASE)
_RULE = re.compile(r"\s*(?:[-*_]\s*){3,}")
_BREAK = re.compile(r"\s*(?:#{1,6}(?:\s|\Z)|\|)")


class Box(Enum):
    """What stands in the box of a list item."""

    TICKED = "ticked"
    EMPTY = "empty"
    NOT_APPLICABLE = "not applicable"
    UNREADABLE = "unreadable"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Entry:
    """A list item. ``line`` is 1-based in the comment, ``indent`` in columns."""

    box: Box
    shown_box: str
    said: Plain
    line: int
    indent: int


@dataclass(frozen=True, slots=True)
class Section:
    """What follows an opening phrase, up to the next. ``signatures`` are the values, cleaned."""

    line: int
    entries: tuple[Entry, ...]
    details: tuple[Plain, ...]
    signatures: tuple[str, ...]
    heading: tuple[str, ...]


def sections(region: Region, phrase: str, heading: Sequence[str] = ()) -> tuple[Section, ...]:
    """Return the sections of a region.

    Args:
        region: lines that stand together.
        phrase: what opens a section; it may be wrapped and marked up.
        heading: words of the detail section's heading; () when it is the first heading.

    """
    starts = _openings(region, says(phrase))
    bounds = pairwise([*starts, len(region.lines)])
    parts = (region.lines[start:end] for start, end in bounds)
    return tuple(_Reader(region.fenced, tuple(heading)).read(part) for part in parts)


def _openings(region: Region, phrase: tuple[str, ...]) -> list[int]:
    """Return the indexes of the lines in which the phrase can be seen to start."""
    hay: list[str] = []
    origin: list[int] = []
    for index, line in enumerate(region.lines):
        found = () if line.aside else says(readable(line.text))
        hay += found
        origin += [index] * len(found)
    starts, place = [], find(phrase, hay, 0) if phrase else None
    while place is not None:
        first, last = origin[place], origin[place + len(phrase) - 1]
        rows = "\n".join(line.text for line in region.lines[first : last + 1])
        if find(phrase, says(plain(rows, literal=region.fenced).text), 0) is not None:
            starts.append(first)
        place = find(phrase, hay, place + len(phrase))
    return sorted(set(starts))


class _Reader:
    """Reads the lines of one section."""

    def __init__(self, literal: bool, heading: tuple[str, ...]) -> None:
        self._literal, self._heading = literal, heading
        self._entries: list[tuple[re.Match[str], int, list[str]]] = []
        self._details: list[list[str]] = []
        self._signatures: list[str] = []
        self._found: tuple[str, ...] = ()
        self._open = self._signing = self._ended = False

    def read(self, lines: Sequence[Line]) -> Section:
        """Return the section; its first line has the opening phrase."""
        for line in lines[1:]:
            self._take(line)
        return Section(
            lines[0].number,
            tuple(self._entry(*each) for each in self._entries),
            tuple(self._plain("\n".join(rows).strip("\n")) for rows in self._details if any(rows)),
            tuple(self._signatures),
            self._found,
        )

    def _take(self, line: Line) -> None:
        blank = not line.text.strip()
        if blank:
            self._open = False
            self._details.append([])
        elif line.aside:
            self._loose(line)
        elif self._is_signature(line.text) or self._is_heading(line.text):
            self._open = False
        elif self._found or not self._is_item(line):
            self._loose(line)

    def _is_signature(self, row: str) -> bool:
        if not self._signing and "signed" not in row.casefold():
            return False
        said = self._plain(row).text
        match = _SIGNED.fullmatch(said.strip())
        if match is None:
            alone = self._signing and len(said.split()) == 1
            self._signing = False
            if alone:
                self._signatures[-1] = _name(said)
            return alone
        self._signatures.append(_name(match["name"]))
        self._signing = not self._signatures[-1]
        self._ended = True
        return True

    def _is_heading(self, row: str) -> bool:
        if self._found:
            return False
        marked = row.lstrip().startswith(("#", "**", "__"))
        if self._heading:
            if self._heading[0] not in row.casefold():
                return False
        elif self._ended or not (marked and self._entries):
            return False
        said = says(self._plain(row.strip().lstrip("#")).text)
        known = [word.rstrip("s") for word in self._heading[:2]]
        if [word.rstrip("s") for word in said[: len(known)]] != known:
            return False
        self._found, self._ended = said or ("",), False
        rest = row.partition(":")[2] or row.partition("：")[2]
        self._details.append([rest.strip(" *_")])
        return True

    def _is_item(self, line: Line) -> bool:
        match = _ITEM.fullmatch(line.text)
        assert match is not None
        if _RULE.fullmatch(line.text) or not (match["box"] or (match["bullet"] and match["gap"])):
            return False
        self._entries.append((match, line.number, [match["text"]]))
        self._open = True
        return True

    def _loose(self, line: Line) -> None:
        continues = self._open or (
            bool(self._entries) and _indent(line.text) >= _indent(self._entries[-1][0][0]) + 2
        )
        inside = bool(self._entries) and not line.aside and not self._found
        if inside and continues and not _BREAK.match(line.text):
            self._entries[-1][2].append(line.text.strip())
            self._open = True
            return
        if self._ended or not (self._entries or self._found):
            return
        if not self._details:
            self._details.append([])
        bullet = re.match(r"\s*(?:[-*+]|\d{1,3}[.)])\s", line.text)
        self._details.append([line.text]) if bullet else self._details[-1].append(line.text)

    def _entry(self, match: re.Match[str], line: int, rows: list[str]) -> Entry:
        indent = _indent(match[0])
        said = self._plain("\n".join(rows).strip())
        return Entry(_box(match), match["box"], said, line, indent)

    def _plain(self, markdown: str) -> Plain:
        return plain(markdown, literal=self._literal)


def _indent(row: str) -> int:
    start = row[: len(row) - len(row.lstrip(" \t"))]
    return len(start.expandtabs(4))


def _box(match: re.Match[str]) -> Box:
    if not match["box"]:
        return Box.NONE
    mark = match["mark"]
    drawn = match["bullet"] in ("-", "*", "+") or match["bullet"][:1].isdigit()
    if mark is None or not drawn or not match["gap"] or "\\" in match["box"]:
        return Box.UNREADABLE
    if not mark.strip(" \t"):
        return Box.EMPTY
    if mark.strip(" \t") in ("x", "X"):
        return Box.TICKED
    found = _NOT_APPLICABLE.fullmatch(mark.strip())
    return Box.NOT_APPLICABLE if found else Box.UNREADABLE


def _name(value: str) -> str:
    return value.strip().strip("`'\"*_<>()[]. \t").removeprefix("@")
