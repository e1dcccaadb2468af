"""Merge two versions of the changelog as the append-only file that it is.

A text merge takes two appended entries for a conflict, or puts the new one before those of main.
Here main's bytes stay as they are and what the other side adds goes behind them.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest

from checks.model import Blob
from checks.parse.changelog import Entry
from checks.parse.changelog_change import ChangelogChange, compare
from checks.parse.changelog_file import read_changelog
from checks.parse.changelog_repair import appended
from checks.policy import Policy
from checks.text import visible

_START = b"- config-keys:"
_LINK = b"  pr-link:"


class MergeError(ValueError):
    """The merge cannot be decided; the text says why and what to do, in one sentence."""


@dataclass(frozen=True, slots=True)
class Merged:
    """The merged changelog, how many entries were appended, and what to tell the user."""

    content: bytes
    appended: int = 0
    note: str = ""


@dataclass(frozen=True, slots=True)
class _Sides:
    base: Blob
    ours: Blob
    theirs: Blob
    policy: Policy
    number: int | None


def merge_changelogs(
    base: Blob, ours: Blob, theirs: Blob, policy: Policy, number: int | None = None
) -> Merged:
    """Return their version, byte for byte, with the new entries of ours behind it.

    White space between entries is not looked at, since theirs stays. When all that ours did is
    to correct links of existing entries, theirs gets these corrections.

    Args:
        base: the common ancestor; empty when there was no changelog.
        ours: the branch of the pull request.
        theirs: the branch that it is merged with, usually main.
        policy: says how links look.
        number: the pull request; the links of our new entries become its link. None leaves them.

    Raises:
        MergeError: a version cannot be read, ours changes more than links of existing entries, or
            an entry of ours is there twice.

    """
    for name, blob in (("BASE", base), ("OURS", ours), ("THEIRS", theirs)):
        _check_readable(name, blob)
    sides = _Sides(base, ours, theirs, policy, number)
    change = compare("OURS", base, ours)
    links = _corrected_links(change, base, ours)
    if not change.new:
        return Merged(_with_links(theirs, base, links))
    _check_new(sides, change)
    entries = [_canonical(entry, sides) for entry in change.new]
    content = appended(theirs.data, entries)
    _check_appended(theirs, content, len(entries))
    return Merged(content, len(entries), _left_out(len(links)))


def _left_out(links: int) -> str:
    if not links:
        return ""
    return (
        f"OURS also corrects {links} links of existing entries; they are left out, because they "
        "belong into a pull request of their own."
    )


def _check_readable(name: str, blob: Blob) -> None:
    changelog = read_changelog(blob)
    if changelog.conflicts:
        line = changelog.conflicts[0].line
        raise MergeError(f"{name} holds a merge conflict marker in line {line}; resolve it first.")
    lines = changelog.preamble.split(b"\n")
    junk = next((row for row, x in enumerate(lines, 1) if x.strip() and x[:1] != b"#"), None)
    if junk is not None:
        raise MergeError(f"{name} is no changelog: line {junk} belongs to no entry.")
    if changelog.error is not None:
        raise MergeError(
            f"{name} cannot be read: line {changelog.error.line}: {changelog.error.reason}"
        )


def _corrected_links(change: ChangelogChange, base: Blob, ours: Blob) -> dict[int, bytes]:
    """Return the existing ``pr-link`` lines that ours changed, by their number at base.

    Raises:
        MergeError: ours changed anything else that is no white space between entries.

    """
    if len(change.added) > len(change.new):
        raise MergeError(
            f"OURS adds {len(change.added)} entries; at most {len(change.new)} are merged at once."
        )
    new = {x for each in change.new for x in range(each.first_line, each.last_line + 1)}
    found = {}
    kept = (each for each in _filled(ours) if each[0] not in new)
    for old, now in zip_longest(_filled(base), kept):
        if old is None or now is None or old[1] != now[1]:
            if old and now and old[1].startswith(_LINK) and now[1].startswith(_LINK):
                found[old[0]] = now[1]
                continue
            raise MergeError(_edited(old, now))
    return found


def _filled(blob: Blob) -> Iterator[tuple[int, bytes]]:
    """Yield number and bytes, without the line feed, of the lines that hold something."""
    for number, line in enumerate(blob.lines(), 1):
        if line.strip():
            yield number, line.removesuffix(b"\n")


def _edited(old: tuple[int, bytes] | None, now: tuple[int, bytes] | None) -> str:
    where = f"line {now[0]}" if now else "its end"
    instead = f"of line {old[0]} of BASE" if old else "of BASE, where the file ends"
    return (
        f"OURS changes existing entries, not only links: from {where} on it differs from the "
        f"bytes {instead}. Restore them and merge again."
    )


def _with_links(theirs: Blob, base: Blob, links: dict[int, bytes]) -> bytes:
    """Return theirs with corrected links.

    Raises:
        MergeError: the entry is another one there, or stands there more than once.

    """
    lines = list(theirs.lines())
    for number, line in links.items():
        here = next(x for x in read_changelog(base).entries if x.last_line >= number)
        same = [x for x in read_changelog(theirs).entries if _signature(x) == _signature(here)]
        if len(same) != 1:
            raise MergeError(
                f"OURS corrects the link of {visible(here.name)}, which stands {len(same)} times "
                "in THEIRS; correct it by hand."
            )
        at = next(x for x in range(same[0].first_line, same[0].last_line + 1)
                  if lines[x - 1].startswith(_LINK))  # fmt: skip
        there, before = (x.removesuffix(b"\n") for x in (lines[at - 1], base.lines()[number - 1]))
        if there not in (before, line):
            raise MergeError(
                f"Both sides change the link of {visible(here.name)}, in line {at} of THEIRS; "
                "choose one by hand."
            )
        lines[at - 1] = line + lines[at - 1][len(there) :]
    return b"".join(lines)


def _signature(entry: Entry) -> tuple[bytes, ...]:
    """Return what tells an entry from others, whatever its link."""
    lines = (line.strip() for line in entry.raw.split(b"\n"))
    return tuple(line for line in lines if line and not line.startswith(_LINK.strip()))


def _check_new(sides: _Sides, change: ChangelogChange) -> None:
    """Raise MergeError for new entries that are not whole, or there already."""
    theirs = compare("THEIRS", sides.base, sides.theirs).new
    there = [("THEIRS", entry, entry.link) for entry in theirs]
    for entry in change.new:
        _check_whole(entry)
        link = entry.link if sides.number is None else _own_link(sides)
        for name, other, other_link in there:
            if _signature(entry) == _signature(other) and not _both(link, other_link, sides):
                raise MergeError(
                    f"The entry of {visible(entry.name)} in line {entry.first_line} of OURS stands "
                    f"in line {other.first_line} of {name} too; remove one of them."
                )
        there.append(("OURS", entry, link))
    _check_sides(sides, theirs, change.new)


def _check_whole(entry: Entry) -> None:
    if entry.error is not None:
        raise MergeError(
            f"The entry of {visible(entry.name)} in OURS cannot be read: line {entry.error.line}: "
            f"{entry.error.reason}"
        )
    if not entry.raw.startswith(_START) or not entry.config_keys:
        raise MergeError(
            f"What OURS adds in line {entry.first_line} is no entry; an entry starts with "
            "`- config-keys:` and names at least one."
        )


def _check_sides(sides: _Sides, theirs: Iterable[Entry], ours: Iterable[Entry]) -> None:
    """Raise MergeError when it is theirs that adds the entry of the pull request."""
    own = next((entry for entry in theirs if _is_own(entry, sides)), None)
    if own is not None and not any(_is_own(entry, sides) for entry in ours):
        raise MergeError(
            "The sides seem to be swapped: the entry with a link to this pull request, or with a "
            f"placeholder, stands in line {own.first_line} of THEIRS. Give main's version as "
            "THEIRS."
        )


def _own_link(sides: _Sides) -> str:
    return f"{sides.policy.pull_request_url}{sides.number}"


def _both(one: str, other: str, sides: _Sides) -> bool:
    """Tell whether two links name two pull requests, which may have the same to say."""
    root = sides.policy.pull_request_url
    numbers = [link.removeprefix(root) for link in (one, other) if link.startswith(root)]
    return one != other and len(numbers) == 2 and all(map(str.isdigit, numbers))


def _is_own(entry: Entry, sides: _Sides) -> bool:
    link = entry.link
    own = sides.number is not None and link == _own_link(sides)
    return own or link in sides.policy.link_placeholders


def _canonical(entry: Entry, sides: _Sides) -> bytes:
    """Return the bytes of an entry with the link of the pull request, when that is known.

    Raises:
        MergeError: there is no link to replace.

    """
    if sides.number is None:
        return entry.raw
    link = entry.pr_link
    if link is None or link.line != link.end_line or entry.fields.duplicates:
        raise MergeError(
            f"The entry of {visible(entry.name)} in OURS has no pr-link on one line; write "
            f"`pr-link: {_own_link(sides)}`."
        )
    lines = entry.raw.split(b"\n")
    row = link.line - entry.first_line
    line = lines[row].decode("utf-8", "surrogateescape")
    changed = line[: link.column] + _own_link(sides) + line[link.end_column :]
    lines[row] = changed.encode("utf-8", "surrogateescape")
    return b"\n".join(lines)


def _check_appended(theirs: Blob, content: bytes, count: int) -> None:
    """Raise MergeError when the end of theirs makes something else of the new entries."""
    entries = read_changelog(theirs).entries
    if entries and (error := entries[-1].error):
        raise MergeError(
            f"The last entry of THEIRS cannot be read, so nothing can stand behind it: line "
            f"{error.line}: {error.reason}"
        )
    after = compare("THEIRS", theirs, Blob.of(content))
    indented = bool(entries) and not entries[-1].raw.startswith(b"-")
    if indented or len(after.new) != count or after.edits:
        raise MergeError(
            "THEIRS holds no entries that start with `- config-keys:` at the start of a line, so "
            "nothing can be appended to it."
        )
