"""What happened to existing changelog entries."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import groupby

from checks.model import Blob
from checks.parse.changelog import Entry
from checks.record import Record

_LINK = re.compile(rb"pr-link:.*[0-9]")
_STRUCTURE = {
    *(b"", b"- config-keys:", b"config-keys:", b"description:", b"scenario-type:"),
    *(b"- agentic-coding", b"- fixed-seq-len"),
}


class Damage(StrEnum):
    """What happened to an existing entry."""

    EDITED = "edited"
    WHITE_SPACE = "white space"
    MOVED = "moved"
    DELETED = "deleted"


class Edit(Record, eq=False):
    """A change of an existing entry, or the deletion of several in a row.

    Attributes:
        damage: what happened.
        run: the entries at base; more than one only when they are deleted.
        head: the entry now, or the first piece of it; None when it is gone.
        last: the last piece of it.
        above: the entry at head behind which a deleted one stood.
        gap_kept: whether the white space after it is still there.

    """

    damage: Damage
    run: tuple[Entry, ...]
    head: Entry | None
    above: Entry | None = None
    gap_kept: bool = True
    last: Entry | None = None

    @property
    def base(self) -> Entry:
        """Return the (first) entry at base."""
        return self.run[0]


def unix(data: bytes) -> bytes:
    """Return bytes with LF line ends."""
    return data.replace(b"\r\n", b"\n") if b"\r" in data else data


def first_difference(before: bytes, after: bytes) -> int:
    """Return the 0-based row at which two texts start to differ."""
    old, new = Blob.of(before).lines(), Blob.of(after).lines()
    pairs = enumerate(zip(old, new, strict=False))
    return next((row for row, pair in pairs if pair[0] != pair[1]), min(len(old), len(new)))


def text_of(entry: Entry) -> bytes:
    """Return the bytes of an entry, whatever its line ends."""
    return unix(entry.raw)


def telling(entry: Entry) -> set[bytes]:
    """Return the lines that tell one entry from another."""
    return {line.strip() for line in entry.raw.split(b"\n")} - _STRUCTURE


def alike(one: set[bytes], other: set[bytes]) -> bool:
    """Tell whether two entries are versions of one, by the lines that tell."""
    shared = one & other
    return 2 * len(shared) >= max(len(one), len(other)) or any(map(_LINK.match, shared))


def find_edits(
    before: Sequence[Entry],
    after: Sequence[Entry],
    kept: Mapping[int, int],
    moved: Mapping[int, int],
    pieces: Mapping[int, int],
) -> Iterator[Edit]:
    """Return what happened to the entries at base, in their order.

    Args:
        before: the entries at base.
        after: the entries at head.
        kept: index at base -> index at head of the entries that are still there.
        moved: the same of those that are elsewhere.
        pieces: index at head of a piece of an entry -> index at base.

    """
    yield from _absorbed(_joined(_edits(before, after, kept, moved, pieces)))


def find_pieces(
    before: Sequence[Entry], after: Sequence[Entry], kept: Mapping[int, int], new: Sequence[int]
) -> dict[int, int]:
    """Return head index -> base index of what looks new but is a piece of an edited entry."""
    owners = {
        h: b
        for b, h in kept.items()
        if before[b] is not after[h] and text_of(before[b]) != text_of(after[h])
    }
    found: dict[int, int] = {}
    for index in new if owners else ():
        beside = (owners.get(index - 1), found.get(index - 1), owners.get(index + 1))
        lines = telling(after[index])
        for owner in beside:
            if owner is not None and lines <= telling(before[owner]):
                found[index] = owner
                break
    return found


def _edits(
    before: Sequence[Entry],
    after: Sequence[Entry],
    kept: Mapping[int, int],
    moved: Mapping[int, int],
    pieces: Mapping[int, int],
) -> Iterator[Edit]:
    above: Entry | None = None
    cut: dict[int, list[int]] = {}
    for index, owner in pieces.items():
        cut.setdefault(owner, []).append(index)
    for index, entry in enumerate(before):
        now = after[kept[index]] if index in kept else None
        if now and index not in cut and (entry.raw, entry.gap) == (now.raw, now.gap):
            above = now
        elif index in moved:
            yield Edit(Damage.MOVED, (entry,), after[moved[index]], above)
        elif index not in kept:
            yield Edit(Damage.DELETED, (entry,), None, above)
        else:
            above = now = after[kept[index]]
            intact = _gap_kept(before, after, index, kept)
            if index in cut:
                parts = sorted([kept[index], *cut[index]])
                above = after[parts[-1]]
                head = after[parts[0]]
                yield Edit(Damage.EDITED, (entry,), head, gap_kept=False, last=above)
            elif text_of(entry) != text_of(now):
                yield Edit(Damage.EDITED, (entry,), now, gap_kept=intact, last=now)
            elif not intact:
                yield Edit(Damage.WHITE_SPACE, (entry,), now, gap_kept=False, last=now)


def _joined(edits: Iterable[Edit]) -> Iterator[Edit]:
    """Return the edits with deletions in a row as one."""
    for (damage, above), group in groupby(edits, key=lambda each: (each.damage, each.above)):
        if damage is Damage.DELETED:
            yield Edit(damage, tuple(edit.base for edit in group), None, above)
        else:
            yield from group


def _absorbed(edits: Iterable[Edit]) -> Iterator[Edit]:
    """Return the edits with entries that became part of the one before as one edit of both."""
    held: Edit | None = None
    for edit in edits:
        if held is None or edit.damage is not Damage.DELETED or edit.above is not held.last:
            yield from [held] if held else []
            held = edit
            continue
        count = _inside(held, edit.run)
        if count:
            run = held.run + edit.run[:count]
            held = replace(held, run=run, gap_kept=False)
        if edit.run[count:]:
            yield held
            held = replace(edit, run=edit.run[count:])
    yield from [held] if held else []


def _inside(edit: Edit, gone: Sequence[Entry]) -> int:
    """Return how many of the entries that are gone, in a row, stand in an edited one now."""
    if edit.damage is not Damage.EDITED or edit.head is None:
        return 0
    return swallowed(telling(edit.head), gone)


def swallowed(lines: set[bytes], gone: Sequence[Entry]) -> int:
    """Return how many entries, in a row, have half of their lines among some others."""
    count = 0
    while count < len(gone) and 2 * len(telling(gone[count]) & lines) >= len(telling(gone[count])):
        count += 1
    return count


def _gap_kept(
    before: Sequence[Entry], after: Sequence[Entry], index: int, kept: Mapping[int, int]
) -> bool:
    """Tell whether the white space after a kept entry is still there, whatever was put into it."""
    here, gap = kept[index], unix(before[index].gap)
    first = unix(after[here].gap)
    if index + 1 == len(before):
        return first.startswith(gap)
    following = kept.get(index + 1)
    if following is None or first == gap:
        return True
    last = unix(after[following - 1].gap)
    inserted = following > here + 1
    return inserted and _common(gap, first) + _common(gap[::-1], last[::-1]) >= len(gap)


def _common(one: bytes, other: bytes) -> int:
    same = next(
        (i for i, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), None
    )
    return min(len(one), len(other)) if same is None else same
