"""GitHub's CODEOWNERS file: who owns a path, which line decides, and which lines GitHub skips.

https://docs.github.com/en/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/about-code-owners
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from checks.model import Blob, Tree
from checks.parse.owner_pattern import covers, covers_everything
from checks.text import Text, text

LOCATIONS = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")
LARGEST_FILE = 3 * 1024 * 1024
LONGEST_PATTERN = 4_096
_WORD = re.compile(r"(?:\\.|[^\s\\]|\\\Z)+", re.ASCII | re.DOTALL)
_OWNER = re.compile(r"@[\w-]+(?:/[\w.-]+)?|[^\s@#]+@[^\s@#]+\.[^\s@#]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Ownership:
    """Who owns a path: ``owners`` as written, and the line that decides (1-based, and its text).

    Without a line, no pattern covers the path; with a line and no owners, that line says nobody.
    ``catch_all`` tells that the line covers every path of the repository.
    """

    owners: tuple[str, ...] = ()
    line: int | None = None
    text: str = ""
    catch_all: bool = False


@dataclass(frozen=True, slots=True)
class SkippedLine:
    """A line that GitHub does not follow, and why."""

    line: int
    text: str
    reason: Text


@dataclass(frozen=True, slots=True)
class CodeOwners:
    """A CODEOWNERS file. ``too_large`` files are not followed at all."""

    rules: tuple[tuple[str, Ownership], ...] = ()
    skipped: tuple[SkippedLine, ...] = ()
    too_large: bool = False

    def owners_of(self, path: str) -> Ownership:
        """Return who owns a path, written from the root; the last pattern that covers it wins."""
        found = (owned for pattern, owned in reversed(self.rules) if covers(pattern, path))
        return next(found, Ownership())


def find_codeowners(tree: Tree) -> tuple[str, CodeOwners] | None:
    """Return the place and content of the file that GitHub follows, None when there is none.

    Raises:
        ReadError: the revision cannot be read.

    """
    for path in LOCATIONS:
        if (blob := tree.blob(path)) is not None:
            return path, read_codeowners(blob)
    return None


@lru_cache(maxsize=16)
def read_codeowners(blob: Blob) -> CodeOwners:
    """Read a CODEOWNERS file; any bytes can be read."""
    if len(blob.data) >= LARGEST_FILE:
        return CodeOwners(too_large=True)
    source = blob.data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    rules: list[tuple[str, Ownership]] = []
    skipped: list[SkippedLine] = []
    for number, line in enumerate(source.split("\n"), 1):
        pattern, *owners = _words(line) or ("",)
        if not pattern:
            continue
        shown = line.strip()
        if reason := _unsupported(pattern) or _bad_owner(owners):
            skipped.append(SkippedLine(number, shown, reason))
        else:
            whole = covers_everything(pattern)
            rules.append((pattern, Ownership(tuple(owners), number, shown, whole)))
    return CodeOwners(tuple(rules), tuple(skipped))


def _words(line: str) -> list[str]:
    """Return the pattern and the owners of a line, up to a comment."""
    words = _WORD.findall(line)
    comment = (index for index, word in enumerate(words) if word.startswith("#"))
    return words[: next(comment, len(words))]


def _unsupported(pattern: str) -> Text | None:
    """Return why GitHub does not follow a pattern."""
    bare = re.sub(r"\\.", "", pattern, flags=re.DOTALL)
    if pattern.startswith("!"):
        return text("GitHub knows no negation here; a later line without owners takes owners away.")
    if pattern.startswith("\\#"):
        return text("GitHub reads no pattern that starts with an escaped {sign}.", sign="#")
    if "[" in bare:
        return text("GitHub knows no character ranges and no sections here; write one line each.")
    if "***" in bare:
        return text("Three asterisks are no pattern; write {stars}.", stars="**")
    if "\\" in bare or re.search(r"\\/", pattern):
        return text("A backslash stands before nothing that it could escape.")
    if "//" in pattern or pattern == "/":
        return text("This pattern covers nothing; {star} covers everything.", star="*")
    if len(pattern) > LONGEST_PATTERN:
        return text("This pattern has more than {most} characters.", most=LONGEST_PATTERN)
    return None


def _bad_owner(owners: list[str]) -> Text | None:
    wrong = next((owner for owner in owners if not _OWNER.fullmatch(owner)), None)
    if wrong is None:
        return None
    return text(
        "{owner} is neither {user} nor {team} nor an email address.",
        owner=wrong,
        user="@user",
        team="@organisation/team",
    )
