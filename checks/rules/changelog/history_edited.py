"""An existing changelog entry is changed, deleted, moved or reformatted.

What it does
    Recognises each entry of the base again at head and compares the bytes, white space included.

Why it matters
    An entry records what was benchmarked when. The tools that merge and ingest results require
    that the old file, byte for byte, is the start of the new one.

Example
    An editor that strips the spaces from old separator lines; a revert that deletes the entry of
    what it reverts.

Use instead
    The bytes of the base, and a new entry at the end that says what changed or was reverted.

Exceptions
    A pull request that only corrects ``pr-link`` lines of existing entries to canonical links. An
    entry that was no YAML and is made readable: without that the file cannot be read at all.

References
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/utils/validate_perf_changelog.py
"""

from collections.abc import Iterator, Sequence

from checks.model import Cleared, Evidence, Observation, Severity, Snapshot
from checks.parse.changelog import Entry
from checks.parse.changelog_change import ChangelogChange, changelog_change
from checks.parse.changelog_edits import Damage, Edit, first_difference
from checks.parse.changelog_repair import new_entry, own_link, restore, restore_line_ends
from checks.parse.master_config import config_entries
from checks.parse.wildcard import matches_key
from checks.policy import Policy
from checks.registry import rule
from checks.text import Text, text

MOST_PLACES = 8
MOST_SHOWN = 5
LONGEST = 2000


@rule(Severity.BLOCKING, family="changelog-history")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation | Cleared]:
    """Report what happened to existing entries."""
    change = changelog_change(snapshot, policy)
    if change is None or change.conflicts or only_links_corrected(change, policy):
        return
    if change.head is None:
        yield _gone(snapshot, change)
        return
    if change.line_ends:
        yield _line_ends(change)
    if change.preamble_edited:
        yield _preamble(change)
    edits = [edit for edit in change.edits if not _mends(change, edit)]
    if len(edits) > MOST_PLACES:
        yield _many(change, edits)
        return
    for edit in change.edits:
        yield _edit(snapshot, policy, change, edit) if edit in edits else _mended(change, edit)


def only_links_corrected(change: ChangelogChange, policy: Policy) -> bool:
    """Tell whether all that happened is that existing links became canonical ones."""
    touched = change.new or change.preamble_edited or change.line_ends or change.head is None
    return not touched and all(_link_corrected(edit, policy) for edit in change.edits)


def _link_corrected(edit: Edit, policy: Policy) -> bool:
    if edit.damage is not Damage.EDITED or edit.head is None or not edit.gap_kept:
        return False
    before, after = edit.base.raw.split(b"\n"), edit.head.raw.split(b"\n")
    pairs = [pair for pair in zip(before, after, strict=False) if pair[0] != pair[1]]
    link = edit.head.link
    number = link.removeprefix(policy.pull_request_url)
    canonical = number != link and number.isascii() and number.isdigit()
    written = {f"  pr-link: {quote}{link}{quote}".encode() for quote in ("", "'", '"')}
    return (
        canonical
        and link != edit.base.link
        and len(before) == len(after)
        and len(pairs) == 1
        and pairs[0][0].startswith(b"  pr-link:")
        and pairs[0][1] in written
    )


def _mends(change: ChangelogChange, edit: Edit) -> bool:
    """Tell whether an entry that could not be read can be read now."""
    if edit.head is None or edit.last is None or edit.base.error is None or change.head is None:
        return False
    now = change.head.entries[edit.head.index : edit.last.index + 1]
    return all(entry.error is None for entry in now)


def _mended(change: ChangelogChange, edit: Edit) -> Cleared:
    reason = text("The entry of {entry} could not be read before.", entry=_named(edit.base))
    return Cleared(change.path, change.line_of(edit), reason)


def _gone(snapshot: Snapshot, change: ChangelogChange) -> Observation:
    renamed = next((f.path for f in snapshot.files if f.old_path == change.path), None)
    message = (
        text("The changelog {path} is deleted; restore it.", path=change.path)
        if renamed is None
        else text(
            "The changelog {path} is renamed to {renamed}, where nothing looks for it; keep its "
            "name.",
            path=change.path,
            renamed=renamed,
        )
    )
    return Observation(change.path, None, text("The changelog is gone"), message, ("file",))


def _line_ends(change: ChangelogChange) -> Observation:
    assert change.head is not None
    count, entry = len(change.line_ends), change.line_ends[0]
    base = change.origins[entry.first_line]
    carriage = b"\r\n" in entry.raw + entry.gap
    message = (
        text(
            "Lines of existing entries ({count} of them) end with CR LF now instead of LF. Convert "
            "the file back to LF.",
            count=count,
        )
        if carriage
        else text(
            "Lines of existing entries ({count} of them) end with LF now instead of CR LF. Restore "
            "the bytes of the base.",
            count=count,
        )
    )
    row = first_difference(base.raw + base.gap, entry.raw + entry.gap)
    return Observation(
        path=change.path,
        line=min(entry.first_line + row, len(change.head.lines)),
        title=text("The line ends of existing entries are changed"),
        message=message,
        anchor=("line ends",),
        suggestion=restore_line_ends(change, entry) if count == 1 else None,
    )


