"""A new changelog entry has unknown, missing or malformed fields.

What it does
    Reads each new entry and compares its fields, their types and their combination with what the
    repository's own tools accept. A file or entry that is no YAML, and a merge conflict that was
    left in, is reported at its line.

Why it matters
    The sweep is planned from these fields: an unknown or misspelt one stops it, a duplicated one
    silently wins over the other.

Example
    ``config-key:`` for ``config-keys:``, a description that is no list, ``append-only`` together
    with ``evals-only``.

Use instead
    ``config-keys``, ``description`` (lists of text) and ``pr-link``; optionally ``scenario-type``
    and the evaluation flags.

Exceptions
    Entries that were there before.

References
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/utils/matrix_logic/validation.py
"""

from collections.abc import Iterator
from dataclasses import replace

from checks.limit import limited
from checks.model import Observation, Severity, Snapshot
from checks.parse.changelog import Entry
from checks.parse.changelog_change import ChangelogChange, changelog_change
from checks.parse.changelog_conflict import resolve_conflicts
from checks.parse.changelog_fields import OPTIONAL, REQUIRED, Fields, Problem
from checks.parse.changelog_repair import own_link
from checks.parse.conflicts import Conflict
from checks.policy import Policy
from checks.registry import rule
from checks.text import text

MOST_CONFLICTS = 10
MOST_PROBLEMS = 100


@rule(Severity.BLOCKING, family="changelog-schema")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Judge the fields of new entries."""
    change = changelog_change(snapshot, policy)
    if change is None or change.head is None:
        return
    if change.conflicts:
        yield from _conflicts(change, snapshot, policy)
        return
    link, known = own_link(snapshot, policy), _known_fields(snapshot, policy)
    found = (
        _observation(change, entry, problem)
        for entry in change.new
        for problem in _problems(change, entry, link, known)
    )
    yield from limited(found, MOST_PROBLEMS)
    yield from _disagreement(change)
    yield from _document(change)
    if len(change.added) > len(change.new):
        yield _too_many(change)
    if change.base is None and _junk(change.head.preamble):
        yield _no_list(change)


def _known_fields(snapshot: Snapshot, policy: Policy) -> tuple[str, ...]:
    layout = policy.layout(snapshot.base) or policy.layout(snapshot.head)
    # `no-evals` came with the launch planner, in autumn 2026.
    planner = layout is not None and layout.golden_al_source == "planner"
    return tuple(x for x in (*REQUIRED, *OPTIONAL) if planner or x != "no-evals")


def _problems(
    change: ChangelogChange, entry: Entry, link: str, known: tuple[str, ...]
) -> Iterator[Problem]:
    assert change.head is not None
    fields = Fields(change.head, entry, link, known)
    if (misplaced := fields.first_line()) is not None:
        yield misplaced
    elif entry.error is None:
        yield from fields.problems()
    elif not any(char in entry.raw for char in (b"\t", b"\0", b"\r")):
        # Those characters are reported by changelog/bytes, with the same cause.
        yield Problem(entry.error.line, entry.error.reason, ("unreadable",))


def _observation(change: ChangelogChange, entry: Entry, problem: Problem) -> Observation:
    return Observation(
        path=change.path,
        line=problem.line,
        title=text("The new changelog entry is not well-formed"),
        message=problem.message,
        anchor=(*change.identity(entry), *problem.about),
        suggestion=problem.suggestion,
    )


def _document(change: ChangelogChange) -> Iterator[Observation]:
    """Report a file that is no YAML although each of its entries is."""
    assert change.head is not None
    error, before = change.head.error, change.base.error if change.base else None
    explained = before or change.edits or any(entry.error for entry in change.new)
    if error is not None and not explained:
        title = text("The changelog is not well-formed")
        yield Observation(change.path, error.line, title, error.reason, ("document",))


def _conflicts(
    change: ChangelogChange, snapshot: Snapshot, policy: Policy
) -> Iterator[Observation]:
    """Report each conflict; the edit that resolves them all belongs to the first."""
    own = {own_link(snapshot, policy), *policy.link_placeholders}
    first, *others = [_conflict(change, conflict) for conflict in change.conflicts]
    first = replace(first, suggestion=resolve_conflicts(change, own))
    yield from limited([first, *others], MOST_CONFLICTS, len(change.conflicts))


def _conflict(change: ChangelogChange, conflict: Conflict) -> Observation:
    message = text(
        "A merge conflict is left in the changelog from line {first} to line {last}. Keep the "
        "entries of both sides, those of the base first, and remove the marker lines.",
        first=conflict.line,
        last=conflict.end_line,
    )
    return Observation(
        path=change.path,
        line=conflict.line,
        end_line=conflict.end_line,
        title=text("A merge conflict is left in the changelog"),
        message=message,
        anchor=("conflict",),
    )


def _disagreement(change: ChangelogChange) -> Iterator[Observation]:
    """Report a new entry that is not append-only while another one is."""
    readable = [entry for entry in change.new if entry.fields]
    appending = [entry for entry in readable if entry.flag("append-only")]
    others = [entry for entry in readable if not entry.flag("append-only")]
    if not appending or not others:
        return
    message = text(
        "All new entries of a pull request are {flag} or none is: the entry of {name} is, this one "
        "is not.",
        flag="append-only",
        name=appending[0].name,
    )
    yield _observation(change, others[0], Problem(others[0].first_line, message, ("append-only",)))


def _too_many(change: ChangelogChange) -> Observation:
    message = text(
        "The pull request adds {count} entries; only the first {most} are looked at. Split it.",
        count=len(change.added),
        most=len(change.new),
    )
    line = change.new[-1].last_line
    title = text("More new changelog entries than can be judged")
    return Observation(change.path, line, title, message, ("too many",))


def _junk(preamble: bytes) -> bool:
    """Tell whether there is more than comments before the first entry."""
    lines = (line.strip(b" ") for line in preamble.split(b"\n"))
    return any(line and not line.startswith(b"#") for line in lines)


def _no_list(change: ChangelogChange) -> Observation:
    return Observation(
        path=change.path,
        line=1,
        title=text("The changelog is not well-formed"),
        message=text(
            "The changelog is a list of entries that start with {field}.", field="- config-keys:"
        ),
        anchor=("list",),
    )
