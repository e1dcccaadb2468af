"""What a pull request did to the changelog: entries it adds, and what it did to existing ones.

Existing entries are recognised again by their bytes, then by likeness, so that a misplaced new
entry is not taken for a change of every entry after it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from itertools import groupby

from checks.model import Blob, Snapshot
from checks.parse.alignment import align
from checks.parse.changelog import Changelog, Conflict, Entry, read_changelog, read_whole
from checks.policy import Policy

MOST_COMPARISONS = 200_000
_EMPTY = Changelog(Blob.of(b""), b"", ())
_LINK = re.compile(rb"pr-link:.*[0-9]")
_STRUCTURE = {
    *(b"- config-keys:", b"config-keys:", b"description:", b"scenario-type:"),
    *(b"- agentic-coding", b"- fixed-seq-len"),
}


class Damage(StrEnum):
    """What happened to an existing entry."""

    EDITED = "edited"
    WHITE_SPACE = "white space"
    MOVED = "moved"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True, eq=False)
class Edit:
    """A change of an existing entry, or the deletion of several in a row.

    Attributes:
        damage: what happened.
        run: the entries at base; more than one only when they are deleted.
        head: the entry now; None when it is gone.
        above: the entry at head behind which a deleted one stood.
        gap_kept: whether the white space after it is still there.

    """

    damage: Damage
    run: tuple[Entry, ...]
    head: Entry | None
    above: Entry | None = None
    gap_kept: bool = True

    @property
    def base(self) -> Entry:
        """Return the (first) entry at base."""
        return self.run[0]


@dataclass(frozen=True, eq=False)
class ChangelogChange:
    """The changelog at base and head, and the difference in terms of entries.

    Attributes:
        path: its path at head, at base when it is gone.
        base: the version before; None when there was no changelog.
        head: the version after; None when it is deleted.
        new: entries that only head has, in file order.
        misplaced: those of them that stand before an existing entry.
        edits: what happened to existing entries.
        origins: the existing entries at base by the first line at which they stand at head.
        preamble_edited: whether what stands before the first entry differs.
        line_ends: existing entries at head that differ in LF against CR LF only.
        conflicts: merge conflicts left in; then nothing else is filled in.

    """

    path: str
    base: Changelog | None = field(repr=False)
    head: Changelog | None = field(repr=False)
    new: tuple[Entry, ...] = ()
    misplaced: tuple[Entry, ...] = ()
    edits: tuple[Edit, ...] = ()
    origins: Mapping[int, Entry] = field(default_factory=dict, repr=False)
    preamble_edited: bool = False
    line_ends: tuple[Entry, ...] = ()
    conflicts: tuple[Conflict, ...] = ()

    def identity(self, entry: Entry) -> tuple[str, ...]:
        """Return what tells a new entry from others, wherever it stands."""
        alike = [each.first_line for each in self.new if each.name == entry.name]
        return (entry.name, str(alike.index(entry.first_line)))


def changelog_change(snapshot: Snapshot, policy: Policy) -> ChangelogChange | None:
    """Return what the pull request did to the changelog.

    None when it did nothing, when there is none, and when every file counts as new: history is
    never judged.
    """
    layout = policy.layout(snapshot.base) or policy.layout(snapshot.head)
    if layout is None or snapshot.everything_is_new:
        return None
    base, head, path = snapshot.base.blob(layout.changelog), None, layout.changelog
    head = snapshot.head.blob(path)
    if head is None and (moved := policy.layout(snapshot.head)):
        path, head = moved.changelog, snapshot.head.blob(moved.changelog)
    return None if base == head else compare(path, base, head)


def new_entries(snapshot: Snapshot, policy: Policy) -> tuple[Entry, ...]:
    """Return the entries that the pull request adds, wherever they stand."""
    change = changelog_change(snapshot, policy)
    return change.new if change else ()


@lru_cache(maxsize=64)
def compare(path: str, base: Blob | None, head: Blob | None) -> ChangelogChange:
    """Compare two versions of the changelog."""
    before = read_changelog(base) if base else None
    if head is None:
        return ChangelogChange(path, before, None)
    after = read_changelog(head)
    if after.conflicts and not (before and before.conflicts):
        return ChangelogChange(path, before, after, conflicts=after.conflicts)
    change = _compared(path, before, after)
    if any(entry.error for entry in change.new) and (whole := read_whole(head)):
        return _compared(path, before, whole)
    return change


def _compared(path: str, base: Changelog | None, head: Changelog) -> ChangelogChange:
    before, after = (base or _EMPTY).entries, head.entries
    origins = align([_text(entry) for entry in before], [_text(entry) for entry in after])
    moved = _moved(before, after, origins)
    _add_likeness(before, after, origins, moved)
    kept = {origin: index for index, origin in enumerate(origins) if origin is not None}
    elsewhere = set(moved.values())
    new = [i for i, origin in enumerate(origins) if origin is None and i not in elsewhere]
    last = max([*kept.values(), *elsewhere], default=-1)
    return ChangelogChange(
        path,
        base,
        head,
        tuple(after[i] for i in new),
        tuple(after[i] for i in new if i < last),
        tuple(_joined(_edits(before, after, kept, moved))),
        {after[h].first_line: before[b] for b, h in kept.items()},
        base is not None and _unix(base.preamble) != _unix(head.preamble),
        tuple(after[h] for b, h in kept.items() if _line_ends_differ(before[b], after[h])),
    )


def _unix(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n") if b"\r" in data else data


def _text(entry: Entry) -> bytes:
    return _unix(entry.raw)


def _line_ends_differ(base: Entry, head: Entry) -> bool:
    if base.raw == head.raw and base.gap == head.gap:
        return False
    before, after = (each.raw + each.gap[: 1 + (each.gap[:1] == b"\r")] for each in (base, head))
    return before != after and _unix(before) == _unix(after)


def _moved(
    before: Sequence[Entry], after: Sequence[Entry], origins: Sequence[int | None]
) -> dict[int, int]:
    """Return base index -> head index of entries that are only elsewhere now."""
    kept = set(origins)
    loose: dict[bytes, list[int]] = {}
    for index in reversed(range(len(origins))):
        if origins[index] is None:
            loose.setdefault(_text(after[index]), []).append(index)
    missing = [i for i in range(len(before)) if i not in kept] if loose else []
    return {i: found.pop() for i in missing if (found := loose.get(_text(before[i])))}


def _add_likeness(
    before: Sequence[Entry],
    after: Sequence[Entry],
    origins: list[int | None],
    moved: Mapping[int, int],
) -> None:
    """Match what is left between matched entries, where an edited entry is still recognisable."""
    elsewhere, low, loose = set(moved.values()), 0, list[int]()
    for index, origin in [*enumerate(origins), (len(origins), len(before))]:
        if origin is None:
            loose += [index] if index not in elsewhere else []
            continue
        missing = [i for i in range(low, origin) if i not in moved] if loose else []
        for b, h in _alike([(i, before[i]) for i in missing], [(i, after[i]) for i in loose]):
            origins[h] = b
        low, loose = origin + 1, []


def _alike(
    missing: list[tuple[int, Entry]], loose: list[tuple[int, Entry]]
) -> Iterator[tuple[int, int]]:
    left = [(b, _telling(entry)) for b, entry in missing]
    if len(loose) * sum(len(lines) for _, lines in left) > MOST_COMPARISONS:
        yield from zip((b for b, _ in missing), (h for h, _ in loose), strict=False)
        return
    for h, entry in loose:
        lines = _telling(entry)
        found = next((i for i, (_, other) in enumerate(left) if _same(lines, other)), None)
        if found is not None:
            yield left[found][0], h
            left = left[found + 1 :]


def _telling(entry: Entry) -> set[bytes]:
    """Return the lines that tell one entry from another."""
    return {line.strip() for line in entry.raw.split(b"\n")} - _STRUCTURE


def _same(one: set[bytes], other: set[bytes]) -> bool:
    shared = one & other
    return 2 * len(shared) >= max(len(one), len(other)) or any(map(_LINK.match, shared))


def _edits(
    before: Sequence[Entry],
    after: Sequence[Entry],
    kept: Mapping[int, int],
    moved: Mapping[int, int],
) -> Iterator[Edit]:
    above: Entry | None = None
    for index, entry in enumerate(before):
        if index in moved:
            yield Edit(Damage.MOVED, (entry,), after[moved[index]], above)
        elif index not in kept:
            yield Edit(Damage.DELETED, (entry,), None, above)
        else:
            above = now = after[kept[index]]
            intact = _gap_kept(before, after, index, kept)
            if _text(entry) != _text(now):
                yield Edit(Damage.EDITED, (entry,), now, gap_kept=intact)
            elif not intact:
                yield Edit(Damage.WHITE_SPACE, (entry,), now, gap_kept=False)


def _joined(edits: Iterable[Edit]) -> Iterator[Edit]:
    """Return the edits with deletions in a row as one."""
    for (damage, above), group in groupby(edits, key=lambda each: (each.damage, each.above)):
        if damage is Damage.DELETED:
            yield Edit(damage, tuple(edit.base for edit in group), None, above)
        else:
            yield from group


def _gap_kept(
    before: Sequence[Entry], after: Sequence[Entry], index: int, kept: Mapping[int, int]
) -> bool:
    """Tell whether the white space after a kept entry is still there, whatever was put into it."""
    here, gap = kept[index], _unix(before[index].gap)
    first = _unix(after[here].gap)
    if index + 1 == len(before):
        return first.startswith(gap)
    following = kept.get(index + 1)
    if following is None or first == gap:
        return True
    last = _unix(after[following - 1].gap)
    inserted = following > here + 1
    return inserted and _common(gap, first) + _common(gap[::-1], last[::-1]) >= len(gap)


def _common(one: bytes, other: bytes) -> int:
    same = next(
        (i for i, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), None
    )
    return min(len(one), len(other)) if same is None else same
