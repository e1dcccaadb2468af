"""The benchmark matrix as text, for people."""

from collections.abc import Iterable, Sequence
from dataclasses import astuple
from typing import Any

from checks.matrix.counts import Counts, counted, per_runner
from checks.matrix.difference import Point
from checks.matrix.identity import EVALUATION, POINT, concurrencies, curve
from checks.matrix.matrix import Matrix
from checks.matrix.rows import Row
from checks.matrix.shape import options, parallelism, scenario
from checks.matrix.sweep import Sweep
from checks.text import visible


def matrix_table(found: Matrix, names: Sequence[str], rows: Sequence[Row]) -> str:
    """Return a line for each curve, and the jobs of each runner."""
    owners = {curve(row): key for key in names for row in found.rows[key]}
    groups: dict[tuple[str, Any], list[Row]] = {}
    for row in rows:
        key = owners.get(curve(row), "")
        mark = (curve(row), bool(row.get("eval-only")), row.get("eval-suite"))
        groups.setdefault((key, mark), []).append(row)
    lines = [_line(key, group) for (key, _), group in groups.items()]
    total = ", ".join(f"{runner} {n}" for runner, n in sorted(per_runner(rows).items()))
    head = ("config key", "runner", "scenario", "parallelism", "options", "concurrency", "evals")
    return f"{_columns([head, *lines])}\n{len(rows)} jobs{': ' if total else ''}{total}"


def _line(key: str, rows: Sequence[Row]) -> tuple[str, ...]:
    row = rows[0]
    conc = dict.fromkeys(c for each in rows for c in concurrencies(each))
    marked = [each for each in rows if each.get("run-eval")]
    at = dict.fromkeys(c for each in marked for c in _evaluated(each))
    return (
        key,
        row["runner"],
        scenario(row),
        parallelism(row),
        options(row),
        ",".join(map(str, conc)),
        ",".join(map(str, at)),
    )


def _evaluated(row: Row) -> tuple[int, ...]:
    return (row["eval-conc"],) if row.get("eval-conc") else concurrencies(row)


def _columns(lines: Sequence[tuple[str, ...]]) -> str:
    cells = [[visible(cell) for cell in line] for line in lines]
    widths = [max(len(line[at]) for line in cells) for at in range(len(cells[0]))]
    rows = ("  ".join(cell.ljust(w) for cell, w in zip(x, widths, strict=True)) for x in cells)
    return "\n".join(row.rstrip() for row in rows)


def sweep_table(found: Sweep) -> str:
    """Return the points that come, go and run again, then the counts of each runner."""
    parts = []
    signs = (("+", found.added), ("-", found.removed), ("=", found.rerun))
    points = [(sign, point) for sign, group in signs for point in _joined(group)]
    gone: dict[tuple[str, ...], list[Row]] = {}
    for sign, point in points:
        if sign == "-":
            gone.setdefault(_look(point), []).append(point.row)
    lines = [
        (
            sign,
            *_line(point.config_key, [point.row])[:-1],
            _other(point.row, gone.get(_look(point), ())) if sign == "+" else "",
        )
        for sign, point in points
    ]
    if lines:
        head = ("", "config key", "runner", "scenario", "parallelism", "options", "concurrency")
        parts.append(_columns([(*head, "changed" * any(x[-1] for x in lines)), *lines]))
    runners = list(counted(found))
    if runners:
        rows = [(runner, *map(str, astuple(counts))) for runner, counts in runners]
        sums = astuple(sum((counts for _, counts in runners), Counts()))
        title = ("runner", "points added", "removed", "rerun", "jobs", "eval jobs")
        parts.append(_columns([title, *rows, ("total", *map(str, sums))]))
    if found.unmeasured:
        keys = ", ".join(dict.fromkeys(visible(p.config_key) for p in found.unmeasured))
        count = sum(map(len, found.unmeasured))
        parts.append(f"No new changelog entry names {count} of the added points: {keys}.")
    return "\n\n".join(parts) or "The matrix stays as it is, and no job runs."


def _other(new: Row, alike: Sequence[Row]) -> str:
    """Return the fields in which a point differs from the one that went and looks like it."""
    if len(alike) != 1:
        return ""
    old = alike[0]
    names = (name for name in {**old, **new} if old.get(name) != new.get(name))
    return ", ".join(name for name in names if name not in POINT | EVALUATION)


def _look(point: Point) -> tuple[str, ...]:
    return _line(point.config_key, [point.row])[:-2]


def _joined(points: Iterable[Point]) -> list[Point]:
    """Return one point for each curve, with all of its concurrencies."""
    groups: dict[Any, list[Point]] = {}
    for point in points:
        groups.setdefault((point.config_key, curve(point.row)), []).append(point)
    return [
        Point(key, {**group[0].row, "conc": [c for p in group for c in concurrencies(p.row)]})
        for (key, _), group in groups.items()
    ]
