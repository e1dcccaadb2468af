"""Curves and their frontiers."""

from hypothesis import given
from hypothesis import strategies as st

from checks.results.benchmarks import read_points
from checks.results.curves import curves, frontier
from checks.results.model import Point

from .results import FIXED, NODES, file


def points(*figures: tuple[float, float | None]) -> tuple[Point, ...]:
    rows = [
        {**FIXED, "conc": n, "tput_per_gpu": throughput, "median_intvty": interactivity}
        for n, (throughput, interactivity) in enumerate(figures, 1)
    ]
    return read_points([file(rows)]).found


def test_a_curve_is_all_points_of_a_series() -> None:
    rows = [{**FIXED, "conc": 64}, NODES, {**FIXED, "conc": 8, "tp": 4}]
    found = curves(read_points([file(rows)]).found)
    assert [len(curve.points) for curve in found] == [2, 1]
    assert [point.concurrency for point in found[0].points] == [8, 64]


def test_the_frontier_leaves_out_what_another_point_beats() -> None:
    found = points((100, 50), (200, 40), (150, 30), (300, 10), (200, 40), (900, None))
    assert [point.concurrency for point in frontier(found)] == [4, 2, 1]
    (curve,) = curves(found)
    assert curve.best.concurrency == 6


FIGURES = st.integers(1, 9).map(float)


@given(st.lists(st.tuples(FIGURES, FIGURES), max_size=12))
def test_what_is_left_out_is_beaten_and_what_is_left_is_not(
    figures: list[tuple[float, float]],
) -> None:
    found = points(*figures)
    best = {(p.throughput, p.interactivity or 0) for p in frontier(found)}
    for one, other in figures:
        beaten = any(a >= one and b >= other and (a, b) != (one, other) for a, b in figures)
        assert ((one, other) in best) is not beaten
    assert len(best) == len(frontier(found))
