"""A new changelog entry has wrong white space or control characters.

What it does
    Looks at the bytes that the pull request adds to the changelog. Reports carriage returns, tabs
    and NUL characters in new entries, anything but one empty line before each, and a file that
    does not end with the line feed of its last entry.

Why it matters
    The tools that merge and ingest results compare bytes. White space that looks the same on the
    screen is refused there, hours after the review.

Example
    A separator line that holds two spaces, or an empty line at the end of the file.

Use instead
    One empty line, without spaces, between two entries; nothing after the last one.

Exceptions
    White space that was in the file before is never judged. A last line of spaces passes the merge
    tools and breaks the next pull request; it is a warning.

References
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/utils/validate_perf_changelog.py
"""

from collections.abc import Iterator
from dataclasses import replace

from checks.model import Observation, Severity, Snapshot, Suggestion
from checks.parse.changelog import Entry
from checks.parse.changelog_change import ChangelogChange, changelog_change
from checks.parse.changelog_repair import (
    end_with,
    gap_end,
    replace_lines,
    separate,
    separator,
)
from checks.policy import Policy
from checks.registry import rule
from checks.text import Text, text

WRONG = {b"\t": b"  ", b"\0": b"", b"\r": b""}


@rule(Severity.BLOCKING, family="changelog-format")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Judge the bytes of new entries and around them."""
    change = changelog_change(snapshot, policy)
    if change is None or change.head is None or change.conflicts:
        return
    misplaced = {entry.first_line for entry in change.misplaced}
    for entry in change.new:
        yield from _characters(change, entry)
        if entry.first_line not in misplaced:
            yield from _separator(change, entry)
    yield from _tail(change)


def _characters(change: ChangelogChange, entry: Entry) -> Iterator[Observation]:
    whole = entry.raw + entry.gap
    # Where existing lines changed to CR LF, changelog/history-edited says so for the whole file.
    found = [x for x in WRONG if x in whole and not (x == b"\r" and change.line_ends)]
    if not found:
        return
    first = min(whole.index(char) for char in found)
    mended = whole
    for char, instead in WRONG.items():
        mended = mended.replace(char, instead)
    shown = whole[first : first + 1].decode()
    yield Observation(
        path=change.path,
        line=entry.first_line + whole.count(b"\n", 0, first),
        title=text("A character that the changelog may not hold"),
        message=text(
            "The entry of {name} holds {char} here. The changelog holds no carriage return, tab "
            "or NUL; use spaces and plain line feeds.",
            name=entry.name,
            char=shown,
        ),
        anchor=(*change.identity(entry), "character"),
        suggestion=replace_lines(entry.first_line, gap_end(entry), mended),
    )


def _separator(change: ChangelogChange, entry: Entry) -> Iterator[Observation]:
    assert change.head is not None
    if entry.index == 0:
        return
    above = change.head.entries[entry.index - 1]
    origin = change.origins.get(above.first_line)
    gap = above.gap.replace(b"\r\n", b"\n")
    old = origin.gap.replace(b"\r\n", b"\n") if origin else b"\n"
    wanted = old + separator(old or b"x")
    if gap == wanted or not gap.startswith(old):
        return
    added = gap[len(old) :]
    yield _observation(
        change,
        _where_separated(added, above.last_line + old.count(b"\n"), separator(old), entry),
        _how_separated(added, old, entry),
        (*change.identity(entry), "separator"),
        separate(above, wanted, entry),
    )


def _where_separated(added: bytes, first: int, wanted: bytes, entry: Entry) -> int:
    """Return the first line that should not be there; the entry's where one is missing."""
    held = added.lstrip(b"\n")
    rows = added.count(b"\n") - held.count(b"\n") if held else wanted.count(b"\n")
    return min(first + rows, entry.first_line)


def _how_separated(added: bytes, old: bytes, entry: Entry) -> Text:
    if not added and old.strip(b"\n"):
        return text(
            "The file ended with a line of white space, which is no empty line to the tools that "
            "merge it. Leave that line and put an empty one between it and the entry of {name}.",
            name=entry.name,
        )
    if added.strip(b"\n"):
        return text(
            "The line that separates the entry of {name} is not empty: it holds {held}. Leave "
            "exactly one empty line.",
            name=entry.name,
            held=added.strip(b"\n").decode("utf-8", "replace"),
        )
    return text(
        "Exactly one empty line separates entries; before the entry of {name} there are {count}.",
        name=entry.name,
        count=added.count(b"\n") - (not old.endswith(b"\n")) + old.endswith(b"\n\n"),
    )


def _tail(change: ChangelogChange) -> Iterator[Observation]:
    assert change.head is not None
    last = change.head.entries[-1] if change.head.entries else None
    if last is None or (gap := last.gap.replace(b"\r\n", b"\n")) == b"\n":
        return
    origin = change.origins.get(last.first_line)
    old = origin.gap.replace(b"\r\n", b"\n") if origin else b""
    if origin is not None and (gap == old or not old or not gap.startswith(old)):
        return
    if not gap:
        message = text("The file does not end with a line feed; add one after its last line.")
    else:
        message = text(
            "The file has to end with the last line of its last entry and one line feed; remove "
            "what follows."
        )
    line = min(last.last_line + bool(gap), gap_end(last))
    refused = not gap or gap.endswith(b"\n\n") or b"#" in gap
    mended = end_with(last, old or b"\n")
    seen = _observation(change, line, message, ("end",), mended)
    yield seen if refused else replace(seen, severity=Severity.WARNING)


def _observation(
    change: ChangelogChange,
    line: int,
    message: Text,
    anchor: tuple[str, ...],
    suggestion: Suggestion | None,
) -> Observation:
    title = text("White space around the new entry is not as the changelog wants it")
    return Observation(change.path, line, title, message, anchor, suggestion=suggestion)
