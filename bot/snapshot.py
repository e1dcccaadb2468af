"""Build a `Snapshot` from a git repository: a local clone or the server's bare mirror.

Only objects are read, through libgit2: nothing is checked out, no hook, filter, submodule or
program of the repository runs.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import date, datetime, timedelta, timezone
from functools import cached_property
from pathlib import Path
from typing import overload

import pygit2
from pygit2.enums import DeltaStatus, DiffFind, DiffOption

from bot.damage import SnapshotError
from bot.guard import reading
from bot.trees import GitTree, damaged, sound
from checks.model import ChangedFile, Hunk, PullRequest, Snapshot, Status

WINDOW, MAPPED = 1024 * 1024, 16 * 1024 * 1024
DAY, LAST_SECOND = 86_400, 2**32
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


def open_repository(path: Path) -> pygit2.Repository:
    """Open a clone, a worktree or a bare repository.

    Raises:
        SnapshotError: there is none.

    """
    # https://libgit2.org/docs/reference/main/common/git_libgit2_opts.html: we run no code of the
    # repository, so whose it is does not matter.
    pygit2.settings.owner_validation = False
    # Of a large pack only what is being read stays mapped.
    pygit2.settings.mwindow_size, pygit2.settings.mwindow_mapped_limit = WINDOW, MAPPED
    # git checked each object when it came, and zlib checks again that its bytes are still those:
    # to compute every object's name again takes longer than to read it.
    pygit2.settings.enable_strict_hash_verification(False)
    try:
        return pygit2.Repository(str(path))
    except pygit2.GitError as error:
        sentence = f"{path} is not a git repository; give --repo the path of a clone."
        if not isinstance(error, KeyError) and "not found" not in str(error):
            reason = " ".join(str(error).split())
            sentence = f"{path} is a git repository that cannot be read: {reason}."
        raise SnapshotError(sentence) from None


def commit_of(repository: pygit2.Repository, revision: str) -> pygit2.Commit:
    """Resolve a branch, tag or commit id to its commit.

    Raises:
        SnapshotError: the revision is unknown here, damaged, or names no commit.

    """
    for name in (revision, f"refs/remotes/origin/{revision}"):
        try:
            with reading():
                found = repository.revparse_single(name)
        except pygit2.AmbiguousError:
            raise SnapshotError(
                f"{revision[:200]!r} is the start of several ids in this repository; write more."
            ) from None
        except (KeyError, ValueError):
            continue
        except pygit2.GitError as error:
            raise damaged(error) from None
        with suppress(pygit2.GitError):  # a tree, or a tag of one
            return found.peel(pygit2.Commit)
    raise SnapshotError(
        f"There is no revision {revision[:200]!r} in this repository; fetch it first."
    )


def tree_of(commit: pygit2.Commit) -> pygit2.Tree:
    """Return the root folder of a commit; raises DamagedError."""
    with sound():
        return commit.tree


def files_at(repository: pygit2.Repository, commit: pygit2.Commit) -> GitTree:
    """Return the files of a commit; raises DamagedError."""
    return GitTree(repository, tree_of(commit), str(commit.id))


def merge_base(
    repository: pygit2.Repository, base: pygit2.Commit, head: pygit2.Commit
) -> pygit2.Commit:
    """Return the commit that GitHub compares the head with (three-dot).

    Raises:
        SnapshotError: the two share no history.

    """
    with sound():
        found = repository.merge_base(base.id, head.id)
    if found is None:
        more = (
            " This clone is shallow: run `git fetch --unshallow`." if repository.is_shallow else ""
        )
        raise SnapshotError(
            f"{base.id} and {head.id} share no history; nothing can be compared.{more}"
        )
    return repository[found].peel(pygit2.Commit)


def take_snapshot(
    repository: pygit2.Repository,
    base: str,
    head: str,
    pull_request: PullRequest | None = None,
) -> Snapshot:
    """Read what a pull request from ``head`` to ``base`` changes, since their merge base.

    Raises:
        SnapshotError: a revision is missing, the two share no history, or too much differs.

    """
    head_commit, tip = commit_of(repository, head), commit_of(repository, base)
    base_commit = merge_base(repository, tip, head_commit)
    before, after = files_at(repository, base_commit), files_at(repository, head_commit)
    before.check_comparable(after)
    return Snapshot(
        base=before,
        head=after,
        files=changed_files(tree_of(base_commit), tree_of(head_commit)),
        pull_request=pull_request,
        day=day_of(tip, head_commit),
    )


def day_of(*commits: pygit2.Commit) -> date:
    """Return the day of the newest commit where a day ends last, so that earlier ones are over.

    Whoever makes a commit can say when that was; the target branch's tip bounds how old it can be.
    """
    newest = max(map(second_of, commits))
    return datetime.fromtimestamp(newest, timezone(timedelta(hours=-12))).date()


def second_of(commit: pygit2.Commit) -> int:
    """Return when a commit was made, in seconds since 1970, kept within what is a date at all."""
    return min(max(DAY, commit.commit_time), LAST_SECOND)


def everything_as_new(repository: pygit2.Repository, head: str) -> Snapshot:
    """Return a snapshot in which every file at ``head`` counts as added.

    Raises:
        SnapshotError: the revision is missing.

    """
    commit = commit_of(repository, head)
    tree = files_at(repository, commit)
    files = tuple(ChangedFile(path, Status.ADDED) for path in tree.paths())
    before = GitTree(repository, None, EMPTY_TREE)
    return Snapshot(before, tree, files, everything_is_new=True, day=day_of(commit))


def changed_files(base: pygit2.Tree, head: pygit2.Tree) -> tuple[ChangedFile, ...]:
    """Return the files that differ, renames recognised as GitHub does, sorted by path."""
    flags = DiffOption.INDENT_HEURISTIC  # as git does by default, so that hunks are GitHub's
    with sound():
        diff = base.diff_to_tree(head, flags=flags)
        diff.find_similar(flags=DiffFind.FIND_RENAMES)
        found = [_changed(delta, _Hunks(diff, at)) for at, delta in enumerate(diff.deltas)]
    return tuple(sorted(found, key=lambda file: file.path))


_STATUSES = {
    DeltaStatus.ADDED: Status.ADDED,
    DeltaStatus.DELETED: Status.REMOVED,
    DeltaStatus.RENAMED: Status.RENAMED,
}


def _changed(delta: pygit2.DiffDelta, hunks: Sequence[Hunk]) -> ChangedFile:
    status = _STATUSES.get(delta.status, Status.MODIFIED)
    old, new = delta.old_file.path, delta.new_file.path
    path = old if status is Status.REMOVED else new
    return ChangedFile(path, status, old if old != path else None, hunks)


class _Hunks(Sequence[Hunk]):
    """The hunks of one file, computed when somebody asks: large files rarely have to be compared.

    Raises DamagedError then, as the files of a tree do.
    """

    def __init__(self, diff: pygit2.Diff, at: int) -> None:
        self._diff, self._at = diff, at

    @cached_property
    def _all(self) -> tuple[Hunk, ...]:
        with sound():
            patch = self._diff[self._at]
        return hunks_of(patch) if patch else ()

    def __len__(self) -> int:
        return len(self._all)

    @overload
    def __getitem__(self, at: int) -> Hunk: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Hunk, ...]: ...
    def __getitem__(self, at: int | slice) -> Hunk | tuple[Hunk, ...]:
        return self._all[at]


def hunks_of(patch: pygit2.Patch) -> tuple[Hunk, ...]:
    """Return the hunks of a libgit2 patch."""
    hunks = patch.hunks
    if all(hunk.old_lines == 0 or hunk.new_lines == 0 for hunk in hunks):
        return tuple(_whole(hunk) for hunk in hunks)
    # Its text is many times faster to walk than libgit2's lines as objects.
    lines = iter(patch.data.split(b"\n"))
    return tuple(_hunk(hunk, lines) for hunk in hunks)


def _whole(hunk: pygit2.DiffHunk) -> Hunk:
    """Return a hunk that only adds or only removes lines."""
    old, new = (hunk.old_start, hunk.old_lines), (hunk.new_start, hunk.new_lines)
    added, removed = (tuple(range(start, start + count)) for start, count in (new, old))
    return Hunk(*old, *new, added, removed)


def _hunk(hunk: pygit2.DiffHunk, lines: Iterator[bytes]) -> Hunk:
    """Read the lines of a hunk, behind whatever stands before it."""
    while not next(lines).startswith(b"@@ "):
        pass
    old, new = hunk.old_start, hunk.new_start
    added, removed = [], []
    while old < hunk.old_start + hunk.old_lines or new < hunk.new_start + hunk.new_lines:
        sign = next(lines)[:1]
        if sign == b"+":
            added.append(new)
        elif sign == b"-":
            removed.append(old)
        old += sign in (b" ", b"-")
        new += sign in (b" ", b"+")
    places = (hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines)
    return Hunk(*places, tuple(added), tuple(removed))
