"""The site's curves: their names, and how many points no other point of theirs beats.

A curve of the site is a model, a scenario, hardware with a framework, and a precision. Methods of
speculative decoding are told apart where lengths are fixed; recipes, images, spreads over nodes
and offloading are not, so that points of several config keys may lie on one.
"""

from collections.abc import Iterable, Mapping

from checks.parse.hardware import sku
from checks.results.model import Point, Series


def curve_name(series: Series) -> str:
    """Return a curve in words: ``dsr1 fp8 b200 sglang 8192/1024 mtp``.

    Args:
        series: as `checks.results.fields.series_of` makes it of a row or a result. A runner is
            named by its hardware, as a result does not always say which pool it ran in.

    """
    prefix, precision, framework, runner, _, agentic, lengths, _, spec, *_ = series
    parts = [
        str(prefix or "?"),
        str(precision or "").lower(),
        sku(str(runner or "")),
        str(framework or "").lower(),
        "agentic" if agentic else "/".join(map(str, lengths)) if isinstance(lengths, tuple) else "",
        "" if spec in (None, "none") else str(spec),
    ]
    return " ".join(part for part in parts if part)


def frontier_counts(points: Iterable[Point]) -> Mapping[str, int]:
    """Return how many points each curve has on its frontier of throughput and latency.

    Latency is that to the last token: its median where lengths are fixed, and what nine of ten
    requests of agents reach. A curve of which a point has none is left out.
    """
    found: dict[str, list[tuple[float, float] | None]] = {}
    for point in points:
        agentic = point.scenario == "agentic"
        latency = point.slow_latency if agentic else point.latency
        figures = None if latency is None else (latency, point.throughput)
        found.setdefault(curve_name(point.series), []).append(figures)
    return {
        name: _count(known)
        for name, each in sorted(found.items())
        if len(known := [figures for figures in each if figures is not None]) == len(each)
    }


def _count(points: list[tuple[float, float]]) -> int:
    """Count the points that none beats: of equal throughput all count, of equal latency the best.

    https://github.com/SemiAnalysisAI/InferenceX-app: this is how its frontier is drawn.
    """
    best: dict[float, float] = {}
    for latency, throughput in points:
        best[latency] = max(throughput, best.get(latency, throughput))
    highest, count = 0.0, 0
    for _, throughput in sorted(best.items()):
        if throughput >= highest:
            highest, count = throughput, count + 1
    return count
