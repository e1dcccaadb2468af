"""The page that says which models and scenarios are measured: its tables, each row with its line.

What the page says has happened counts, and what ends with a last day that it names. A decision that
is still to come without one does not.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from checks.model import Blob
from checks.parse.config_entry import AGENTIC

LONGEST_PAGE = 1_000_000
_CODE = re.compile(r"`([^`\s]{1,64})`")
_PENDING = re.compile(
    r"\b(?:after|until|through|last day|will|pending|not yet|planned|starting|effective|tbd"
    r"|proposed|upcoming)\b",
    re.IGNORECASE,
)
_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
_WRITTEN = rf"({'|'.join(_MONTHS)})\s+(\d{{1,2}}),?\s+(\d{{4}})"
_DATE = rf"(?:\w+day,?\s+)?(?:(\d{{4}})-(\d\d)-(\d\d)|{_WRITTEN})"
_LAST_DAY = re.compile(rf"\b(?:after|until|through|last day)\W{{1,3}}{_DATE}\b", re.IGNORECASE)
_RETIRED = re.compile(rf"\W*(?:fully\s+)?retired\s+{_LAST_DAY.pattern}", re.IGNORECASE)
_ARM = re.compile(r"(.+?)\s+non-[\w.-]+\s+arm", re.IGNORECASE)
_NONE = re.compile(r"none\b|[—–-]+\s*(?:\(|$)", re.IGNORECASE)
_SEQUENCE = re.compile(r"(?:single-turn\s+)?(\d+)k(\d+)k\b", re.IGNORECASE)
_PRECISION = re.compile(r"\ball (\w+) recipes\b", re.IGNORECASE)
_NOTE = re.compile(r"\([^()]*\)")
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()\s]*\)")


@dataclass(frozen=True, slots=True)
class Retired:
    """What is not measured any more: ``scenario`` is ``agentic-coding``, ``8k1k`` or "" for all.

    ``precision`` is "" for every precision; without ``drafting`` only runs that do not draft are
    meant. ``last_day`` is the last one on which it is measured, None when that is over.
    """

    scenario: str = ""
    precision: str = ""
    drafting: bool = True
    last_day: date | None = None


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
            found, end = _scenario(cells["scenario"]), _end(_status(cells["status"]))
            if found and end:
                scenarios.append((Retired(found, last_day=end.last_day), line))
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
    ended = _end(active) if _NONE.match(active) else None
    if ended:
        return Row(name, prefixes, (Retired(last_day=ended.last_day),), line)
    running = {_scenario(part) for part in re.split(r",|\band\b", _NOTE.sub("", active))} - {""}
    found = [each for part in _items(gone) if (each := _retired(part))]
    kept = (each for each in found if each.scenario not in running or not each.drafting)
    return Row(name, prefixes, (*kept, *_ending(active)), line)


@dataclass(frozen=True, slots=True)
class _End:
    """When something ends: ``last_day`` is None when it has ended."""

    last_day: date | None = None


def _end(words: str) -> _End | None:
    """Return when something ends of which the words say that it does, None for some day."""
    match = _LAST_DAY.search(words)
    rest = words.replace(match[0], "") if match else words
    last_day = _day(match) if match else None
    return None if _PENDING.search(rest) or (match and not last_day) else _End(last_day)


def _day(match: re.Match[str]) -> date | None:
    year, month, day, name, day_of, year_of = match.groups()
    try:
        if name:
            return date(int(year_of), _MONTHS.index(name.lower()) + 1, int(day_of))
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


def _ending(active: str) -> Iterator[Retired]:
    """Return what an active cell gives a last day: a scenario of it, or the model."""
    if (match := _RETIRED.search(active)) and (last_day := _day(match)):
        yield Retired(last_day=last_day)
        active = active.replace(match[0], "")
    for part in _items(active):
        end, scenario = _end(part), _scenario(_NOTE.sub("", part))
        if end and end.last_day and scenario:
            yield Retired(scenario, last_day=end.last_day)


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
    """Return what an item of the deprecated scenarios means, None where it is not clear."""
    end, words = _end(part), _NOTE.sub("", part).strip()
    if end is None or re.search(r"\bonly\b|\bexcept\b", part, re.IGNORECASE):
        return None
    if precision := _PRECISION.search(part):
        return Retired(precision=precision[1].lower(), last_day=end.last_day)
    arm = _ARM.fullmatch(words)
    scenario = _scenario(arm[1] if arm else words)
    return Retired(scenario, "", arm is None, end.last_day) if scenario else None


def _scenario(words: str) -> str:
    words = words.strip().strip("*").strip()
    if words.lower() in ("agentic coding", "agentic"):
        return AGENTIC
    match = _SEQUENCE.fullmatch(words)
    return f"{match[1]}k{match[2]}k" if match else ""


def _status(status: str) -> str:
    """Return how the status of a scenario goes on that is deprecated for all models."""
    form = r"\W*deprecated\W+(?:for\W+all\W+models\W+|(?=since\b|after\b))(.{0,60})"
    start = re.match(form, status, re.IGNORECASE)
    return start[1] if start else "pending"
