"""Which paths a CODEOWNERS pattern covers, in time that no pattern can blow up.

The rules are gitignore's (https://git-scm.com/docs/gitignore#_pattern_format) with one exception of
GitHub's: a last part that is only ``*`` covers the files of a folder, not those further down
(https://docs.github.com/en/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/about-code-owners).
"""

import re
from functools import lru_cache

_FOLDER = "[^/]+/"
_TOKEN = re.compile(r"\*+|\?|\\(.)|[^*?\\]+", re.DOTALL)


def covers(pattern: str, path: str) -> bool:
    """Tell whether a valid pattern covers a path, written from the root without a first slash."""
    needle, expression = _needle(pattern), None
    if needle in path:  # most patterns of a long file end here, without an expression
        expression = _expression(pattern)
    return expression is not None and expression.fullmatch(path) is not None


def covers_everything(pattern: str) -> bool:
    """Tell whether a pattern covers every path of a repository."""
    return re.fullmatch(r"\*|(?:/?\*\*)(?:/\*\*?)*", pattern) is not None


@lru_cache(maxsize=65_536)
def _needle(pattern: str) -> str:
    """Return the longest text that is in every path the pattern covers."""
    pieces = re.split(r"\\.|[*?/]", pattern, flags=re.DOTALL)
    return max(pieces, key=len)


@lru_cache(maxsize=16_384)
def _expression(pattern: str) -> re.Pattern[str] | None:
    parts = pattern.removeprefix("/").removesuffix("/").split("/")
    if "" in parts:
        return None
    if "/" not in pattern[:-1]:
        parts.insert(0, "**")
    *folders, last = parts
    if last == "*" and not pattern.endswith("/"):
        return re.compile(f"{_folders(folders)}[^/]+")
    below = "/.+" if pattern.endswith("/") else "(?:/.*)?"
    name = _part("*" if last == "**" else last)  # "a/**" is what lies in a, not a itself
    return re.compile(_folders(folders) + name + below, re.DOTALL)


def _folders(parts: list[str]) -> str:
    """Return the expression of the folders of a pattern, each with its slash.

    What stands between two ``**`` may be taken where it is first found, once and for all (an atomic
    group): a later place would leave less room for the rest. So nothing is tried twice.
    """
    blocks = [""]
    for part in parts:
        if part == "**":
            blocks.append("")
        else:
            blocks[-1] += f"{_part(part)}/"
    first, *between = blocks
    if not between:
        return first
    middle = "".join(f"(?>(?:{_FOLDER})*?{block})" for block in between[:-1] if block)
    return f"{first}{middle}(?:{_FOLDER})*{between[-1]}"


def _part(part: str) -> str:
    """Return the expression of one name; what stands between two ``*`` is taken as above."""
    pieces = [""]
    for token in _TOKEN.finditer(part):
        if token[0].startswith("*"):
            pieces.append("")
        else:
            pieces[-1] += "[^/]" if token[0] == "?" else re.escape(token[1] or token[0])
    first, *between = pieces
    if not between:
        return first
    middle = "".join(f"(?>[^/]*?{piece})" for piece in between[:-1] if piece)
    return f"{first}{middle}[^/]*{between[-1]}(?=/|\\Z)"
