"""Which points one revision has and another has not."""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
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
# Each point with whether its config key has the very row in the other revision, too.
_Side = Sequence[tuple[Point, bool]]
_Curves = Mapping[Hashable, set[int]]
# What the points of a curve share, and most others do not.
_PLACE = itemgetter("model-prefix", "precision", "framework", "runner")
_MAYBE = ("isl", "osl", "tp")
_PLAIN = frozenset({str, int, bool, float, type(None)})


def difference(base: Rows, head: Rows) -> Difference:
    """Compare the rows of two revisions by config key."""
    touched = [key for key in {**head, **base} if base.get(key, ()) != head.get(key, ())]
    old, new = list[tuple[Point, bool]](), list[tuple[Point, bool]]()
    for key in touched:
        before, after = base.get(key, ()), head.get(key, ())
        start, end = _common(before, after)
        old += _side(key, before, start, end)
        new += _side(key, after, start, end)
    shared = _met(old, new) | _met(new, old)
    (old_lines, old_curves), (new_lines, new_curves) = (_placed(x, shared) for x in (old, new))
    return Difference(
        tuple(_left(new, new_lines, old_curves, wanted=False)),
        tuple(_left(old, old_lines, new_curves, wanted=False)),
        tuple(_left(new, new_lines, old_curves, wanted=True)),
        frozenset(touched),
    )


def _common(before: Sequence[Row], after: Sequence[Row]) -> tuple[int, int]:
    """Return how many rows are the same at the start, and how many others at the end."""
    start = _same(zip(before, after, strict=False))
    left = min(len(before), len(after)) - start
    return start, _same(islice(zip(reversed(before), reversed(after), strict=False), left))


def _same(pairs: Iterable[tuple[Row, Row]]) -> int:
    """Return how many pairs of rows are the same until some are not."""
    return sum(1 for _ in takewhile(lambda pair: _is_same(*pair), pairs))


def _is_same(row: Row, other: Row) -> bool:
    if row != other:
        return False
    # True is 1 to Python, but not to a job.
    types = [*map(type, row.values())]
    if types != [*map(type, other.values())]:
        return False
    return _PLAIN.issuperset(types) or repr(row) == repr(other)


def _side(key: str, rows: Sequence[Row], start: int, end: int) -> Iterator[tuple[Point, bool]]:
    last = len(rows) - end
    return ((Point(key, row), not start <= at < last) for at, row in enumerate(rows))


def _met(side: _Side, other: _Side) -> set[Hashable]:
    """Return the places of rows that are not kept at which the other revision has some, too."""
    places = {_place(point.row) for point, kept in side if not kept}
    return places & {_place(point.row) for point, _ in other} if places else places


def _place(row: Row) -> Hashable:
    return (*_PLACE(row), *map(row.get, _MAYBE))


def _placed(side: _Side, shared: Collection[Hashable]) -> tuple[list[Hashable], _Curves]:
    """Return the curve of each point, None where the other has none, and what each curve has."""
    lines, found = list[Hashable](), dict[Hashable, set[int]]()
    before: Row = {}
    line: Hashable = None
    for row in (point.row for point, _ in side):
        there = bool(shared) and _place(row) in shared
        if there:
            # The points of a search-space entry follow each other.
            if not plainly_on_one_curve(before, row):
                before, line = row, curve(row)
            found.setdefault(line, set()).update(concurrencies(row))
        lines.append(line if there else None)
    return lines, found


def _left(
    side: _Side, lines: Iterable[Hashable], known: _Curves, *, wanted: bool
) -> Iterator[Point]:
    """Return the points whose concurrency is, or is not, on the same curve there."""
    for (point, kept), line in zip(side, lines, strict=True):
        every = concurrencies(point.row)
        if kept or line not in known:
            if every and kept is wanted:
                yield point
        elif values := [conc for conc in every if (conc in known[line]) is wanted]:
            rest = len(values) < len(every)
            yield Point(point.config_key, {**point.row, "conc": values}) if rest else point