def _preamble(change: ChangelogChange) -> Observation:
    assert change.base is not None
    assert change.head is not None
    row = first_difference(change.base.preamble, change.head.preamble)
    return Observation(
        change.path,
        min(row + 1, max(1, len(change.head.lines))),
        text("The start of the changelog is changed"),
        text("What stands before the first entry differs from the base; restore it."),
        ("preamble",),
    )


def _many(change: ChangelogChange, edits: Sequence[Edit]) -> Observation:
    assert change.base is not None
    places = [change.line_of(edit) for edit in edits]
    message = text(
        "{count} of {total} existing entries are changed, deleted or moved, from line {line} on. "
        "Restore the bytes of the base and put only new entries behind them.",
        count=sum(len(edit.run) for edit in edits),
        total=len(change.base.entries),
        line=min(places),
    )
    title = text("Many existing changelog entries are changed")
    return Observation(change.path, min(places), title, message, ("many",))


def _edit(snapshot: Snapshot, policy: Policy, change: ChangelogChange, edit: Edit) -> Observation:
    title, message = _words(edit, policy)
    gone = edit.damage is Damage.DELETED
    addition = _revert_entry(snapshot, policy, edit) if gone else b""
    line = change.line_of(edit)
    return Observation(
        path=change.path,
        line=line,
        title=title,
        message=message,
        anchor=(edit.damage.value, edit.base.name, edit.base.link),
        evidence=tuple(_evidence(change.path, edit, line, addition)),
        suggestion=restore(change, edit, b"" if change.new else addition),
    )


def _words(edit: Edit, policy: Policy) -> tuple[Text, Text]:
    """Return the title and the message."""
    entry = _named(edit.base)
    if edit.damage is Damage.DELETED:
        return text("An existing changelog entry is deleted"), _deleted(edit)
    if edit.damage is Damage.MOVED:
        return text("An existing changelog entry is moved"), text(
            "The entry of {entry} stood elsewhere in the base. Restore the old order; only "
            "new entries are added, at the end.",
            entry=entry,
        )
    if edit.damage is Damage.WHITE_SPACE:
        assert edit.head is not None
        return text("White space of the existing changelog is changed"), text(
            "After the entry of {entry} the base has {before}; here it is {after}. "
            "Existing bytes stay as they are, white space included; restore them.",
            entry=entry,
            before=_shown(edit.base.gap),
            after=_shown(edit.head.gap),
        )
    title = text("An existing changelog entry is changed")
    if _link_corrected(edit, policy):
        return title, text(
            "The link of the entry of {entry} is corrected together with other changes of the "
            "changelog. Correct links in a pull request of their own.",
            entry=entry,
        )
    return title, text(
        "The entry of {entry} is part of the base and stays as it is. Restore its bytes "
        "and describe what changed in a new entry at the end.",
        entry=entry,
    )


def _deleted(edit: Edit) -> Text:
    entry = _named(edit.base)
    entries = (
        text("The entry of {entry} is", entry=entry)
        if len(edit.run) == 1
        else text(
            "The entries from {entry} to {last} ({count}) are",
            entry=entry,
            last=_named(edit.run[-1]),
            count=len(edit.run),
        )
    )
    return text(
        "{entries} deleted here. History stays even when a change is reverted: restore it and, "
        "for a revert, append a revert entry instead.",
        entries=entries,
    )


def _named(entry: Entry) -> Text:
    link = entry.link
    return (
        text("{name} ({link})", name=entry.name, link=link)
        if link
        else text("{name}", name=entry.name)
    )


def _shown(gap: bytes) -> Text:
    """Return the white space after the end of an entry's last line."""
    if not gap:
        return text("no line feed")
    rest = gap.removeprefix(b"\r").removeprefix(b"\n").decode("utf-8", "replace")
    return text("{bytes}", bytes=rest) if rest else text("nothing but a line feed")


def _evidence(path: str, edit: Edit, line: int, addition: bytes) -> Iterator[Evidence]:
    if edit.head is None:
        for entry in edit.run[:MOST_SHOWN]:
            yield Evidence(path, None, "- " + entry.raw[:LONGEST].decode("utf-8", "replace"))
        if addition:
            yield Evidence(path, None, "+ " + addition.decode("utf-8", "replace"))
    elif edit.damage is Damage.EDITED:
        row = line - edit.head.first_line
        for sign, at, entry in (("-", None, edit.base), ("+", line, edit.head)):
            rows = entry.raw.split(b"\n")
            shown = rows[min(row, len(rows) - 1)].decode("utf-8", "replace")
            yield Evidence(path, at, f"{sign} {shown}")


def _revert_entry(snapshot: Snapshot, policy: Policy, edit: Edit) -> bytes:
    """Return the entry to append instead of a deletion; b"" when no config key is left for it."""
    layout = policy.layout(snapshot.head)
    known = config_entries(snapshot.head, layout) if layout else {}
    named = [item.value for entry in edit.run for item in entry.config_keys]
    keys = [key for key in dict.fromkeys(named) if any(matches_key(key, x) for x in known)]
    links = ", ".join(dict.fromkeys(entry.link for entry in edit.run))
    return new_entry(keys, f"Revert {links}", own_link(snapshot, policy)) if keys else b""
