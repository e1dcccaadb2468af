"""Benchmark results: single node, several nodes, agents, and what is none."""

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.matrix.identity import visual_series
from checks.results.benchmarks import read_points
from checks.results.fields import series_of
from checks.results.rows import MOST_ROWS

from .results import AGENTIC, FIXED, NODES, file

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


def test_a_point_of_one_node() -> None:
    ((point,), troubles) = read(FIXED)
    assert troubles == ()
    assert (point.model_prefix, point.model, point.image) == (
        "oak",
        "oak/oak-fp8",
        "vllm/vllm-openai:v9",
    )
    assert (point.hardware, point.framework, point.precision) == ("b200", "vllm", "fp8")
    assert (point.scenario, point.parallelism, point.concurrency) == ("8k1k", "TP8 EP8 DPA", 64)
    assert (point.throughput, point.interactivity, point.latency) == (2000.5, 40.0, 26.0)


def test_a_point_of_several_nodes() -> None:
    ((point,), _) = read(NODES)
    assert point.parallelism == "2P(TP4 EP4 DPA) x 1D(TP8 EP8)"
    ((alone,), _) = read({**NODES, "decode_num_workers": 0})
    assert alone.parallelism == "2P(TP4 EP4 DPA)"


def test_a_point_of_agents() -> None:
    ((point,), _) = read(AGENTIC)
    assert (point.scenario, point.options) == ("agentic", "mtp dram/mooncake")
    assert (point.throughput, point.interactivity, point.latency) == (9000.0, 70.0, 12.0)
    assert point.slow_latency is None


def test_a_result_is_on_the_curve_of_its_row() -> None:
    row = {
        "model": "oak/oak-fp8",
        "model-prefix": "oak",
        "precision": "fp8",
        "framework": "vllm",
        "runner": "b200",
        "isl": 8192,
        "osl": 1024,
        "spec-decoding": "none",
    }
    ((point,), _) = read({**FIXED, "model": "/data/oak"})
    assert point.series == series_of(row) == visual_series(row)[1:]
    ((other,), _) = read({**FIXED, "spec_decoding": "mtp"})
    assert other.series != point.series


def test_of_the_same_measured_twice_the_last_counts() -> None:
    later, other = {**FIXED, "tput_per_gpu": 1.0}, {**FIXED, "conc": 8}
    (points, _) = read([FIXED, other, later])
    assert [(p.concurrency, p.throughput) for p in points] == [(64, 1.0), (8, 2000.5)]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"tput_per_gpu": None}, "`tput_per_gpu` is missing or is no figure above 0"),
        ({"tput_per_gpu": float("nan")}, "`tput_per_gpu` is missing or is no figure above 0"),
        ({"tput_per_gpu": 10**400}, "`tput_per_gpu` is missing or is no figure above 0"),
        ({"tput_per_gpu": True}, "`tput_per_gpu` is missing or is no figure above 0"),
        ({"hw": ["b200"]}, "`hw` is missing or is no short string"),
        ({"hw": "x" * 999}, "`hw` is missing or is no short string"),
        ({"conc": 0}, "`conc` is missing or is no whole number from 1"),
        ({"conc": "１２"}, "`conc` is missing or is no whole number from 1"),
        ({"isl": -1}, "`isl` is missing or is no whole number from 1"),
    ],
)
def test_a_bad_row_is_a_sentence_and_hides_no_other(change: Any, reason: str) -> None:
    (points, (trouble,)) = read([{**FIXED, "conc": 8}, {**FIXED, **change}])
    assert [point.concurrency for point in points] == [8]
    assert str(trouble) == (
        f"`agg.json` could not be read: rows: 2, unreadable 1; of row 2: {reason}"
    )


def test_figures_that_cannot_be_are_left_out() -> None:
    ((point,), _) = read({**FIXED, "median_intvty": float("inf"), "median_e2el": "1"})
    assert (point.interactivity, point.latency) == (None, None)


def test_files_that_are_no_results_are_sentences() -> None:
    deep = ("deep.json", b"[" * 200_000)
    files = [("a`b.json", b"{"), deep, file([0] * (MOST_ROWS + 1)), ("x.json", b"\xff")]
    found = read_points(files)
    assert found.found == ()
    said = [str(each) for each in found.troubles]
    assert said[0].startswith("``a`b.json`` could not be read: it is no JSON:")
    assert said[1] == "`deep.json` could not be read: it is nested too deeply"
    assert said[2] == "`agg.json` could not be read: it has more than 5000 rows"
    assert "it is no JSON" in said[3]


def test_of_all_files_together_a_bounded_number_of_rows_is_read() -> None:
    few = json.dumps([0] * (MOST_ROWS // 10)).encode()
    files = [file(FIXED), *((f"{number}.json", few) for number in range(2_000))]
    began = time.process_time()
    found = read_points(files)
    assert time.process_time() - began < 2
    assert len(found.found) == 1
    assert [str(each) for each in found.troubles][-1] == "it has more than 5000 rows"
    assert len(found.troubles) == 10


@given(st.dictionaries(st.sampled_from(sorted({**FIXED, **AGENTIC, **NODES})), JSON), JSON)
def test_no_content_raises(change: dict[str, Any], other: Any) -> None:
    for row in ({**FIXED, **change}, {**NODES, **change}, {**AGENTIC, **change}, other, [other]):
        read(row)


def read(content: object) -> Any:
    found = read_points([file(content)])
    return found.found, found.troubles
