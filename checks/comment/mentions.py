"""What may be a command, before Markdown is asked."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from checks.comment.lines import Line
from checks.comment.reasons import Reason

LONGEST_ARGUMENTS = 2_000
_SPACE = r" \t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_HIDDEN = r"\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff"
# One class, so that a long row of spaces is read once.
_AT_START = re.compile(rf"[{_SPACE}{_HIDDEN}]*(?P<slash>[/／])(?P<name>[^\s/／]+)(?=\s|\Z)")
_INVISIBLE = re.compile(f"[{_HIDDEN}]")
# Some programs break a line at these. Markdown and GitHub do not, but a reader may see a break.
_ENDS = re.compile(r"[\v\f\x1c-\x1e\x85\u2028\u2029]")
_NAME_LIKE = re.compile(r"[A-Za-z][^\s/]{0,39}")


@dataclass(frozen=True, slots=True)
class Mention:
    """What may be a command.

    ``line`` and ``column`` say where its slash is, both from 0; ``text`` is all of it as it stands
    there, and ``args`` what follows the name. ``problem`` is why it is none whatever it is in.
    """

    line: int
    column: int
    name: str
    text: str
    args: str = ""
    problem: Reason | None = None


def mentions(lines: Sequence[Line], names: Collection[str]) -> Iterator[Mention]:
    """Return what may be a command, in order: line starts, and known names within lines."""
    anywhere = _known(frozenset(names))
    for index, line in enumerate(lines):
        first = _at_start(index, line.text)
        if first and _NAME_LIKE.fullmatch(first.name):
            yield first
        for found in anywhere.finditer(line.text, first.column + len(first.text) if first else 0):
            column = found.start()
            yield Mention(index, column, found[1], found[0], problem=Reason.NOT_AT_LINE_START)


@lru_cache(maxsize=8)
def _known(names: frozenset[str]) -> re.Pattern[str]:
    """Return the pattern of a known name that is no part of a path, an address or a longer name."""
    either = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    return re.compile(rf"(?<![\w/.:@#-])/({either})(?![\w/-])")


def _at_start(index: int, line: str) -> Mention | None:
    found = _AT_START.match(line)
    if found is None:
        return None
    start = found.start("slash")
    stop = _ENDS.search(line, found.end())
    end = stop.start() if stop else len(line)
    args = line[found.end("name") : end].strip()
    text = line[start:end].rstrip()
    problem = Reason.INVISIBLE_CHARACTER if _INVISIBLE.search(line[:start]) else None
    if len(args) > LONGEST_ARGUMENTS:
        text, args, problem = line[start : found.end()], "", Reason.ARGUMENTS_TOO_LONG
    if found["slash"] != "/":
        problem = Reason.UNKNOWN_NAME
    return Mention(index, start, found["name"], text, args, problem)
