"""Resolve merge conflicts that were left in the changelog: both sides are kept, main's first."""

from collections.abc import Collection, Sequence

from checks.model import Blob, Suggestion
from checks.parse.changelog import Entry
from checks.parse.changelog_change import ChangelogChange
from checks.parse.changelog_file import Changelog, read_changelog
from checks.parse.changelog_repair import appended, replace_lines

_MARKERS = (b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>")


def resolve_conflicts(change: ChangelogChange, own_links: Collection[str]) -> Suggestion | None:
    """Return the edit that resolves all conflicts at once.

    git cuts common lines out of a conflict, so each side is read as a whole file. Main's side is
    the one that equals the base; where both only append to the base, it is the one whose entries
    do not link the pull request. None where that leaves a doubt, or an entry is not whole.
    """
    assert change.head is not None
    sides = _sides(change.head.lines)
    base = change.base.blob.data if change.base else b""
    for main, own in (sides, sides[::-1]) if sides else ():
        added = _added(main, own)
        if added and (main == base or _only_own(base, main, added, own_links)):
            merged = appended(main, (entry.raw for entry in added))
            return _edit(change.head, Blob.of(merged).lines())
    return None


def _sides(lines: Sequence[bytes]) -> tuple[bytes, bytes] | None:
    """Return the file as either side has it, or None when the markers do not match."""
    kept: tuple[list[bytes], list[bytes]] = ([], [])
    state = 0  # 0 outside, 1 first side, 2 ancestor, 3 second side
    for line in lines:
        if line.startswith(_MARKERS) and line[7:8] in (b" ", b"\n", b"\r", b""):
            kind = _MARKERS.index(line[:7]) + 1
            if (state, kind) not in ((0, 1), (1, 2), (1, 3), (2, 3), (3, 4)):
                return None
            state = kind % 4
            continue
        for side in {0: (0, 1), 1: (0,), 2: (), 3: (1,)}[state]:
            kept[side].append(line)
    return None if state else (b"".join(kept[0]), b"".join(kept[1]))


def _added(main: bytes, own: bytes) -> tuple[Entry, ...]:
    """Return the entries of a side behind those that both have; none unless all are whole."""
    there, here = (read_changelog(Blob.of(side)) for side in (main, own))
    shared, known = _shared(there, here), {entry.raw for entry in there.entries}
    added = here.entries[shared:]
    whole = all(_is_whole(entry) and entry.raw not in known for entry in added)
    before = [entry.gap.strip() for entry in here.entries[shared - 1 :]] if shared else []
    same_start = here.preamble == there.preamble
    return added if whole and same_start and not any(before) else ()


def _shared(one: Changelog, other: Changelog) -> int:
    """Return how many entries at the start are the same."""
    pairs = enumerate(zip(one.entries, other.entries, strict=False))
    same = next((i for i, (a, b) in pairs if a.raw != b.raw), None)
    return min(len(one.entries), len(other.entries)) if same is None else same


def _is_whole(entry: Entry) -> bool:
    start = entry.raw.startswith(b"- config-keys:")
    return start and bool(entry.config_keys and entry.description and entry.pr_link)


def _only_own(
    base: bytes, main: bytes, added: tuple[Entry, ...], own_links: Collection[str]
) -> bool:
    """Tell whether a side that the base does not have yet is main's, by the links of both."""
    before, after = (read_changelog(Blob.of(side)) for side in (base, main))
    new = after.entries[len(before.entries) :]
    if not main.startswith(base) or not all(map(_is_whole, new)):
        return False
    return not _owned(new, own_links) and _owned(added, own_links) == len(added)


def _owned(entries: tuple[Entry, ...], own_links: Collection[str]) -> int:
    return sum(bool(x.pr_link and x.pr_link.value in own_links) for x in entries)


def _edit(head: Changelog, merged: Sequence[bytes]) -> Suggestion | None:
    """Return the edit of the lines that differ."""
    lines, first, last = head.lines, 0, 0
    while lines[first] == merged[first]:
        first += 1
    room = min(len(lines), len(merged)) - first - 1
    while last < room and lines[-1 - last] == merged[-1 - last]:
        last += 1
    inside = b"".join(merged[first : len(merged) - last])
    return replace_lines(first + 1, len(lines) - last, inside)
