"""The known name that somebody may have meant."""

from collections.abc import Iterable
from functools import lru_cache

FARTHEST = 2


def closest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that a wrong one is at most two edits away from, or that begins it.

    Upper and lower case are the same here. Of a short name, one half has to be right. A name that
    goes on behind a known one has to go on with a mark: ``rerun-all``, not ``reruns-everything``.
    """
    return _closest(name.casefold(), tuple(sorted(known)))


@lru_cache(maxsize=256)
def _closest(name: str, known: tuple[str, ...]) -> str | None:
    near = [
        (edits, each)
        for each in known
        if abs(len(name) - len(each)) <= FARTHEST  # a long name would take long to measure
        and (edits := distance(name, each)) <= min(FARTHEST, len(each) // 2)
    ]
    if near:
        return min(near)[1]
    begun = [each for each in known if name.startswith(each) and not name[len(each)].isalnum()]
    return max(begun, key=len, default=None)


def distance(one: str, other: str) -> int:
    """Return the Levenshtein distance: how many characters to insert, delete or replace."""
    row = list(range(len(other) + 1))
    for count, char in enumerate(one, 1):
        above, row = row, [count]
        for place, target in enumerate(other):
            row.append(min(above[place] + (char != target), above[place + 1] + 1, row[place] + 1))
    return row[-1]
