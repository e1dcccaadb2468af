"""Benchmark results: one JSON file for each point, or one with all of a run."""

from collections.abc import Iterable

from checks.matrix.schema import AGENTIC
from checks.results.archive import File
from checks.results.fields import Fields, measured
from checks.results.model import Point, Reading
from checks.results.rows import each_row


def read_points(files: Iterable[File]) -> Reading[Point]:
    """Return the points of the files of one or several artifacts; never raises."""
    return each_row(files, _point)


def _point(fields: Fields) -> Point:
    agentic = fields.optional("scenario_type") == AGENTIC
    return (_agentic if agentic else _fixed)(fields)


def _fixed(fields: Fields) -> Point:
    """Read a point of fixed lengths; times are in seconds, though they were measured in ms."""
    return Point(
        **measured(fields, agentic=False),
        throughput=fields.needed("tput_per_gpu"),
        interactivity=fields.measure("median_intvty"),
        latency=fields.measure("median_e2el"),
        slow_latency=fields.measure("p90_e2el"),
    )


def _agentic(fields: Fields) -> Point:
    """Read a point of agents; before summer 2026 its figures lay beside the other fields."""
    per_gpu = fields.part("request_metrics", "throughput", "per_gpu")
    times = ("request_metrics", "latency")
    total = per_gpu.measure("total_tput_tps")
    return Point(
        **measured(fields, agentic=True),
        throughput=fields.needed("tput_per_gpu") if total is None else total,
        interactivity=fields.part(*times, "intvty").measure("p50"),
        latency=fields.part(*times, "e2el").measure("p50"),
        slow_latency=fields.part(*times, "e2el").measure("p90"),
    )
