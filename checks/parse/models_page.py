"""The page that says which models and scenarios are measured: its tables, each row with its line.

Only what the page says has happened counts. A last day, or a decision that is still to come, needs
a calendar, which judges do not have.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from checks.model import Blob

LONGEST_PAGE = 1_000_000
AGENTIC = "agentic-coding"
_CODE = re.compile(r"`([^`\s]{1,64})`")
_PENDING = re.compile(
    r"\b(?:after|until|through|last day|will|pending|not yet|planned|starting|effective|tbd"
    r"|proposed|upcoming)\b",
    re.IGNORECASE,
)
_SEQUENCE = re.compile(r"(?:single-turn\s+)?(\d+)k(\d+)k\b", re.IGNORECASE)
_PRECISION = re.compile(r"\ball (\w+) recipes\b", re.IGNORECASE)
_NOTE = re.compile(r"\([^()]*\)")
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()\s]*\)")


@dataclass(frozen=True, slots=True)
class Retired:
    """What is not measured any more: ``scenario`` is ``agentic-coding``, ``8k1k`` or "" for all.

    ``precision`` is "" for every precision.
    """

    scenario: str = ""
    precision: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the support matrix; ``line`` is 1-based."""

    name: str
    prefixes: tuple[str, ...]
    retired: tuple[Retired, ...]
    line: int

    def covers(self, prefix: str) -> bool:
        """Tell whether a model prefix has this row, itself or as another version of its model."""
        if prefix in self.prefixes:
            return True
        name = re.sub(r"[^a-z0-9./]", "", self.name.lower())
        match = re.fullmatch(r"([a-z]+)(\d[\d.]*)", prefix)
        if match is None:
            return False
        return match[1] in name and match[2] in re.findall(r"\d[\d.]*", name)


@dataclass(frozen=True, slots=True)
class ModelsPage:
    """``rows`` of the support matrix, and scenarios that are retired for all, with their line."""

    rows: tuple[Row, ...] = ()
    scenarios: tuple[tuple[Retired, int], ...] = ()

    def row(self, prefix: str) -> Row | None:
        """Return the row of a model prefix, its own before one of another version."""
        own = (row for row in self.rows if prefix in row.prefixes)
        return next(own, None) or next((row for row in self.rows if row.covers(prefix)), None)


@lru_cache(maxsize=64)
def read_models_page(blob: Blob) -> ModelsPage:
    """Read the page; a page without such tables has no rows."""
    source = blob.data[:LONGEST_PAGE].decode("utf-8", "replace")
    rows: list[Row] = []
    scenarios: list[tuple[Retired, int]] = []
    for cells, line in _tables(source):
        if {"prefix", "active scenarios", "deprecated scenarios"} <= cells.keys():
            rows.append(_row(cells, line))
        elif {"scenario", "isl/osl", "status"} <= cells.keys():
            found = _scenario(cells["scenario"])
            if found and _is_over(cells["status"]):
                scenarios.append((Retired(found), line))
    return ModelsPage(tuple(rows), tuple(scenarios))


def _tables(source: str) -> Iterator[tuple[dict[str, str], int]]:
    """Return each body row of each table by its lower-case column names, with its line."""
    header: list[str] | None = None
    for number, line in enumerate(source.split("\n"), 1):
        if not line.lstrip().startswith("|"):
            header = None
            continue
        plain = _LINK.sub(r"\1", line).replace("**", "").strip().strip("|")
        cells = [" ".join(cell.split()) for cell in plain.split("|")]
        if header is None:
            header = [cell.lower() for cell in cells]
        elif not all(re.fullmatch(r":?-+:?", cell) for cell in cells):
            yield dict(zip(header, cells, strict=False)), number


def _row(cells: dict[str, str], line: int) -> Row:
    active, gone = cells["active scenarios"], cells["deprecated scenarios"]
    prefixes = tuple(_CODE.findall(cells["prefix"]))
    name = next(iter(cells.values()))
    if re.match(r"none\b", active, re.IGNORECASE) and not _PENDING.search(active):
        return Row(name, prefixes, (Retired(),), line)
    running = {_scenario(part) for part in re.split(r",|\band\b", _NOTE.sub("", active))}
    found = (_retired(part) for part in _items(gone))
    retired = tuple(each for each in found if each and each.scenario not in running - {""})
    return Row(name, prefixes, retired, line)


def _items(cell: str) -> list[str]:
    """Return the items of a list, cut at commas outside of parentheses."""
    depth, items = 0, [""]
    for char in cell:
        depth = max(0, depth + (char == "(") - (char == ")"))
        if char == "," and not depth:
            items.append("")
        else:
            items[-1] += char
    return items


def _retired(part: str) -> Retired | None:
    """Return what an item of the deprecated scenarios means, None where it is not all of it."""
    if _PENDING.search(part) or re.search(r"\bonly\b|\barm\b|\bexcept\b", part, re.IGNORECASE):
        return None
    if precision := _PRECISION.search(part):
        return Retired(precision=precision[1].lower())
    scenario = _scenario(_NOTE.sub("", part).strip())
    return Retired(scenario) if scenario else None


def _scenario(words: str) -> str:
    words = words.strip().strip("*").strip()
    if words.lower() in ("agentic coding", "agentic"):
        return AGENTIC
    match = _SEQUENCE.fullmatch(words)
    return f"{match[1]}k{match[2]}k" if match else ""


def _is_over(status: str) -> bool:
    start = re.match(r"\W*deprecated\W+for\W+all\W+models\W+(.{0,60})", status, re.IGNORECASE)
    return start is not None and not _PENDING.search(start[1])
