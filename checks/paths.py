"""Globs of the policy, anchored at the root: ``*`` stays in a name, ``**`` crosses folders.

As in a ``.gitignore``, what matches a folder covers all that is in it.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import PathSpec
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

_SIMPLE = re.compile(r"(?!/)[\w.@+*/-]+(?<!/)", re.ASCII)


@lru_cache(maxsize=256)
def _compiled(globs: tuple[str, ...]) -> "PathSpec[GitIgnoreSpecPattern]":
    from pathspec import PathSpec
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    # A gitignore pattern without an inner slash would match in every folder; "/" anchors it.
    return PathSpec.from_lines(GitIgnoreSpecPattern, [f"/{glob}" for glob in globs])


def is_glob(glob: str) -> bool:
    """Tell whether a glob can match anything at all."""
    try:
        (pattern,) = _compiled((glob,)).patterns
    except (re.error, ValueError):
        return False
    return pattern.include is not None


def matches(path: str, globs: Iterable[str]) -> bool:
    """Tell whether a repository path matches any of the globs."""
    wanted = tuple(globs)
    return bool(wanted) and _matches(path, wanted)


# Rules ask the same of every path of a repository, and again for each suggestion.
@lru_cache(maxsize=32_768)
def _matches(path: str, globs: tuple[str, ...]) -> bool:
    simple = _simple(globs) if "\n" not in path else None
    return bool(simple.fullmatch(path)) if simple else _compiled(globs).match_file(path)


@lru_cache(maxsize=256)
def _simple(globs: tuple[str, ...]) -> re.Pattern[str] | None:
    """Return globs of names and stars as a regular expression, None when others are among them.

    To import pathspec takes longer than a short check has.
    """
    parts = [glob.split("/") for glob in globs]
    if not all(map(_SIMPLE.fullmatch, globs)) or any(map(_odd, parts)):
        return None
    return re.compile("|".join(map(_expression, parts)))


def _odd(parts: list[str]) -> bool:
    """Tell whether stars stand together in another way than as one whole part after another."""
    return any("**" in x and x != "**" for x in parts) or ("**", "**") in pairwise(parts)


def _expression(parts: list[str]) -> str:
    *above, last = (part.replace(".", r"\.").replace("+", r"\+") for part in parts)
    start = "".join("(?:[^/]+/)*" if part == "**" else _name(part) + "/" for part in above)
    return start + (".+" if last == "**" else _name(last) + "(?:/.*)?")


def _name(part: str) -> str:
    return "[^/]+" if part == "*" else part.replace("*", "[^/]*")
