"""How much a pull request makes each runner do."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from checks.matrix.rows import Row
from checks.matrix.sweep import Sweep


@dataclass(frozen=True, slots=True)
class Counts:
    """Of one runner: points that a change adds, removes and measures again, and jobs it starts."""

    added: int = 0
    removed: int = 0
    rerun: int = 0
    jobs: int = 0
    evals: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(
            self.added + other.added,
            self.removed + other.removed,
            self.rerun + other.rerun,
            self.jobs + other.jobs,
            self.evals + other.evals,
        )


def counted(found: Sweep) -> Iterator[tuple[str, Counts]]:
    """Return what happens on each runner, sorted by its name."""
    added, removed, rerun = (Counter[str]() for _ in range(3))
    for into, points in ((added, found.added), (removed, found.removed), (rerun, found.rerun)):
        for point in points:
            into[point.runner] += len(point)
    jobs, evals = per_runner(point.row for point in found.jobs), per_runner(found.evals)
    for name in sorted({*added, *removed, *rerun, *jobs, *evals}):
        yield name, Counts(added[name], removed[name], rerun[name], jobs[name], evals[name])


def per_runner(rows: Iterable[Row]) -> Counter[str]:
    """Return how many rows each runner has."""
    return Counter(str(row["runner"]) for row in rows)
