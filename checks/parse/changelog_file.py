"""The changelog as a file: where its entries start and end, and what is wrong with the whole.

It is hundreds of kilobytes and only its end changes, so it is cut into entries by looking at lines,
and of a file that only grew, those of before are kept.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

from cachetools import LRUCache

from checks.model import Blob
from checks.parse.changelog import Entry
from checks.parse.conflicts import Conflict, find_conflicts
from checks.parse.top_level import ODD_LINE_ENDS, holds
from checks.parse.yaml import Seq, YamlError, parse
from checks.record import Record

# Documents, directives and odd line ends: with these the entries of a file are not what its lines
# look like.
_UNSAFE = (b"\n---", b"\n...", b"\n%", *ODD_LINE_ENDS)
_UNSAFE_START = (b"---", b"...", b"%", b"\xef\xbb\xbf")
_ITEM = re.compile(rb"^-(?=[ \n]|\Z)", re.MULTILINE)
_INDENTED_ITEM = re.compile(rb"(?:[ ]*(?:#[^\n]*)?\n)*([ ]+)-(?=[ \n]|\Z)")
_STRAY = re.compile(rb"(?:[ \t]*\n)*((?:[ \t]+-[ \t]*|-\t[ \t]*|-|[ \t]*)config[-_]?keys?[ \t]*:)")
_BLANKS = b" \t\r\n"


class Changelog(Record, eq=False):
    """One version of the changelog.

    Attributes:
        blob: its bytes.
        preamble: what stands before the first entry.
        entries: all entries in file order.
        error: why the file as a whole is no YAML although its entries may be; rarely looked for.
        simple: whether lines that start with a hyphen, and nothing else, start its entries.
        checked: how many bytes at its start hold no merge conflict, as is known already.

    """

    blob: Blob
    preamble: bytes
    entries: tuple[Entry, ...]
    error: YamlError | None = None
    simple: bool = False
    checked: int = 0

    @property
    def lines(self) -> Sequence[bytes]:
        """Return the lines with their ends."""
        return self.blob.lines()

    @cached_property
    def conflicts(self) -> tuple[Conflict, ...]:
        """Return the merge conflicts that are left in it."""
        data = self.blob.data
        line = data.rfind(b"\n", 0, self.checked) + 1
        return () if line and not find_conflicts(data[line:]) else find_conflicts(data)


_recent: LRUCache[Blob, Changelog] = LRUCache(4)


def read_changelog(blob: Blob) -> Changelog:
    """Cut a changelog into entries; what cannot be read shows when an entry is looked at."""
    found = _recent.get(blob)
    if found is None:
        longer = (_grown(known, blob) for known in list(_recent.values()))
        found = _recent[blob] = next(filter(None, longer), None) or _read(blob)
    return found


def _read(blob: Blob) -> Changelog:
    if blob.data.startswith(_UNSAFE_START) or holds(blob.data, *_UNSAFE):
        try:
            return _whole(blob) or _by_lines(blob)
        except YamlError as error:
            return replace(_by_lines(blob), error=error)
    found = _by_lines(blob)
    return replace(found, simple=any(entry.raw[:1] == b"-" for entry in found.entries[:1]))


def _grown(known: Changelog, blob: Blob) -> Changelog | None:
    """Read a changelog that starts with a known one; None when it does not, or is not simple."""
    data, length = blob.data, len(known.blob.data)
    if not known.simple or not data.startswith(known.blob.data):
        return None
    last = known.entries[-1]
    start = length - len(last.raw) - len(last.gap)
    # What is unsafe may begin with the last bytes of the known one.
    if not _ITEM.match(data, start) or holds(data[length - 4 :], *_UNSAFE):
        return None
    cuts = [start, *(match.start() for match in _ITEM.finditer(data, start + 1)), len(data)]
    new = _cut(blob, cuts, None, last)
    checked = 0 if known.conflicts else length
    entries = (*known.entries[:-1], *new.entries)
    return Changelog(blob, known.preamble, entries, simple=True, checked=checked)


@lru_cache(maxsize=4)
def read_whole(blob: Blob) -> Changelog | None:
    """Read a changelog as one YAML document; None when that is impossible.

    Needed where entries depend on each other (an alias of another entry's anchor) or do not start
    where they seem to.
    """
    try:
        return _whole(blob)
    except YamlError:
        return None


def _whole(blob: Blob) -> Changelog | None:
    content = parse(blob.data)
    if not isinstance(content, Seq) or not content.marks:
        return None
    lines = blob.lines()
    rows = [mark.row for mark in content.marks]
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    cuts = [*(starts[row] for row in rows), len(blob.data)]
    known = [(value, 1) for value in content]
    return _cut(blob, cuts, known)


def read_appended(base: Blob, head: Blob) -> Changelog | None:
    """Read a changelog whose appended text means to be an entry but starts in a wrong way.

    None when there is no such text. By its lines alone it would belong to the entry before.
    """
    if not base.data.endswith(b"\n") or not head.data.startswith(base.data):
        return None
    stray = _STRAY.match(head.data, len(base.data))
    return _by_lines(head, stray.start(1)) if stray else None


def _by_lines(blob: Blob, also: int | None = None) -> Changelog:
    """Cut at each item of the root, and at one more place."""
    if (first := _ITEM.search(blob.data)) is not None:
        start, indent = first.start(), b""
    elif (indented := _INDENTED_ITEM.match(blob.data)) is not None:
        start, indent = indented.start(1), indented[1]
    else:
        return Changelog(blob, blob.data, ())
    item = re.compile(rb"\n" + indent + rb"-(?=[ \n]|\Z)")
    following = (match.start() + 1 for match in item.finditer(blob.data, start))
    cuts = {start, *following, len(blob.data), *([] if also is None else [also])}
    return _cut(blob, sorted(cuts), None)


def _cut(
    blob: Blob,
    cuts: list[int],
    known: list[tuple[Any, int]] | None,
    first: Entry | None = None,
) -> Changelog:
    """Cut at places of which the first is where an entry starts that may be known."""
    data, entries = blob.data, []
    line = first.first_line if first else data.count(b"\n", 0, cuts[0]) + 1
    for index, (start, end) in enumerate(pairwise(cuts)):
        whole = data[start:end]
        raw = _without_tail(whole)
        value = known[index] if known is not None else None
        last = line + raw.count(b"\n")
        number = index + first.index if first else index
        entries.append(Entry(number, line, last, raw, whole[len(raw) :], value))
        line = last + whole.count(b"\n", len(raw))
    return Changelog(blob, data[: cuts[0]], tuple(entries))


def _without_tail(piece: bytes) -> bytes:
    end = len(piece.rstrip(_BLANKS))
    start = piece.rfind(b"\n", 0, end) + 1
    while start and (piece.startswith(b"#", start) or not piece[start:end].strip(_BLANKS)):
        end = start - 1
        start = piece.rfind(b"\n", 0, end) + 1
    end = start + len(piece[start:end].rstrip(_BLANKS))
    while piece[end : end + 1] in (b" ", b"\t"):
        end += 1
    return piece[:end]
