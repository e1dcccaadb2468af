"""Merged bytes of the changelog: the reference repository's merge preparation and ours."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import pygit2

from bot.snapshot import SnapshotError, commit_of, merge_base
from checks.changelog_merge import MergeError, merge_changelogs
from checks.fix import fix
from checks.model import Blob
from checks.parse.changelog_change import compare
from checks.policy import preset
from checks.run import Overlay, run_checks
from tests.differential.changelog_changes import PATH, Change, file_at
from tests.differential.changelog_programs import Programs

PLACEHOLDER = b"  pr-link: XXX"
Sides = tuple[bytes, bytes, bytes]


def canonicalized(programs: Programs, change: Change) -> tuple[str, str] | None:
    """Return both outcomes for the change with placeholders instead of its links, if any."""
    head = _with_placeholders(change)
    if head is None or change.number is None:
        return None
    answer = programs.ask(change.sha, "canonicalize", [change.base, head], change.number)
    theirs = answer.get("content", "").encode("latin-1")
    policy = preset("inferencex")
    snapshot = replace(change.snapshot, head=Overlay(change.snapshot.head, PATH, Blob.of(head)))
    report = run_checks(snapshot, policy)
    fixed = fix(snapshot, policy, report, lambda each: each.rule == "changelog/pr-link")
    return _outcomes(answer.get("error"), theirs, None, fixed.files.get(PATH, head))


def _with_placeholders(change: Change) -> bytes | None:
    """Return the head with a placeholder for the link of each appended entry."""
    new = compare(PATH, Blob.of(change.base), Blob.of(change.head)).new
    if not new or not change.head.startswith(change.base):
        return None
    lines = Blob.of(change.head).lines()
    for entry in new:
        if entry.pr_link is not None:
            lines[entry.pr_link.line - 1] = PLACEHOLDER + b"\n"
    return b"".join(lines)


def simulated(change: Change, older: Change | None) -> Sides | None:
    """Return the change as of a branch that started one change of main earlier."""
    if older is None or not change.head.startswith(change.base) or older.head != change.base:
        return None
    added = change.head[len(change.base) :].removeprefix(b"\n")
    separator = b"" if older.base.endswith(b"\n\n") else b"\n"
    return older.base, older.base + separator + added, change.base


def real(repository: pygit2.Repository, change: Change) -> Sides | None:
    """Return the versions of the pull request's own branch and of main just before the merge."""
    with suppress(SnapshotError):
        head = commit_of(repository, f"refs/pull/{change.number}/head")
        base = merge_base(repository, head, commit_of(repository, f"{change.sha}^"))
        before, branch = file_at(repository, base), file_at(repository, head)
        if branch != before and before != change.base:
            return before, branch, change.base
    return None


def resolved(programs: Programs, change: Change, sides: Sides) -> tuple[str, str]:
    """Return both outcomes for a merge."""
    answer = programs.ask(change.sha, "resolve", sides, change.number)
    theirs = answer.get("content", "").encode("latin-1")
    ours, refusal = b"", None
    base, branch, main = (Blob.of(side) for side in sides)
    try:
        ours = merge_changelogs(base, branch, main, preset("inferencex"), change.number).content
    except MergeError as error:
        refusal = str(error)
    return _outcomes(answer.get("error"), theirs, refusal, ours)


def _outcomes(
    error: str | None, theirs: bytes, refusal: str | None, ours: bytes
) -> tuple[str, str]:
    if error is None and refusal is None:
        return ("merged", "the same bytes" if theirs == ours else "OTHER BYTES")
    return error or "merged", refusal or "merged"


def each_sides(
    repository: pygit2.Repository, found: list[Change]
) -> Iterator[tuple[str, Change, Sides]]:
    """Yield every merge to compare, newest first."""
    for change, older in zip(found, [*found[1:], None], strict=True):
        if change.number is None:
            continue
        if sides := simulated(change, older):
            yield "simulated", change, sides
        if sides := real(repository, change):
            yield "real", change, sides
