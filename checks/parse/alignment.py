"""Match two sequences item by item, as a diff does, in bounded time whatever they hold."""

from bisect import bisect_left
from collections.abc import Sequence


def align(base: Sequence[bytes], head: Sequence[bytes]) -> list[int | None]:
    """Return for each head item the index of the same base item, both orders kept.

    Common ends first, then items that occur once on both sides (patience), then common ends
    between those: linear in time but for sorting, whatever the input.
    """
    found: list[int | None] = [None] * len(head)
    low, tops = _trim(base, head, (0, 0), (len(base), len(head)), found)
    places: dict[bytes, list[int]] = {}
    for side, items in ((0, base[low[0] : tops[0]]), (1, head[low[1] : tops[1]])):
        for index, item in enumerate(items, low[side]):
            place = places.setdefault(item, [-1, -1])
            place[side] = index if place[side] == -1 else -2
    once = sorted((h, b) for b, h in places.values() if b >= 0 and h >= 0)
    for h, b in [*_rising(once), (tops[1], tops[0])]:
        _trim(base, head, low, (b, h), found)
        if h < tops[1]:
            found[h] = b
        low = (b + 1, h + 1)
    return found


def _trim(
    base: Sequence[bytes],
    head: Sequence[bytes],
    low: tuple[int, int],
    top: tuple[int, int],
    found: list[int | None],
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Match the common start and end of two ranges; return what is left of them."""
    b, h = low
    end_b, end_h = top
    while b < end_b and h < end_h and base[b] == head[h]:
        found[h] = b
        b, h = b + 1, h + 1
    while b < end_b and h < end_h and base[end_b - 1] == head[end_h - 1]:
        end_b, end_h = end_b - 1, end_h - 1
        found[end_h] = end_b
    return (b, h), (end_b, end_h)


def _rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest run of pairs in which both numbers rise (sorted by the first)."""
    tails: list[int] = []
    at: list[int] = []
    before: list[int] = []
    for index, (_, b) in enumerate(pairs):
        length = bisect_left(tails, b)
        before.append(at[length - 1] if length else -1)
        tails[length : length + 1] = [b]
        at[length : length + 1] = [index]
    run, index = [], at[-1] if at else -1
    while index >= 0:
        run.append(pairs[index])
        index = before[index]
    return run[::-1]
