"""Which points come, go and stay, beside rows that are kept."""

from typing import Any

import pytest

from checks.matrix.difference import Point, difference
from checks.matrix.rows import Row


def row(conc: Any, **more: Any) -> Row:
    place = {"model-prefix": "toy", "precision": "fp8", "framework": "vllm", "runner": "toy300"}
    return {**place, "tp": 4, **more, "exp-name": "toy", "conc": conc}


def test_a_row_that_is_kept_stays_whatever_comes_before_it_and_after_it() -> None:
    kept = [row(1), row(2)]
    found = difference({"a": (*kept,)}, {"a": (row(4), *kept, row(8))})
    assert [point.row["conc"] for point in found.added] == [4, 8]
    assert (found.removed, found.same) == ((), tuple(Point("a", each) for each in kept))


def test_a_row_on_the_curve_of_one_that_is_kept_is_not_new() -> None:
    found = difference({"a": (row(1),)}, {"a": (row(1), row(1, ep=1)), "b": (row(1), row(2))})
    assert [(point.config_key, dict(point.row)) for point in found.added] == [
        ("a", row(1, ep=1)),
        ("b", row(2)),
    ]
    assert found.same == (Point("a", row(1)), Point("b", row(1)))
    gone = difference({"a": (row(1),), "b": (row(1), row(2))}, {"a": (row(1), row(4))})
    assert gone.removed == (Point("b", row(2)),)


@pytest.mark.parametrize("other", [True, 1.0])
def test_values_that_only_python_takes_for_equal_are_others(other: object) -> None:
    for before, after in ((row(1, ep=1), row(1, ep=other)), (nested(1), nested(other))):
        found = difference({"a": (before, row(2))}, {"a": (after, row(2), row(4))})
        assert [point.row["conc"] for point in found.added] == [1, 4]
        assert [point.row["conc"] for point in found.removed] == [1]
        assert found.same == (Point("a", row(2)),)


def nested(value: object) -> Row:
    return row(1, prefill={"ep": value})
