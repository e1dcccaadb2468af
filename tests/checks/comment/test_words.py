"""Arguments as words."""

import time

import pytest

from checks.comment.closest import closest, distance
from checks.comment.words import Arguments


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ("", []),
        ("a  b\tc\u3000d\u00a0e", ["a", "b", "c", "d", "e"]),
        ("a*b `c d` e", ["a*b", "c d", "e"]),
        ("`` a`b ``", ["a`b"]),
        ("` `", [" "]),
        ("`  `", ["  "]),
        ("` a `", ["a"]),
        ("`a b", ["`a", "b"]),
        ("`a`b", ["`a`b"]),
        ("x`a b`", ["x`a", "b`"]),
        ("``a` b", ["``a`", "b"]),
        ("`a` `b c`", ["a", "b c"]),
    ],
)
def test_white_space_separates_and_backticks_hold_together(raw: str, words: list[str]) -> None:
    assert list(Arguments.of(raw)) == words


def test_the_rest_is_as_it_was_typed() -> None:
    args = Arguments.of("`a b`  c  `d`  ")
    assert [args.after(count) for count in range(4)] == [args.raw, "c  `d`", "`d`", ""]


@pytest.mark.parametrize(
    ("one", "other", "edits"),
    [("", "", 0), ("a", "", 1), ("kitten", "sitting", 3), ("rerun", "reurn", 2), ("ab", "abc", 1)],
)
def test_edits_are_counted(one: str, other: str, edits: int) -> None:
    assert distance(one, other) == distance(other, one) == edits


def test_the_closest_name_wins_then_the_longest_beginning() -> None:
    assert closest("sweet", ["sweep", "sweat"]) == "sweat"
    assert closest("sweeq", ["sweat", "sweep"]) == "sweep"
    assert closest("ok-to-sweep-now", ["ok", "ok-to-sweep"]) == "ok-to-sweep"
    assert closest("use", []) is None
    assert closest("abc", ["use"]) is None


def test_a_long_name_is_like_no_short_one_at_once() -> None:
    started = time.process_time()
    assert closest("x" * 200_000, ["use", "x" * 100]) is None
    assert closest(f"use-{'x' * 200_000}", ["use"]) == "use"
    assert time.process_time() - started < 1
