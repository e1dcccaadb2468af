"""The bare repositories behind the sandbox: real git for diffs, libgit2 for single objects."""

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pygit2
from pygit2.enums import FileMode

from bot.sandbox.hunks import FileDiff, parse_diff

# GitHub lets a client fetch any commit by its SHA.
# https://github.blog/open-source/git/git-2-5-including-multiple-worktrees-and-triangular-workflows/
UPLOAD_PACK = "git -c uploadpack.allowAnySHA1InWant=true upload-pack"


class GitError(Exception):
    """A git command failed; the text is git's own last line."""


def environment() -> dict[str, str]:
    """An environment in which no configuration of the machine or the user counts."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
    }


async def run_git(*arguments: str | Path) -> bytes:
    """Run git and return its output.

    Raises GitError with git's last line when it does not exit with 0.
    """
    child = await asyncio.create_subprocess_exec(
        "git",
        *(str(argument) for argument in arguments),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment(),
    )
    output, errors = await child.communicate()
    if child.returncode:
        lines = errors.decode(errors="replace").strip().splitlines() or ["no message"]
        raise GitError(f"git {arguments[0]} failed: {lines[-1]}")
    return output


async def import_repository(source: Path, target: Path) -> "Git":
    """Copy the branches and tags of a repository, and what they reach, to a bare one.

    Raises GitError when the source is not a git repository.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    await run_git("clone", "--quiet", "--bare", "--template=", source, target)
    return Git(target)


@dataclass
class Git:
    """One bare repository."""

    path: Path
    _diffs: dict[tuple[str, str], tuple[FileDiff, ...]] = field(default_factory=dict)

    @cached_property
    def objects(self) -> pygit2.Repository:
        """The repository as libgit2 sees it."""
        return pygit2.Repository(str(self.path))

    def resolve(self, revision: str) -> str | None:
        """The commit that a branch, ref or SHA names, or None."""
        try:
            commit, _ = self.objects.resolve_refish(revision)
        except (KeyError, ValueError, pygit2.GitError):
            return None
        return str(commit.id)

    def default_branch(self) -> str:
        """The branch that HEAD names."""
        target = self.objects.lookup_reference("HEAD").target
        return str(target).removeprefix("refs/heads/")

    async def fetch(self, source: Path, revision: str) -> str:
        """Bring a commit from another repository on this machine.

        Raises GitError when the source does not know the revision.
        """
        commit = Git(source).resolve(revision)
        if commit is None:
            raise GitError(f"{revision} names no commit in {source}.")
        if commit not in self.objects:
            await run_git(
                *("-C", self.path, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head"),
                *("--upload-pack", UPLOAD_PACK, source, commit),
            )
        return commit

    def set_ref(self, ref: str, commit: str) -> None:
        """Create or move a ref, fast-forward or not."""
        self.objects.references.create(ref, commit, force=True)

    def merge_base(self, one: str, other: str) -> str:
        """The best common ancestor.

        Raises GitError when the histories are unrelated.
        """
        found = self.objects.merge_base(one, other)
        if found is None:
            raise GitError(f"{one[:9]} and {other[:9]} have no common history.")
        return str(found)

    def commits(self, base: str, head: str) -> list[str]:
        """The commits of `base..head`, newest first."""
        walk = self.objects.walk(pygit2.Oid(hex=head))
        walk.hide(pygit2.Oid(hex=base))
        return [str(commit.id) for commit in walk]

    async def diff(self, base: str, head: str, context: int = 3) -> tuple[FileDiff, ...]:
        """What changed between two commits, file by file, renames followed."""
        key = (f"{base}/{context}", head)
        if key not in self._diffs:
            output = await run_git(
                *("-C", self.path, "-c", "core.quotePath=false", "diff", "--raw", "--patch", "-z"),
                *("-M", "--no-color", "--no-ext-diff", f"-U{context}", base, head),
            )
            self._diffs[key] = parse_diff(output)
        return self._diffs[key]

    def read(self, commit: str, path: str) -> bytes | None:
        """A file's bytes at a commit, or None."""
        tree = self.objects[commit].peel(pygit2.Tree)
        try:
            found = tree[path]
        except KeyError:
            return None
        return found.data if isinstance(found, pygit2.Blob) else None

    def write(self, commit: str, files: Mapping[str, bytes], deletions: Sequence[str] = ()) -> str:
        """The id of a tree that is the commit's, with some files written and others deleted.

        A file that is there keeps its mode. Raises GitError for one to delete that is not.
        """
        index = pygit2.Index()
        index.read_tree(self.objects[commit].peel(pygit2.Tree))
        for path in deletions:
            if path not in index:
                raise GitError(f"{path} does not exist at {commit[:9]}.")
            index.remove(path)
        for path, content in files.items():
            mode = index[path].mode if path in index else FileMode.BLOB
            index.add(pygit2.IndexEntry(path, self.objects.create_blob(content), mode))
        return str(index.write_tree(self.objects))

    def merged_tree(self, ours: str, theirs: str) -> str:
        """The tree of a merge.

        Raises GitError when the two conflict.
        """
        index = self.objects.merge_commits(ours, theirs)
        if index.conflicts is not None:
            raise GitError(f"{theirs[:9]} conflicts with {ours[:9]}.")
        return str(index.write_tree(self.objects))

    def commit(
        self, tree: str, parents: Sequence[str], message: str, author: str, seconds: float
    ) -> str:
        """Make a commit and return its SHA; no ref moves."""
        mail = f"{author}@users.noreply.localhost"
        who = pygit2.Signature(author, mail, int(seconds), 0)
        oids = [pygit2.Oid(hex=parent) for parent in parents]
        made = self.objects.create_commit(None, who, who, message, pygit2.Oid(hex=tree), oids)
        return str(made)
