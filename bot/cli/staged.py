"""The index of a working tree as the head of a change: what the next commit would hold."""

import os
import subprocess
from pathlib import Path

import pygit2

from bot.cli.sides import here, merged_heads
from bot.damage import SnapshotError
from bot.snapshot import changed_files, commit_of, day_of, files_at, merge_base, tree_of
from bot.trees import GitTree
from checks.model import PullRequest, Snapshot


def staged_snapshot(
    repository: pygit2.Repository, base: str | None, pull_request: PullRequest | None
) -> Snapshot:
    """Return what the index changes, since HEAD or since the merge base of HEAD and ``base``.

    The id of its head is that of the index's tree, since there is no commit yet.

    Raises:
        SnapshotError: there is no index or no commit yet, files are not merged, or the base is
            unknown.

    """
    if repository.is_bare:
        raise SnapshotError("This repository is bare; --staged needs a working tree.")
    if repository.head_is_unborn:
        raise SnapshotError("There is no commit yet, so nothing can be compared with the index.")
    start = commit_of(repository, "HEAD") if base is None else _start(repository, base)
    sha = _write_tree(repository)
    tree = repository[sha].peel(pygit2.Tree)
    return Snapshot(
        base=files_at(repository, start),
        head=GitTree(repository, tree, sha),
        files=changed_files(tree_of(start), tree),
        pull_request=pull_request,
        day=day_of(start, commit_of(repository, "HEAD")),
    )


def _start(repository: pygit2.Repository, base: str) -> pygit2.Commit:
    """Return the newest merge base of a branch and the parents of the commit to come."""
    # While a merge is being committed, what comes from the other parent is no change of ours.
    others = _merged(repository)
    tip = commit_of(repository, base)
    found = [merge_base(repository, tip, commit_of(repository, x)) for x in ("HEAD", *others)]
    newest = found[0]
    for each in found[1:]:
        newest = each if repository.descendant_of(each.id, newest.id) else newest
    return newest


def _merged(repository: pygit2.Repository) -> list[str]:
    """Return the ids of the commits that are being merged."""
    merging = Path(repository.path) / "MERGE_HEAD"
    if merging.is_file():
        return merging.read_text().split()
    # The hook before the commit of `git merge` itself runs before that file is there.
    return list(merged_heads()) if _is_here(repository) else []


def _write_tree(repository: pygit2.Repository) -> str:
    """Write the index as git would commit it, and return the tree's id; HEAD does not move."""
    # git, because libgit2 takes files of `git add -N` for empty ones.
    done = subprocess.run(  # noqa: S603
        ["git", f"--git-dir={repository.path}", "write-tree"],  # noqa: S607
        check=False,
        capture_output=True,
        text=True,
        env=_environment(repository),
    )
    if done.returncode == 0:
        return done.stdout.strip()
    if "unmerged" in done.stderr:
        path = done.stderr.partition(": unmerged")[0]
        raise SnapshotError(f"{path} is not merged yet; resolve the conflict and stage it.")
    reason = " ".join(done.stderr.split()) or "git said nothing"
    raise SnapshotError(f"The index cannot be read: {reason[:300]}")


def _environment(repository: pygit2.Repository) -> dict[str, str]:
    """Return git's environment; the index of `git commit -a` counts in its own repository only.

    https://git-scm.com/docs/githooks#_pre_commit
    """
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    index = os.environ.get("GIT_INDEX_FILE")
    if index and _is_here(repository):
        environment["GIT_INDEX_FILE"] = str(Path(index).resolve())
    return environment | {"LC_ALL": "C"}


def _is_here(repository: pygit2.Repository) -> bool:
    """Tell whether it is the repository that git's environment is about."""
    found = here()
    return found is not None and Path(found.path).resolve() == Path(repository.path).resolve()
