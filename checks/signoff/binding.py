"""What a sign-off holds for: the very content that its author had before them.

No clocks: a sign-off is bound to what the pull request did to each file at the head it was given
on. Merging the target branch changes none of that; a changed byte does.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from checks.model import Blob, ChangedFile, Hunk, Status, Tree
from checks.signoff.facts import Content, Kind, OwnFile, Print

_YAML = (".yaml", ".yml")


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
    before, after = (blob.lines() if blob else [] for blob in (old, new))
    for hunk in file.hunks:
        at_end = not hunk.removed and hunk.added[-1:] == (len(after),)
        if kind is Kind.CHANGELOG and at_end:
            # What stands above an appended entry is another pull request's.
            yield from (b"+" + after[number - 1] for number in hunk.added)
        elif file.path.endswith(_YAML):
            yield from _enclosing(after or before, hunk)
            yield from (line for line in _lines(before, after, hunk) if line[:1] != b" ")
        else:
            yield from _lines(before, after, hunk)


def _lines(before: list[bytes], after: list[bytes], hunk: Hunk) -> Iterator[bytes]:
    """Yield the lines of a hunk as in a diff."""
    removed, added = frozenset(hunk.removed), frozenset(hunk.added)
    old, new = hunk.old_start, hunk.new_start
    while old < hunk.old_start + hunk.old_lines or new < hunk.new_start + hunk.new_lines:
        if old in removed:
            yield b"-" + before[old - 1]
            old += 1
        elif new in added:
            yield b"+" + after[new - 1]
            new += 1
        else:
            yield b" " + after[new - 1]
            old, new = old + 1, new + 1


def _enclosing(lines: list[bytes], hunk: Hunk) -> Iterator[bytes]:
    """Yield the lines that the first changed line is nested in, the innermost first."""
    first = min(hunk.added or (hunk.new_start + 1,))
    deepest = _indent(lines[first - 1]) if first <= len(lines) else 0
    for line in reversed(lines[: first - 1]):
        if deepest == 0:
            return
        bare = line.strip()
        if bare and not bare.startswith(b"#") and _indent(line) < deepest:
            deepest = _indent(line)
            yield b"@" + bare


def _indent(line: bytes) -> int:
    return len(line) - len(line.lstrip(b" "))
