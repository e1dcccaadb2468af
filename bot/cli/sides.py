"""Which version is main's, of those that git gives a merge driver as "ours" and "theirs"."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pygit2

_HEAD = "GITHEAD_"
_MAINS = ("main", "master")  # where no remote says what its default branch is


@dataclass(frozen=True, slots=True)
class Sides:
    """What OURS and THEIRS of git are, and what to add to a sentence about them, if anything."""

    ours: str = "ours"
    theirs: str = "theirs"
    note: str = ""

    @property
    def swapped(self) -> bool:
        """Whether OURS is main's version."""
        return self.ours == "main"


BRANCH = Sides("branch", "main")
REBASE = Sides(
    "main",
    "branch",
    "Here OURS is the commit that is rebased, and THEIRS what it is rebased onto. If it edits an "
    "entry of an earlier commit of your branch, squash the two and rebase again.",
)
INTO_MAIN = Sides("main", "branch", "Here OURS is the branch that is merged, and THEIRS main.")


class UnknownSidesError(Exception):
    """Nothing says which side is main's; the text is one sentence."""

    def __init__(self, why: str) -> None:
        super().__init__(
            f"{why}, so which side is main is not known; resolve the conflict by hand."
        )


def here() -> pygit2.Repository | None:
    """Return the repository that git runs the driver in, or the one around this folder."""
    try:
        return pygit2.Repository(os.environ.get("GIT_DIR") or pygit2.discover_repository(".") or "")
    except pygit2.GitError:
        return None


def merged_heads() -> dict[str, str]:
    """Return the commits that `git merge` merges now into HEAD: ids and the names it was given."""
    # https://github.com/git/git/blob/master/builtin/merge.c
    return {k.removeprefix(_HEAD): v for k, v in os.environ.items() if k.startswith(_HEAD)}


def sides() -> Sides:
    """Return what git calls "ours" and "theirs" in what it does now.

    Raises:
        UnknownSidesError: it cannot be told.

    """
    by_git = "GIT_EXEC_PATH" in os.environ  # git sets it for all that it runs
    heads, repository = merged_heads(), here()
    if repository is None and by_git:
        raise UnknownSidesError("This repository cannot be read")
    if repository is not None and heads:
        return _of_merge(repository, heads)
    if repository is not None and _rebases(Path(repository.path)):
        return REBASE
    if by_git:
        raise UnknownSidesError("git neither merges nor rebases here")
    return BRANCH


def _rebases(folder: Path) -> bool:
    """Tell whether git puts a commit of the branch onto main.

    Raises:
        UnknownSidesError: it repeats a merge instead, and the branch may be either side of that.

    """
    # https://git-scm.com/docs/git-rebase: there "theirs" is the branch that is rebased.
    done = folder / "rebase-merge" / "done"
    steps = done.read_text("utf-8", "replace").split("\n") if done.is_file() else []
    latest = next((step for step in reversed(steps) if step), "")
    if latest.startswith(("merge ", "m ")):
        raise UnknownSidesError("git repeats a merge here")
    return any((folder / name).is_dir() for name in ("rebase-merge", "rebase-apply"))


def _of_merge(repository: pygit2.Repository, heads: Mapping[str, str]) -> Sides:
    """Return the sides of a merge of some commits, by the names they were given, into HEAD."""
    try:
        published = list(_published(repository))
        if all(_in(repository, pygit2.Oid(hex=sha), published) for sha in heads):
            return BRANCH
        if _in(repository, repository.head.peel(pygit2.Commit).id, published):
            return INTO_MAIN
        branch = repository.head.shorthand
        if branch not in _MAINS:
            return BRANCH
    except (pygit2.GitError, KeyError, ValueError):
        raise UnknownSidesError("This repository is incomplete or damaged") from None
    for name in heads.values():
        if not any(f"{root}{name}" in repository.references for root in _BRANCHES):
            raise UnknownSidesError(f"{name[:100]} is no branch and is merged into {branch} here")
    return INTO_MAIN


_BRANCHES = ("refs/heads/", "refs/remotes/")


def _published(repository: pygit2.Repository) -> Iterator[pygit2.Oid]:
    """Yield where each remote had its default branch when it was fetched."""
    for remote in repository.remotes.names():
        names = (f"refs/remotes/{remote}/{name}" for name in ("HEAD", *_MAINS))
        found = next((tip for name in names if (tip := _tip(repository, name))), None)
        if found is not None:
            yield found


def _tip(repository: pygit2.Repository, name: str) -> pygit2.Oid | None:
    """Return the commit of a reference; HEAD of a remote may name a branch that was pruned."""
    try:
        return repository.references[name].peel(pygit2.Commit).id
    except KeyError:
        return None


def _in(repository: pygit2.Repository, commit: pygit2.Oid, tips: list[pygit2.Oid]) -> bool:
    return any(tip == commit or repository.descendant_of(tip, commit) for tip in tips)
