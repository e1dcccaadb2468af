"""Git repositories for tests, written through libgit2: fixed author, fixed times."""

from collections.abc import Mapping
from pathlib import Path

import pygit2
from pygit2.enums import FileMode, ObjectType, SortMode

Content = Mapping[str | bytes, str | bytes | None]


class GitRepo:
    """A bare repository whose branches grow commit by commit."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.repository = pygit2.init_repository(str(path), bare=True)
        self.clock = 1_780_000_000

    def commit(
        self,
        branch: str,
        files: Content,
        *,
        start: str | None = None,
        orphan: bool = False,
        message: str = "",
    ) -> str:
        """Commit files (None deletes) on a branch; a new branch starts at ``start``."""
        parent = None if orphan else self._tip(branch) or (self._tip(start) if start else None)
        tree = parent.tree if parent else None
        for path, content in files.items():
            raw = path if isinstance(path, bytes) else path.encode()
            tree = self._with(tree, raw.split(b"/"), content, FileMode.BLOB)
        return self._record(branch, tree, [parent.id] if parent else [], message)

    def branch(self, name: str, other: str) -> None:
        """Make a branch at the tip of another one."""
        tip = self._tip(other)
        assert tip is not None
        self.repository.branches.create(name, tip)

    def link(self, branch: str, path: str, target: str) -> str:
        """Commit a symbolic link."""
        parent = self._tip(branch)
        assert parent is not None
        tree = self._with(parent.tree, path.encode().split(b"/"), target, FileMode.LINK)
        return self._record(branch, tree, [parent.id])

    def merge(self, branch: str, other: str) -> str:
        """Merge another branch into a branch."""
        ours, theirs = self._tip(branch), self._tip(other)
        assert ours is not None
        assert theirs is not None
        index = self.repository.merge_commits(ours, theirs)
        assert index.conflicts is None
        tree = self.repository[index.write_tree(self.repository)].peel(pygit2.Tree)
        return self._record(branch, tree, [ours.id, theirs.id])

    def log(self, branch: str) -> list[str]:
        """Return the commit ids of a branch, newest first."""
        tip = self._tip(branch)
        assert tip is not None
        return [str(commit.id) for commit in self.repository.walk(tip.id, SortMode.TOPOLOGICAL)]

    def _tip(self, branch: str) -> pygit2.Commit | None:
        reference = self.repository.references.get(f"refs/heads/{branch}")
        return reference.peel(pygit2.Commit) if reference else None

    def _record(
        self,
        branch: str,
        tree: pygit2.Tree | None,
        parents: list[pygit2.Oid],
        message: str = "",
    ) -> str:
        self.clock += 60
        author = pygit2.Signature("Test", "test@example.com", self.clock, 0)
        assert tree is not None
        commit = self.repository.create_commit(
            f"refs/heads/{branch}" if parents or not self._tip(branch) else None,
            author, author, message or f"Change {branch}", tree.id, parents,
        )  # fmt: skip
        self.repository.references.create(f"refs/heads/{branch}", commit, force=True)
        return str(commit)

    def _with(
        self,
        tree: pygit2.Tree | None,
        parts: list[bytes],
        content: str | bytes | None,
        mode: FileMode,
    ) -> pygit2.Tree:
        entries = {e.raw_name: (int(e.filemode), e.id) for e in tree or ()}
        name, rest = parts[0], parts[1:]
        if rest:
            inner = self.repository[entries[name][1]].peel(pygit2.Tree) if name in entries else None
            changed = self._with(inner, rest, content, mode)
            entries.pop(name, None)
            if len(changed):
                entries[name] = (int(FileMode.TREE), changed.id)
        elif content is None:
            del entries[name]
        else:
            data = content.encode() if isinstance(content, str) else content
            entries[name] = (int(mode), self.repository.create_blob(data))
        return self._write(entries)

    def _write(self, entries: Mapping[bytes, tuple[int, pygit2.Oid]]) -> pygit2.Tree:
        """Write a tree by hand: libgit2's builder takes no names that are not UTF-8."""
        folder = int(FileMode.TREE)
        ordered = sorted(entries, key=lambda n: n + b"/" if entries[n][0] == folder else n)
        raw = b"".join(
            b"%o %s\0%s" % (entries[name][0], name, entries[name][1].raw) for name in ordered
        )
        return self.repository[self.repository.write(ObjectType.TREE, raw)].peel(pygit2.Tree)
