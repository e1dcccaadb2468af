"""What a sign-off holds for: the very content that its author had before them.

No clocks: a sign-off is bound to what the pull request did to each file at the head it was given
on. Merging the target branch changes none of that; a changed byte does.
"""

import hashlib
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from checks.model import Blob, ChangedFile, Hunk, Status, Tree
from checks.signoff.facts import Content, Kind, OwnFile
from checks.signoff.prints import Print

_YAML = (".yaml", ".yml")
Lines = Mapping[bytes, Sequence[bytes]]  # by the mark of their side in a diff


@dataclass(frozen=True, slots=True)
class Coverage:
    """What a sign-off or a run still covers of the files that a pull request changes now.

    ``same`` are the paths of which nothing changed since, ``changed`` those of which something
    did or that came later, ``gone`` those that the pull request does not change any more.
    """

    same: frozenset[str]
    changed: frozenset[str]
    gone: frozenset[str] = frozenset()

    @property
    def whole(self) -> bool:
        """Tell whether nothing changed."""
        return not self.changed and not self.gone


def coverage(before: Mapping[str, Print] | None, content: Content) -> Coverage | None:
    """Return what still covers the files of which it covered the state ``before``.

    None when nobody knows what that was.
    """
    if before is None:
        return None
    now = {file.path: file.print for file in content.files}
    same = frozenset(path for path in now if path in before and now[path].same(before[path]))
    return Coverage(same, frozenset(now) - same, frozenset(before) - frozenset(now))


def reopened(files: Iterable[OwnFile], covered: Iterable[Coverage]) -> tuple[str, ...]:
    """Return the paths of which no sign-off covers what they are now, sorted."""
    held = frozenset(path for each in covered for path in each.same)
    return tuple(sorted(file.path for file in files if file.path not in held))


def taken_back(covered: Sequence[Coverage]) -> frozenset[str]:
    """Return the paths that every sign-off had before it and the pull request changes no more."""
    return frozenset.intersection(*(each.gone for each in covered)) if covered else frozenset()


def print_of(base: Tree, head: Tree, file: ChangedFile, kind: Kind) -> Print:
    """Return the identity of what a pull request does to a file.

    Raises:
        ReadError: a revision cannot be read to the end.

    """
    old = None if file.status is Status.ADDED else base.blob(file.base_path)
    new = None if file.status is Status.REMOVED else head.blob(file.path)
    if new is None and file.status is not Status.REMOVED:
        # A link or a submodule: nobody here reads what it leads to, so that each push reopens it.
        return Print(_id(old), head.sha[:16], head.sha[:16])
    parts = [file.base_path.encode("utf-8", "surrogateescape"), file.status.encode()]
    parts += _change(old, new, file, kind)
    return Print(_id(old), _id(new), _digest(parts))


def _id(blob: Blob | None) -> str:
    return blob.id[:16] if blob else ""


def _digest(parts: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(b"%d:" % len(part) + part)
    return digest.hexdigest()[:16]


def _change(old: Blob | None, new: Blob | None, file: ChangedFile, kind: Kind) -> Iterator[bytes]:
    """Yield the changed lines, each hunk with what tells its place without line numbers."""
    if not file.hunks:  # no text, or only renamed
        yield _id(new).encode()
        return
    if old is None or new is None:  # every line of it
        yield _id(old or new).encode()
        return
    before, after = old.lines(), new.lines()
    sides = {b"-": before, b"+": after, b" ": after}
    yaml = file.path.endswith(_YAML)
    places = {b"-": _Places(before), b"+": _Places(after)} if yaml else {}
    for hunk in file.hunks:
        at_end = not hunk.removed and hunk.added[-1:] == (len(after),)
        if kind is Kind.CHANGELOG and at_end:
            # What stands above an appended entry is another pull request's.
            yield from (b"+" + after[number - 1] for number in hunk.added)
        elif yaml:
            yield from _nested(hunk, sides, places)
        else:
            yield from (mark + sides[mark][number - 1] for mark, number in _rows(hunk))


def _rows(hunk: Hunk) -> Iterator[tuple[bytes, int]]:
    """Yield the marks of a hunk's lines as in a diff, each with the line's number on its side."""
    removed, added = frozenset(hunk.removed), frozenset(hunk.added)
    old, new = hunk.old_start, hunk.new_start
    while old < hunk.old_start + hunk.old_lines or new < hunk.new_start + hunk.new_lines:
        if old in removed:
            yield b"-", old
            old += 1
        elif new in added:
            yield b"+", new
            new += 1
        else:
            yield b" ", new
            old, new = old + 1, new + 1


def _nested(hunk: Hunk, sides: Lines, places: Mapping[bytes, "_Places"]) -> Iterator[bytes]:
    """Yield the changed lines of a hunk, each group of them with what its first is nested in."""
    apart = True
    for mark, number in _rows(hunk):
        if apart and mark in places:
            yield b"@" + places[mark].at(number)
        if mark in places:
            yield mark + sides[mark][number - 1]
        apart = mark not in places


class _Places:
    """What lines are nested in, asked from the top of the file to its end.

    Nothing above a line without indent matters, so that most of a large file is not looked at.
    """

    def __init__(self, lines: Sequence[bytes]) -> None:
        self._lines, self._read = lines, 0
        self._around = [_Open(-1, b"", b"")]  # the lines that are open, the innermost last

    def at(self, number: int) -> bytes:
        """Return the digest of the lines that a line (1-based) is nested in."""
        here = number - 1
        found, least = self._opened(here)
        while self._around[-1].indent >= least:
            self._around.pop()
        self._around += reversed(found)
        self._read = here
        return self._inside(_indent(self._lines[here]))

    def _opened(self, here: int) -> tuple[list["_Open"], int]:
        """Return the lines not looked at that are open, the innermost first, and the least indent.

        Upwards, because most lines are deeper than one below them.
        """
        found, least = list[_Open](), sys.maxsize
        for at in range(here - 1, self._read - 1, -1):
            line = self._lines[at]
            indent = _indent(line)
            if indent >= least or not (bare := line.strip()):
                continue
            if not bare.startswith(b"#"):
                found.append(_Open(indent, bare))
                least = indent
            if not line.startswith((b" ", b"#")):
                return found, 0
        return found, least

    def _inside(self, indent: int) -> bytes:
        digest = b""
        for line in self._around:
            if line.indent >= indent:
                break
            if line.digest is None:
                line.digest = hashlib.sha256(digest + line.bare).digest()
            digest = line.digest
        return digest


@dataclass(slots=True)
class _Open:
    """A line that others are nested in; ``digest`` is that of all lines to it, once asked for."""

    indent: int
    bare: bytes
    digest: bytes | None = None


def _indent(line: bytes) -> int:
    return len(line) - len(line.lstrip(b" "))
