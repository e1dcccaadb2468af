"""What a pull request did to the changelog: entries it adds, and what it did to existing ones.

Existing entries are recognised again by their bytes, then by likeness, so that a misplaced new
entry is not taken for a change of every entry after it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, lru_cache

from checks.model import Blob, Snapshot
from checks.once import once
from checks.parse.alignment import align
from checks.parse.changelog import Entry
from checks.parse.changelog_edits import (
    Damage,
    Edit,
    alike,
    find_edits,
    find_pieces,
    first_difference,
    swallowed,
    telling,
    text_of,
    unix,
)
from checks.parse.changelog_file import Changelog, read_appended, read_changelog, read_whole
from checks.parse.conflicts import Conflict
from checks.policy import Policy
from checks.record import Record

MOST_COMPARISONS = 200_000
MOST_NEW = 200


class ChangelogChange(Record, eq=False):
    """The changelog at base and head, and the difference in terms of entries.

    Attributes:
        path: its path at head, at base when it is gone.
        base: the version before; None when there was no changelog.
        head: the version after; None when it is deleted.
        new: entries that only head has, in file order; at most `MOST_NEW` of them.
        added: the first lines of all entries that only head has.
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
    added: frozenset[int] = field(default=frozenset(), repr=False)
    misplaced: tuple[Entry, ...] = ()
    edits: tuple[Edit, ...] = ()
    origins: Mapping[int, Entry] = field(default_factory=dict, repr=False)
    preamble_edited: bool = False
    line_ends: tuple[Entry, ...] = ()
    conflicts: tuple[Conflict, ...] = ()

    @cached_property
    def _identities(self) -> Mapping[int, tuple[str, ...]]:
        times = Counter[str]()
        found = {}
        for entry in self.new:
            found[entry.first_line] = (entry.name, str(times[entry.name]))
            times[entry.name] += 1
        return found

    def identity(self, entry: Entry) -> tuple[str, ...]:
        """Return what tells a new entry from others, wherever it stands."""
        return self._identities[entry.first_line]

    def is_new(self, entry: Entry) -> bool:
        """Tell whether an entry at head is not in the base."""
        return entry.first_line in self.added

    def line_of(self, edit: Edit) -> int:
        """Return the first head line that an edit makes differ, or the one before what is gone."""
        assert self.head is not None
        if edit.head is None:
            return edit.above.last_line if edit.above else 1
        if edit.damage is Damage.MOVED:
            return edit.head.first_line
        edited = edit.damage is Damage.EDITED
        base, head = edit.base, edit.head
        before = base.raw + base.gap if edited else base.gap
        after = head.raw + head.gap if edited else head.gap
        start = head.first_line if edited else head.last_line
        return min(start + first_difference(before, after), len(self.head.lines))


@once
def changelog_change(snapshot: Snapshot, policy: Policy) -> ChangelogChange | None:
    """Return what the pull request did to the changelog.

    None when it did nothing, when there is none, and when every file counts as new: history is
    never judged.
    """
    layout = policy.layout(snapshot.base) or policy.layout(snapshot.head)
    if layout is None or snapshot.everything_is_new:
        return None
    path = layout.changelog
    base, head = snapshot.base.blob(path), snapshot.head.blob(path)
    if head is None and (moved := policy.layout(snapshot.head)):
        path, head = moved.changelog, snapshot.head.blob(moved.changelog)
    return None if base == head else compare(path, base, head)


def new_entries(snapshot: Snapshot, policy: Policy) -> tuple[Entry, ...]:
    """Return the entries that the pull request adds, wherever they stand."""
    change = changelog_change(snapshot, policy)
    return change.new if change else ()


@lru_cache(maxsize=4)
def compare(path: str, base: Blob | None, head: Blob | None) -> ChangelogChange:
    """Compare two versions of the changelog."""
    before = read_changelog(base) if base else None
    if head is None:
        return ChangelogChange(path, before, None)
    after = (base and read_appended(base, head)) or read_changelog(head)
    if after.conflicts and not (before and before.conflicts):
        return ChangelogChange(path, before, after, conflicts=after.conflicts)
    change = _compared(path, before, after)
    if any(entry.error for entry in change.new) and (whole := read_whole(head)):
        return _compared(path, before, whole)
    return change


