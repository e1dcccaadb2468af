"""The versions of a file along a branch, read lazily from git's objects."""

from collections.abc import Iterator, Sequence
from itertools import islice

import pygit2

from bot.trees import GitTree
from checks.model import Blob

MAX_COMMITS = 5_000


def versions(
    repository: pygit2.Repository, tip: pygit2.Commit, paths: Sequence[str], most: int
) -> Iterator[tuple[str, Blob]]:
    """Yield a commit and the file as of it for each version, newest first, until it is absent.

    Args:
        repository: where the branch is.
        tip: newest commit of the branch.
        paths: where the file may be; the first that is there counts.
        most: how many versions to yield at most.

    """
    previous, found = "", 0
    for commit in islice(_first_parents(tip), MAX_COMMITS):
        tree = GitTree(repository, commit.tree, str(commit.id))
        there = next((path for path in paths if tree.has(path)), None)
        blob = tree.blob(there) if there else None
        if blob is None or found >= most:
            return
        if blob.id != previous:
            previous = blob.id
            found += 1
            yield str(commit.id), blob


def _first_parents(tip: pygit2.Commit) -> Iterator[pygit2.Commit]:
    """Yield a commit and its first parents; libgit2's walker would read the whole history first."""
    yield tip
    while tip.parent_ids:
        tip = tip.parents[0]
        yield tip
