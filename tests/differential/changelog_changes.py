"""The changes of the reference repository's changelog on its first-parent history."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pygit2

from bot.snapshot import GitTree, commit_of, take_snapshot
from checks.model import PullRequest, Snapshot
from tests.differential.sweep import git

SINCE, PATH = "2026-06-18T00:00:00Z", "perf-changelog.yaml"
PROGRAM = "utils/validate_perf_changelog.py"
LOG = ("log", "--first-parent", f"--since={SINCE}", "--format=%H", "HEAD", "--", PATH)


@dataclass(frozen=True, eq=False)
class Change:
    """One commit that changes the changelog: both versions, and its pull request's number."""

    sha: str
    number: int | None
    base: bytes
    head: bytes
    snapshot: Snapshot

    @property
    def name(self) -> str:
        """Return what to call it."""
        return f"{self.sha[:9]}{f'(#{self.number})' if self.number else ''}"


def changes(
    repository: pygit2.Repository, clone: Path, revisions: Sequence[str]
) -> Iterator[Change]:
    """Yield the changes at some revisions, by default at all of the history; newest first."""
    for revision in revisions or git(clone, *LOG).split():
        commit = commit_of(repository, revision)
        if GitTree(repository, commit.tree, str(commit.id)).blob(PROGRAM) is None:
            continue  # it came in the course of that day
        found = re.search(r"\(#(\d+)\)( \[skip-sweep\])?$", commit.message.partition("\n")[0])
        number = int(found[1]) if found else None
        snapshot = take_snapshot(
            repository, f"{commit.id}^", str(commit.id), PullRequest(number) if number else None
        )
        base, head = (file_at(repository, each) for each in (commit.parents[0], commit))
        yield Change(str(commit.id), number, base, head, snapshot)


def file_at(repository: pygit2.Repository, commit: pygit2.Commit) -> bytes:
    """Return the changelog at a commit, b"" when there is none."""
    blob = GitTree(repository, commit.tree, str(commit.id)).blob(PATH)
    return blob.data if blob else b""
