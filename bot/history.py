"""The versions of a file along a branch, read lazily from git's objects."""

from collections.abc import Iterator, Sequence
from itertools import islice

import pygit2
from cachetools import LRUCache

from bot.trees import GitTree
from checks.model import Blob

MAX_COMMITS = 5_000
_seen: LRUCache[tuple[str, tuple[str, ...], int], tuple[str, tuple[Blob, ...]]] = LRUCache(8)


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
        blob = _there(repository, commit, paths)
        if blob is None or found >= most:
            return
        if blob.id != previous:
            previous = blob.id
            found += 1
            yield str(commit.id), blob


def newest(
    repository: pygit2.Repository, tip: pygit2.Commit, paths: tuple[str, ...], most: int
) -> tuple[Blob, ...]:
    """Return the newest versions of a file as `versions` does.

    A branch that was asked about before is followed only down to its tip of then.
    """
    key, sha, found = (repository.path, paths, most), str(tip.id), list[Blob]()
    before, known = _seen.get(key, ("", ()))
    for commit in islice(_first_parents(tip), MAX_COMMITS):
        if str(commit.id) == before:
            found += known[1:] if found[-1:] == list(known[:1]) else known
            break
        blob = _there(repository, commit, paths)
        if blob is None or len(found) >= most:
            break
        if blob not in found[-1:]:
            found.append(blob)
    _seen[key] = (sha, tuple(found[:most]))
    return tuple(found[:most])


def _there(
    repository: pygit2.Repository, commit: pygit2.Commit, paths: Sequence[str]
) -> Blob | None:
    """Return the first of some files that a commit has."""
    tree = GitTree(repository, commit.tree, str(commit.id))
    there = next((path for path in paths if tree.has(path)), None)
    return tree.blob(there) if there else None


def _first_parents(tip: pygit2.Commit) -> Iterator[pygit2.Commit]:
    """Yield a commit and its first parents; libgit2's walker would read the whole history first."""
    yield tip
    while tip.parent_ids:
        tip = tip.parents[0]
        yield tip
