"""Globs of the policy, anchored at the root: ``*`` stays in a folder, ``**`` crosses folders."""

from collections.abc import Iterable
from functools import lru_cache

from pathspec import PathSpec
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern


@lru_cache(maxsize=256)
def _compiled(globs: tuple[str, ...]) -> PathSpec[GitIgnoreSpecPattern]:
    # A gitignore pattern without an inner slash would match in every folder; "/" anchors it.
    return PathSpec.from_lines(GitIgnoreSpecPattern, [f"/{glob}" for glob in globs])


def matches(path: str, globs: Iterable[str]) -> bool:
    """Tell whether a repository path matches any of the globs."""
    return _compiled(tuple(globs)).match_file(path)
