"""Globs of the policy, anchored at the root: ``*`` stays in a name, ``**`` crosses folders.

As in a ``.gitignore``, what matches a folder covers all that is in it.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import PathSpec
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern


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
    return _matches(path, tuple(globs))


# Rules ask the same of every path of a repository, and again for each suggestion.
@lru_cache(maxsize=32_768)
def _matches(path: str, globs: tuple[str, ...]) -> bool:
    return _compiled(globs).match_file(path)
