"""A place where a defect can be put into clean files, and where it must be found then."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from checks.policy import Policy
from tests.kit import DictTree

TOUCHED = b"# touched\n"
_KEY = re.compile(rb"( *)(?:- )*([\w.-]+):")


class Edit(NamedTuple):
    """Bytes start..end of a file of the world become others; ``new`` None deletes the file."""

    path: str
    start: int
    end: int
    new: bytes | None


@dataclass(frozen=True)
class Site:
    """A pull request with one defect, and the same pull request without it.

    Attributes:
        variant: the shape of the defect.
        path: where the finding must be, at head.
        line: 1-based; None when it is about the whole change.
        broken: the edits that make the head with the defect.
        clean: the edits that make the head without it.
        base: the edits that make the base.
        fixable: whether the finding must come with a fix.
        number: of the pull request.

    """

    variant: str
    path: str
    line: int | None
    broken: tuple[Edit, ...]
    clean: tuple[Edit, ...]
    base: tuple[Edit, ...] = ()
    fixable: bool = False
    number: int = 7


@dataclass(frozen=True, eq=False)
class World:
    """Clean files and the policy that judges them."""

    name: str
    files: Mapping[str, bytes] = field(repr=False)
    policy: Policy = field(repr=False)

    @cached_property
    def tree(self) -> DictTree:
        """Return the files as a tree."""
        return DictTree(self.files, "b" * 40)

    def edited(self, edits: Iterable[Edit], sha: str) -> DictTree:
        """Return the tree after edits that do not overlap."""
        changed: dict[str, bytes | None] = {}
        for path, start, end, new in sorted(edits, key=lambda e: (e.path, e.start), reverse=True):
            if new is None:
                changed[path] = None
                continue
            data = changed.get(path) if path in changed else self.files.get(path, b"")
            assert data is not None
            changed[path] = data[:start] + new + data[end:]
        return self.tree.with_files(changed, sha)

    def paths(self, pattern: str) -> list[str]:
        """Return the paths that a regular expression matches as a whole, sorted."""
        return sorted(path for path in self.files if re.fullmatch(pattern, path))

    def find(self, paths: Iterable[str], pattern: bytes) -> "Iterator[Found]":
        """Return every match of a regular expression (multi-line) in some files."""
        for path in paths:
            for match in re.finditer(pattern, self.files[path], re.MULTILINE):
                yield Found(self, path, match)

    def touch(self, *paths: str) -> tuple[Edit, ...]:
        """Return the edits that add a comment at the end of files."""
        return tuple(self.append(path, TOUCHED) for path in paths)

    def append(self, path: str, data: bytes) -> Edit:
        """Return the edit that adds bytes at the end of a file."""
        end = len(self.files.get(path, b""))
        return Edit(path, end, end, data)


_starts: dict[tuple[int, str], list[int]] = {}


def line_of(world: World, path: str, offset: int) -> int:
    """Return the 1-based line of an offset."""
    key = (id(world), path)
    if key not in _starts:
        breaks = (match.end() for match in re.finditer(b"\n", world.files[path]))
        _starts[key] = [0, *breaks]
    return bisect_right(_starts[key], offset)


@dataclass(frozen=True, eq=False)
class Found:
    """A match in a file, and the edits that can be made there."""

    world: World = field(repr=False)
    path: str
    match: re.Match[bytes]

    def __getitem__(self, group: int | str) -> str:
        value = self.match[group]
        return value.decode() if value is not None else ""

    @property
    def line(self) -> int:
        """Return the line on which the match starts."""
        return line_of(self.world, self.path, self.match.start())

    def line_at(self, group: int | str) -> int:
        """Return the line on which a group starts."""
        return line_of(self.world, self.path, self.match.start(group))

    @cached_property
    def parents(self) -> tuple[str, ...]:
        """Return the block-style YAML keys that the match lies under, the outermost first."""
        data, found = self.world.files[self.path], list[str]()
        row = data.rfind(b"\n", 0, self.match.start()) + 1
        text = data[row : self.match.end()].lstrip(b"\n")
        indent = len(text) - len(text.lstrip(b" "))
        while row and indent:
            row, end = data.rfind(b"\n", 0, row - 1) + 1, row - 1
            key = _KEY.match(data, row, end)
            if key and len(key[1]) < indent:
                found.append(key[2].decode())
                indent = len(key[1])
        return tuple(reversed(found))

    def under(self, *patterns: str) -> bool:
        """Tell whether any parent key matches one of the regular expressions."""
        return any(re.fullmatch(p, key) for key in self.parents for p in patterns)

    def replaced(self, new: str, group: int | str = 0) -> Edit:
        """Return the edit that puts a text into the place of a group."""
        return Edit(self.path, self.match.start(group), self.match.end(group), new.encode())

    def site(
        self,
        variant: str,
        new: str,
        group: int | str = 0,
        *,
        shift: int = 0,
        line: int | None = None,
        fixable: bool = False,
    ) -> Site:
        """Return the site at which a group becomes another text; the finding is on its line."""
        return Site(
            variant,
            self.path,
            (self.line_at(group) if line is None else line) + shift,
            (self.replaced(new, group),),
            self.world.touch(self.path),
            fixable=fixable,
        )


Operator = Callable[[World], Iterator[Site]]


def spread(sites: Sequence[Site], most: int) -> list[Site]:
    """Return at most so many sites, evenly spread over files and within them, always the same."""
    rank: dict[tuple[str, str], int] = {}
    ranked = []
    for site in sites:
        place = (site.path, site.broken[0].path if site.broken else "")
        rank[place] = rank.get(place, -1) + 1
        ranked.append((rank[place], len(ranked)))
    order = [sites[index] for _, index in sorted(ranked)]
    if len(order) <= most:
        return order
    return [order[index * len(order) // most] for index in range(most)]
