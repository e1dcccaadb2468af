"""Points by the curve of the site that they are on, and which of them no other one beats."""

from collections.abc import Iterable
from dataclasses import dataclass

from checks.results.model import Point, Series


@dataclass(frozen=True, slots=True)
class Curve:
    """The points of one series, by concurrency."""

    series: Series
    points: tuple[Point, ...]

    @property
    def best(self) -> Point:
        """The point of the highest throughput; of equal ones the one that is fastest for a user."""
        return max(self.points, key=lambda point: (point.throughput, point.interactivity or 0))

    @property
    def frontier(self) -> tuple[Point, ...]:
        """The points that no other one beats in both throughput and interactivity."""
        return frontier(self.points)


def curves(points: Iterable[Point]) -> tuple[Curve, ...]:
    """Return the curves of some points, the ones with the most points first."""
    found: dict[Series, list[Point]] = {}
    for point in points:
        found.setdefault(point.series, []).append(point)
    ordered = [
        Curve(series, tuple(sorted(each, key=lambda p: (p.concurrency, p.parallelism))))
        for series, each in found.items()
    ]
    return tuple(sorted(ordered, key=lambda curve: (-len(curve.points), str(curve.series))))


def frontier(points: Iterable[Point]) -> tuple[Point, ...]:
    """Return the points that no other one beats in both, the slowest for a user first.

    Points without an interactivity are on no frontier; of equal ones the first is.
    """
    known = [(point.interactivity, point) for point in points if point.interactivity is not None]
    found: list[Point] = []
    for _, point in sorted(known, key=lambda each: (-each[0], -each[1].throughput)):
        if not found or point.throughput > found[-1].throughput:
            found.append(point)
    return tuple(reversed(found))
