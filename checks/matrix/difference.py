"""Which points one revision has and another has not."""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

from checks.matrix.identity import concurrencies, curve, plainly_on_one_curve
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
_Placed = Sequence[tuple[Point, Hashable]]  # each point with its curve, None for one of its own
_Curves = Mapping[Hashable, set[int]]
# What the points of a curve share, and most others do not.
_PLACE = itemgetter("model-prefix", "precision", "framework", "runner")
_MAYBE = ("isl", "osl", "tp")


def difference(base: Rows, head: Rows) -> Difference:
    """Compare the rows of two revisions by config key."""
    touched = [key for key in {**head, **base} if base.get(key, ()) != head.get(key, ())]
    points = [
        [Point(key, row) for key in touched for row in rows.get(key, ())] for rows in (base, head)
    ]
    shared = set.intersection(*({_place(each.row) for each in side} for side in points))
    old, new = (_placed(side, shared) for side in points)
    before, after = _curves(old), _curves(new)
    return Difference(
        tuple(_left(new, before, wanted=False)),
        tuple(_left(old, after, wanted=False)),
        tuple(_left(new, before, wanted=True)),
        frozenset(touched),
    )


def _place(row: Row) -> Hashable:
    return (*_PLACE(row), *map(row.get, _MAYBE))


def _placed(points: Iterable[Point], shared: Collection[Hashable]) -> _Placed:
    before, found = Point("", {}), list[tuple[Point, Hashable]]()
    line: Hashable = None
    for each in points:
        there = _place(each.row) in shared
        # The points of a search-space entry follow each other.
        if there and not plainly_on_one_curve(before.row, each.row):
            before, line = each, curve(each.row)
        found.append((each, line if there else None))
    return found


def _curves(points: _Placed) -> _Curves:
    found: dict[Hashable, set[int]] = {}
    for point, line in points:
        if line is not None:
            found.setdefault(line, set()).update(concurrencies(point.row))
    return found


def _left(points: _Placed, known: _Curves, *, wanted: bool) -> Iterator[Point]:
    """Return the points whose concurrency is, or is not, on the same curve there."""
    for point, line in points:
        there = known.get(line, set())
        every = concurrencies(point.row)
        values = [conc for conc in every if (conc in there) is wanted]
        if values:
            rest = len(values) < len(every)
            yield Point(point.config_key, {**point.row, "conc": values}) if rest else point
