"""Names of curves, and the points on their frontiers of throughput and latency."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.results.benchmarks import read_points
from checks.results.evals import read_scores
from checks.signoff.curves import frontier_counts
from checks.signoff.facts import Score
from checks.signoff.scores import scores_of
from tests.checks.results.results import AGENTIC, FIXED, NODES, SCORE, file

CURVE = "oak fp8 b200 vllm 8192/1024"
Row = Mapping[str, Any]


def counts(*rows: Row) -> Mapping[str, int]:
    return frontier_counts(read_points([file(list(rows))]).found)


def rows(*figures: tuple[float | None, float]) -> list[Row]:
    return [
        {**FIXED, "conc": n, "median_e2el": latency, "tput_per_gpu": throughput}
        for n, (latency, throughput) in enumerate(figures, 1)
    ]


@pytest.mark.parametrize(
    ("figures", "count"),
    [
        ([(10, 100)], 1),
        ([(10, 100), (20, 200), (30, 300)], 3),
        ([(10, 300), (20, 200), (30, 100)], 1),
        ([(10, 100), (10, 200), (10, 150)], 1),
        ([(10, 100), (20, 100), (30, 100)], 3),
        ([(10, 100), (10, 100)], 1),
        ([(10, 100), (20, 90), (30, 100), (40, 101)], 3),
        ([(40, 101), (10, 100), (30, 100), (20, 90)], 3),
    ],
)
def test_what_no_other_point_beats_counts(figures: list[tuple[float, float]], count: int) -> None:
    assert counts(*rows(*figures)) == {CURVE: count}


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(1, 6)), min_size=1, max_size=12))
def test_the_count_is_that_of_the_unbeaten_places(figures: list[tuple[int, int]]) -> None:
    places = set(figures)
    left = {
        (x, y)
        for x, y in places
        if not any((a <= x and b > y) or (a == x and b > y) for a, b in places)
    }
    assert counts(*rows(*figures)) == {CURVE: len(left)}


def test_recipes_images_and_nodes_share_a_curve_but_methods_do_not() -> None:
    one, two = rows((10, 100), (20, 200))
    other = {**two, "image": "other", "recipe_fingerprint": "cd" * 32, "tp": 4, "disagg": True}
    assert counts(one, other) == {CURVE: 2}
    assert counts(one, {**two, "spec_decoding": "mtp"}) == {CURVE: 1, f"{CURVE} mtp": 1}
    assert counts(one, {**two, "isl": 1024}) == {CURVE: 1, "oak fp8 b200 vllm 1024/1024": 1}
    assert counts(NODES) == {"oak fp8 gb200 dynamo-sglang 8192/1024": 1}


def agentic(conc: int, latency: Row, **more: Any) -> Row:
    metrics = AGENTIC["request_metrics"]
    figures = {**metrics, "latency": {**metrics["latency"], "e2el": latency}}
    return {**AGENTIC, "conc": conc, "request_metrics": figures, **more}


def test_agents_are_compared_by_what_nine_of_ten_requests_reach() -> None:
    first = agentic(1, {"p50": 10.0, "p90": 30.0})
    second = agentic(2, {"p50": 20.0, "p90": 30.0}, spec_decoding="none", kv_offloading="none")
    assert counts(first, second) == {"oak fp8 b200 vllm agentic": 1}
    assert counts(first, agentic(2, {"p50": 10.0, "p90": 31.0})) == {"oak fp8 b200 vllm agentic": 2}


def test_a_curve_of_which_a_point_has_no_latency_is_not_counted() -> None:
    assert counts(*rows((10, 100), (None, 200))) == {}
    assert counts(agentic(1, {"p50": 10.0})) == {}
    assert counts() == {}


def test_scores_as_a_sign_off_asks_about_them() -> None:
    found = scores_of(read_scores([file([SCORE])]).found)
    (score,) = found
    assert score == Score("gsm8k", 0.94, "oak", "vllm", "fp8", "b200", "", score.traits)
    assert score.traits["spec-decoding"] == "none"
