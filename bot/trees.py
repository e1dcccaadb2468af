"""The files of a commit, read from git's objects. What was read once is kept by its id."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from threading import Lock
from typing import NamedTuple

import pygit2
from cachetools import LRUCache
from pygit2.enums import ObjectType

from bot.damage import DamagedError, TooLargeError
from bot.guard import reading, tick
from checks.model import Blob

MOST_FOLDERS = 4096
MOST_BYTES = 8_000_000
MOST_DIFFERENCES, MOST_DEPTH = 100_000, 250
_ENTRY = re.compile(rb"([0-7]{5,6}) ([^\0]+)\0(.{20})", re.DOTALL)
_FILE, _FOLDER = b"100", b"40000"


@contextmanager
def sound() -> Iterator[None]:
    """Tell what git cannot read; raises DamagedError."""
    try:
        with reading():
            yield
    except pygit2.GitError as error:
        raise damaged(error) from None


def damaged(error: pygit2.GitError) -> DamagedError:
    """Return what to say of objects that git cannot read."""
    reason = " ".join(str(error).strip("'").split())
    return DamagedError(
        f"This repository is incomplete or damaged ({reason}); fetch it again, as a whole."
    )


class Folder(NamedTuple):
    """What one folder holds: the ids of its regular files and of its folders, by name."""

    files: Mapping[str, bytes]
    folders: Mapping[str, bytes]


_NOTHING = Folder({}, {})
# An id says what the bytes are, whatever commit they belong to. The path of the repository goes
# before it, so that nothing is said of a repository that is not in it.
_Key = tuple[str, bytes]
_folders: LRUCache[_Key, Folder] = LRUCache(MOST_FOLDERS)
_blobs: LRUCache[_Key, Blob] = LRUCache(MOST_BYTES, lambda blob: len(blob.data) + 100)
_lock = Lock()


class GitTree:
    """The files of one commit, read lazily from the object database."""

    def __init__(self, repository: pygit2.Repository, tree: pygit2.Tree | None, sha: str) -> None:
        self._repository, self._tree, self._sha = repository, tree, sha
        self._opened: dict[str, Folder] = {}
        self._blobs: dict[str, Blob | None] = {}

    @property
    def sha(self) -> str:
        """Commit id."""
        return self._sha

    def has(self, path: str) -> bool:
        """Tell whether there is a regular file at a path, without reading it."""
        return self._find(path) is not None

    def blob(self, path: str) -> Blob | None:
        """Return the regular file at a path; links, folders and submodules are not files."""
        tick()  # whoever judges asks for files all the time
        if path not in self._blobs:
            found = self._find(path)
            self._blobs[path] = None if found is None else self._read(found)
        return self._blobs[path]

    def paths(self) -> Sequence[str]:
        """Return the paths of all regular files, sorted."""
        return self._paths

    @cached_property
    def _paths(self) -> tuple[str, ...]:
        return tuple(sorted(self._walk("", self._root)))

    def check_comparable(self, other: "GitTree") -> None:
        """Look whether another tree differs in so little that it can be compared.

        A few objects can stand for any number of files, where each folder holds the next one often.

        Raises:
            TooLargeError: it does not.

        """
        left, waiting = MOST_DIFFERENCES, [(self._root, other._root, 0)]  # noqa: SLF001 - same class
        while waiting:
            tick()
            old, new, depth = waiting.pop()
            names = {name for name, _ in old.folders.items() ^ new.folders.items()}
            left -= len(names) + len({name for name, _ in old.files.items() ^ new.files.items()})
            if left < 0 or depth > MOST_DEPTH:
                raise TooLargeError(
                    f"This changes more than {MOST_DIFFERENCES} files, or some that are more than "
                    f"{MOST_DEPTH} folders deep, which nobody can review; split it."
                )
            sides = ((old.folders.get(name), new.folders.get(name)) for name in names)
            waiting += ((self._at(one), other._at(two), depth + 1) for one, two in sides)  # noqa: SLF001

    def _at(self, raw: bytes | None) -> Folder:
        return _NOTHING if raw is None else self._list(raw)

    def _walk(self, prefix: str, folder: Folder) -> Iterator[str]:
        for name in folder.files:
            yield prefix + name
        for name, found in folder.folders.items():
            yield from self._walk(f"{prefix}{name}/", self._list(found))

    def _find(self, path: str) -> bytes | None:
        folder, slash, name = path.rpartition("/")
        return (self._open(folder) if slash else self._root).files.get(name)

    @cached_property
    def _root(self) -> Folder:
        return _NOTHING if self._tree is None else self._list(self._tree.id.raw)

    def _open(self, path: str) -> Folder:
        found = self._opened.get(path)
        if found is None:
            above, slash, name = path.rpartition("/")
            inside = (self._open(above) if slash else self._root).folders.get(name)
            found = self._opened[path] = _NOTHING if inside is None else self._list(inside)
        return found

    def _list(self, raw: bytes) -> Folder:
        key = (self._repository.path, raw)
        with _lock:
            found = _folders.get(key)
        if found is None:
            found = _folder(self._object(raw, ObjectType.TREE))
            with _lock:
                _folders[key] = found
        return found

    def _read(self, raw: bytes) -> Blob:
        key = (self._repository.path, raw)
        with _lock:
            found = _blobs.get(key)
        if found is None:
            found = Blob(raw.hex(), self._object(raw, ObjectType.BLOB))
            if len(found.data) < MOST_BYTES // 4:
                with _lock:
                    _blobs[key] = found
        return found

    def _object(self, raw: bytes, kind: ObjectType) -> bytes:
        with sound():
            found, content = self._repository.odb.read(pygit2.Oid(raw))
        if found != kind:
            raise damaged(pygit2.GitError(f"object {raw.hex()} is no {kind.name.lower()}"))
        return content


def _folder(content: bytes) -> Folder:
    """Read a tree object: https://git-scm.com/book/en/v2/Git-Internals-Git-Objects."""
    files: dict[str, bytes] = {}
    folders: dict[str, bytes] = {}
    for mode, name, raw in _ENTRY.findall(content):
        kept = files if mode.startswith(_FILE) else folders if mode == _FOLDER else None
        if kept is not None:
            kept[name.decode("utf-8", "surrogateescape")] = raw
    return Folder(files, folders)
