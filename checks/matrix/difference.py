"""Which points one revision has and another has not."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from checks.matrix.identity import concurrencies, curve
from checks.matrix.rows import Row


@dataclass(frozen=True, slots=True)
class Point:
    """A row of a config key, with only the concurrencies that are meant."""

    config_key: str
    row: Row

    @property
    def runner(self) -> str:
        """Return where it runs."""
        return str(self.row["runner"])

    def __len__(self) -> int:
        return len(concurrencies(self.row))


@dataclass(frozen=True, slots=True)
class Difference:
    """The points that are new, gone, and the same; what moved to another config key is the same.

    ``same`` holds only those of the ``touched`` config keys; every point of another is the same.
    """

    added: tuple[Point, ...]
    removed: tuple[Point, ...]
    same: tuple[Point, ...]
    touched: frozenset[str]


Rows = Mapping[str, tuple[Row, ...]]
_Placed = Sequence[tuple[Point, Hashable]]  # each point with its curve
_Curves = Mapping[Hashable, set[int]]


def difference(base: Rows, head: Rows) -> Difference:
    """Compare the rows of two revisions by config key."""
    touched = [key for key in {**head, **base} if base.get(key, ()) != head.get(key, ())]
    old, new = (_placed(rows, touched) for rows in (base, head))
    before, after = _curves(old), _curves(new)
    return Difference(
        tuple(_left(new, before, wanted=False)),
        tuple(_left(old, after, wanted=False)),
        tuple(_left(new, before, wanted=True)),
        frozenset(touched),
    )


def _placed(rows: Rows, keys: Iterable[str]) -> _Placed:
    return [(Point(key, row), curve(row)) for key in keys for row in rows.get(key, ())]


def _curves(points: _Placed) -> _Curves:
    found: dict[Hashable, set[int]] = {}
    for point, line in points:
        found.setdefault(line, set()).update(concurrencies(point.row))
    return found


def _left(points: _Placed, known: _Curves, *, wanted: bool) -> Iterator[Point]:
    """Return the points whose concurrency is, or is not, on the same curve there."""
    for point, line in points:
        there = known.get(line, set())
        values = [conc for conc in concurrencies(point.row) if (conc in there) is wanted]
        if values:
            several = isinstance(point.row["conc"], list)
            conc = {"conc": values if several else values[0]}
            yield Point(point.config_key, {**point.row, **conc})
