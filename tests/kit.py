"""What the tests of the core share: trees and snapshots from plain dictionaries."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pygit2
import pytest

from bot.snapshot import hunks_of
from checks.model import Blob, ChangedFile, PullRequest, Snapshot, Status

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared"
REFERENCE = SHARED / "inferencex" / "tree"

needs_reference = pytest.mark.skipif(
    not REFERENCE.is_dir(), reason="the reference repository's files are not on this machine"
)


class DictTree:
    """A tree held in memory."""

    def __init__(self, files: Mapping[str, str | bytes], sha: str) -> None:
        self._sha = sha
        self._blobs = {
            path: Blob.of(content.encode() if isinstance(content, str) else content)
            for path, content in files.items()
        }

    @property
    def sha(self) -> str:
        return self._sha

    def has(self, path: str) -> bool:
        return path in self._blobs

    def blob(self, path: str) -> Blob | None:
        return self._blobs.get(path)

    def paths(self) -> Sequence[str]:
        return sorted(self._blobs)

    def with_files(self, files: Mapping[str, bytes | None], sha: str) -> "DictTree":
        """Return this tree with some files replaced; None deletes one."""
        tree = DictTree({path: data for path, data in files.items() if data is not None}, sha)
        tree._blobs = {k: v for k, v in self._blobs.items() if k not in files} | tree._blobs
        return tree


def snapshot(
    base: Mapping[str, str | bytes],
    head: Mapping[str, str | bytes],
    number: int | None = 7,
    **pull_request: object,
) -> Snapshot:
    """Return the snapshot of a pull request that turns ``base`` into ``head``."""
    known = PullRequest(number, **pull_request) if number else None  # type: ignore[arg-type]
    return between(DictTree(base, "b" * 40), DictTree(head, "a" * 40), known)


def between(before: DictTree, after: DictTree, pull_request: PullRequest | None) -> Snapshot:
    """Return the snapshot of a pull request from one tree to another."""
    files = []
    for path in sorted({*before.paths(), *after.paths()}):
        old, new = before.blob(path), after.blob(path)
        if old == new:
            continue
        status = Status.ADDED if old is None else Status.REMOVED if new is None else Status.MODIFIED
        patch = pygit2.Patch.create_from(old.data if old else b"", new.data if new else b"")
        files.append(ChangedFile(path, status, None, hunks_of(patch)))
    return Snapshot(before, after, tuple(files), pull_request)


def reference_files() -> dict[str, bytes]:
    """Return the reference repository's files by path."""
    return {
        str(path.relative_to(REFERENCE)): path.read_bytes()
        for path in REFERENCE.rglob("*")
        if path.is_file()
    }
