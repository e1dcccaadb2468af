"""Exact edits that mend a changelog, as replacements of whole lines."""

from collections.abc import Iterable

from checks.model import Snapshot, Suggestion
from checks.parse.changelog import Entry, Item
from checks.parse.changelog_change import ChangelogChange
from checks.parse.changelog_edits import Damage, Edit, unix
from checks.parse.changelog_file import Changelog
from checks.policy import Policy

MOST_LINES = 80


def replace_lines(start: int, end: int, replacement: bytes) -> Suggestion | None:
    """Return the edit of head lines start..end, or None when it is too long to be read."""
    if end - start > MOST_LINES or replacement.count(b"\n") > 2 * MOST_LINES:
        return None
    return Suggestion(start, end, replacement.decode("utf-8", "surrogateescape"))


def replace_item(changelog: Changelog, item: Item, value: str) -> Suggestion | None:
    """Return the edit that puts a value in the place of a string, None for one of several lines."""
    if item.line != item.end_line:
        return None
    row = changelog.lines[item.line - 1].decode("utf-8", "surrogateescape")
    return Suggestion(item.line, item.line, row[: item.column] + value + row[item.end_column :])


def gap_end(entry: Entry) -> int:
    """Return the last line of the white space after an entry (1-based)."""
    return entry.last_line + max(0, entry.gap.count(b"\n") - entry.gap.endswith(b"\n"))


def separator(history: bytes) -> bytes:
    """Return what must stand between existing bytes and a new entry: one empty line."""
    if not history or history.endswith(b"\n\n"):
        return b""
    return b"\n" if history.endswith(b"\n") else b"\n\n"


def appended(history: bytes, entries: Iterable[bytes]) -> bytes:
    """Return existing bytes with entries behind them, each behind one empty line."""
    return history + separator(history) + b"\n".join(entry + b"\n" for entry in entries)


def last_line(entry: Entry) -> bytes:
    """Return the last line of an entry without its end."""
    return entry.raw.rpartition(b"\n")[2].rstrip(b"\r")


def end_with(entry: Entry, gap: bytes) -> Suggestion | None:
    """Return the edit after which the file ends with these bytes behind its last entry."""
    return replace_lines(entry.last_line, gap_end(entry), last_line(entry) + gap)


def separate(above: Entry, gap: bytes, below: Entry) -> Suggestion | None:
    """Return the edit that puts these bytes between two entries."""
    first = below.raw.partition(b"\n")[0].rstrip(b"\r")
    whole = last_line(above) + gap + first + b"\n"
    return replace_lines(above.last_line, below.first_line, whole)


def append(changelog: Changelog, addition: bytes) -> Suggestion | None:
    """Return the edit that adds an entry at the end of a well-formed changelog."""
    if not changelog.entries:
        return None
    last = changelog.entries[-1]
    whole = last_line(last) + last.gap + separator(changelog.blob.data) + addition
    return replace_lines(last.last_line, gap_end(last), whole)


def move_to_end(change: ChangelogChange, entry: Entry) -> Suggestion | None:
    """Return the edit that moves a misplaced entry behind everything else."""
    assert change.head is not None
    entries, data = change.head.entries, change.head.blob.data
    index = entry.index
    if gap_end(entries[-1]) - entry.first_line > MOST_LINES:
        return None
    after = b"".join(each.raw + each.gap for each in entries[index + 1 :])
    moved = separator(after) + entry.raw + b"\n"
    above = entries[index - 1] if index else None
    origin = change.origins.get(above.first_line) if above else None
    if above is None or origin is None or above.gap == origin.gap:
        return replace_lines(entry.first_line, data.count(b"\n"), after + moved)
    start = last_line(above) + origin.gap
    return replace_lines(above.last_line, data.count(b"\n"), start + after + moved)


def restore(change: ChangelogChange, edit: Edit, addition: bytes = b"") -> Suggestion | None:
    """Return the edit that gives an existing entry its bytes back.

    ``addition`` is a new entry to append too; it is used where the restored one is the last.
    """
    if edit.damage is Damage.MOVED:
        return None
    if edit.damage is Damage.DELETED:
        return _reinsert(change, edit, addition)
    assert edit.head is not None
    assert edit.last is not None
    if edit.damage is Damage.EDITED:
        start = edit.head.first_line
        text = b"".join(each.raw + each.gap for each in edit.run[:-1]) + edit.run[-1].raw
    else:
        start, text = edit.head.last_line, last_line(edit.head)
    if edit.gap_kept:
        return replace_lines(start, edit.last.last_line, text + b"\n")
    restored = _before(change, edit.last, text + edit.run[-1].gap)
    return replace_lines(start, gap_end(edit.last), restored)


def restore_line_ends(change: ChangelogChange, entry: Entry) -> Suggestion | None:
    """Return the edit that gives an entry that differs in line ends only its bytes back."""
    base = change.origins[entry.first_line]
    if unix(base.gap) == unix(entry.gap):
        return replace_lines(entry.first_line, gap_end(entry), base.raw + base.gap)
    end = b"\r\n" if base.gap.startswith(b"\r\n") else b"\n"
    return replace_lines(entry.first_line, entry.last_line, base.raw + end)


def _reinsert(change: ChangelogChange, edit: Edit, addition: bytes) -> Suggestion | None:
    above = edit.above
    if above is None:
        return None
    origin = change.origins.get(above.first_line)
    gap = origin.gap if origin else above.gap
    whole = last_line(above) + gap + b"".join(each.raw + each.gap for each in edit.run)
    if change.head and above is change.head.entries[-1] and addition:
        whole += separator(whole) + addition
    else:
        whole = _before(change, above, whole)
    return replace_lines(above.last_line, gap_end(above), whole)


def _before(change: ChangelogChange, entry: Entry, restored: bytes) -> bytes:
    """Return restored bytes with what a new entry right behind them needs."""
    entries = change.head.entries if change.head else ()
    following = entries[entry.index + 1] if entry.index + 1 < len(entries) else None
    if following is not None and change.is_new(following):
        return restored + separator(restored)
    return restored


def own_link(snapshot: Snapshot, policy: Policy) -> str:
    """Return the canonical link of the pull request, or a placeholder without a number."""
    if snapshot.pull_request is None:
        return next(iter(policy.link_placeholders), f"{policy.pull_request_url}XXX")
    return f"{policy.pull_request_url}{snapshot.pull_request.number}"


def new_entry(
    config_keys: Iterable[str], description: str, link: str, scenarios: Iterable[str] = ()
) -> bytes:
    """Return the text of an entry, ready to append."""
    lines = ["- config-keys:", *(f"    - {key}" for key in config_keys)]
    wanted = list(scenarios)
    if wanted:
        lines += ["  scenario-type:", *(f"    - {each}" for each in wanted)]
    lines += ["  description:", f"    - {quoted(description)}", f"  pr-link: {link}"]
    return ("\n".join(lines) + "\n").encode("utf-8", "surrogateescape")


def quoted(value: str) -> str:
    """Return a string as a double-quoted YAML scalar on one line."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(char if char.isprintable() else " " for char in escaped) + '"'