def _compared(path: str, base: Changelog | None, head: Changelog) -> ChangelogChange:
    before, after = base.entries if base else (), head.entries
    origins = _origins(before, after)
    moved = _moved(before, after, origins)
    _add_likeness(before, after, origins, moved)
    kept = {origin: index for index, origin in enumerate(origins) if origin is not None}
    elsewhere = set(moved.values())
    loose = [i for i, origin in enumerate(origins) if origin is None and i not in elsewhere]
    pieces = find_pieces(before, after, kept, loose)
    new = [i for i in loose if i not in pieces]
    last = max([*kept.values(), *elsewhere], default=-1)
    edits = tuple(find_edits(before, after, kept, moved, pieces))
    preamble_edited = base is not None and unix(base.preamble) != unix(head.preamble)
    return ChangelogChange(
        path,
        base,
        head,
        tuple(after[i] for i in new[:MOST_NEW]),
        frozenset(after[i].first_line for i in new),
        tuple(after[i] for i in new[:MOST_NEW] if i < last),
        _outside_preamble(edits, head.preamble) if preamble_edited else edits,
        {after[h].first_line: before[b] for b, h in kept.items()},
        preamble_edited,
        tuple(after[h] for b, h in kept.items() if _line_ends_differ(before[b], after[h])),
    )


def _origins(before: Sequence[Entry], after: Sequence[Entry]) -> list[int | None]:
    """Return for each entry at head the index of the same one at base."""
    pairs = enumerate(zip(before, after, strict=False))
    same = next((at for at, (b, h) in pairs if b is not h), min(len(before), len(after)))
    rest = align(*([text_of(entry) for entry in entries[same:]] for entries in (before, after)))
    return [*range(same), *(None if at is None else at + same for at in rest)]


def _outside_preamble(edits: tuple[Edit, ...], preamble: bytes) -> tuple[Edit, ...]:
    """Return the edits without the deletion of entries that became part of the preamble."""
    if not edits or edits[0].damage is not Damage.DELETED or edits[0].above is not None:
        return edits
    lines = {line.strip() for line in preamble.split(b"\n")}
    left = edits[0].run[swallowed(lines, edits[0].run) :]
    return (*([replace(edits[0], run=left)] if left else []), *edits[1:])


def _line_ends_differ(base: Entry, head: Entry) -> bool:
    if base is head or (base.raw == head.raw and base.gap == head.gap):
        return False
    count = base.gap.count(b"\n")
    before, after = (x.raw + b"\n".join(x.gap.split(b"\n")[:count]) for x in (base, head))
    return before != after and unix(before + b"\n") == unix(after + b"\n")


def _moved(
    before: Sequence[Entry], after: Sequence[Entry], origins: Sequence[int | None]
) -> dict[int, int]:
    """Return base index -> head index of entries that are only elsewhere now."""
    kept = set(origins)
    loose: dict[bytes, list[int]] = {}
    for index in reversed(range(len(origins))):
        if origins[index] is None:
            loose.setdefault(text_of(after[index]), []).append(index)
    missing = [i for i in range(len(before)) if i not in kept] if loose else []
    return {i: found.pop() for i in missing if (found := loose.get(text_of(before[i])))}


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
        if missing:
            pairs = _likely([(i, before[i]) for i in missing], [(i, after[i]) for i in loose])
            for b, h in pairs:
                origins[h] = b
        low, loose = origin + 1, []


def _likely(
    missing: list[tuple[int, Entry]], loose: list[tuple[int, Entry]]
) -> Iterator[tuple[int, int]]:
    left = [(b, telling(entry)) for b, entry in missing]
    if len(loose) * sum(len(lines) for _, lines in left) > MOST_COMPARISONS:
        yield from zip((b for b, _ in missing), (h for h, _ in loose), strict=False)
        return
    for h, entry in loose if left else ():
        lines = telling(entry)
        found = next((i for i, (_, other) in enumerate(left) if alike(lines, other)), None)
        if found is not None:
            yield left[found][0], h
            left = left[found + 1 :]
