"""Two sequences matched item by item."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.parse.alignment import align


def pairs(base: str, head: str) -> list[int | None]:
    return align([x.encode() for x in base], [x.encode() for x in head])


@pytest.mark.parametrize(
    ("base", "head", "expected"),
    [
        ("", "", []),
        ("abc", "abc", [0, 1, 2]),
        ("abc", "abxc", [0, 1, None, 2]),
        ("abc", "ac", [0, 2]),
        ("abcd", "xbyd", [None, 1, None, 3]),
        ("aaa", "aa", [0, 1]),
        ("abab", "abxab", [0, 1, None, 2, 3]),
    ],
)
def test_alignment(base: str, head: str, expected: list[int | None]) -> None:
    assert pairs(base, head) == expected


def test_a_swap_keeps_one_of_the_two() -> None:
    assert sorted(pairs("ab", "ba"), key=str) in ([0, None], [1, None])


@given(st.text("abcd", max_size=20), st.text("abcd", max_size=20))
def test_matches_are_equal_items_in_rising_order(base: str, head: str) -> None:
    found = pairs(base, head)
    kept = [index for index in found if index is not None]
    assert len(found) == len(head)
    assert kept == sorted(set(kept))
    assert all(x is None or base[x] == head[at] for at, x in enumerate(found))


@given(st.lists(st.integers(0, 99), unique=True, max_size=30), st.data())
def test_insertions_alone_lose_nothing(base: list[int], data: st.DataObject) -> None:
    head = [b"%d" % item for item in base]
    for number in range(data.draw(st.integers(0, 5))):
        head.insert(data.draw(st.integers(0, len(head))), b"new %d" % number)
    found = align([b"%d" % item for item in base], head)
    assert [index for index in found if index is not None] == list(range(len(base)))


def test_time_stays_bounded() -> None:
    started = time.process_time()
    same = [b"x"] * 50_000
    align(same, [b"y", *same[:-7], b"z"])
    align([b"%d" % n for n in range(50_000)], [b"%d" % n for n in reversed(range(50_000))])
    assert time.process_time() - started < 2
