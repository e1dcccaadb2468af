"""JSON files become rows, whatever is in them."""

import json
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from checks.results.archive import File
from checks.results.fields import FieldError, Fields
from checks.results.model import Measured, Reading
from checks.text import Text, text

MOST_ROWS = 5_000
M = TypeVar("M", bound=Measured)


class ContentError(ValueError):
    """A file that is no JSON, or that is nothing of what was expected."""

    def __init__(self, reason: Text) -> None:
        super().__init__(str(reason))
        self.reason = reason


def content_of(data: bytes) -> Any:
    """Return what a JSON file holds; NaN and Infinity too, as Python writes them.

    Raises ContentError.
    """
    try:
        return json.loads(data)
    except RecursionError:
        raise ContentError(text("it is nested too deeply")) from None
    except ValueError as error:
        raise ContentError(text("it is no JSON: {reason}", reason=str(error))) from None


def rows_of(data: bytes) -> list[Any]:
    """Return the rows of a JSON file that holds one or a list; raises ContentError."""
    found = content_of(data)
    rows = found if isinstance(found, list) else [found]
    if len(rows) > MOST_ROWS:
        raise ContentError(too_many())
    return rows


def too_many() -> Text:
    """Say that not all rows are read."""
    return text("it has more than {most} rows", most=MOST_ROWS)


def each_row(files: Iterable[File], read: Callable[[Fields], M]) -> Reading[M]:
    """Return what is measured in the rows of some files, and one sentence for each bad file.

    Of all files together 5,000 rows are read.
    """
    found: list[M] = []
    troubles: list[Text] = []
    room = MOST_ROWS
    for name, data in files:
        try:
            rows = rows_of(data)
            bad = _of_rows(rows[:room], read, found)
            if len(rows) > room:
                return Reading(newest(found), (*troubles, too_many()))
            room -= len(rows)
        except ContentError as error:
            bad = error.reason
        if bad is not None:
            troubles.append(text("{file} could not be read: {reason}", file=name, reason=bad))
    return Reading(newest(found), tuple(troubles))


def _of_rows(rows: list[Any], read: Callable[[Fields], M], found: list[M]) -> Text | None:
    """Add what can be read; return what is wrong with the others."""
    bad: list[tuple[int, Text]] = []
    for number, row in enumerate(rows, 1):
        try:
            found.append(read(Fields(row)))
        except FieldError as error:
            bad.append((number, error.reason))
    if not bad:
        return None
    return text(
        "rows: {total}, unreadable {count}; of row {row}: {reason}",
        total=len(rows),
        count=len(bad),
        row=bad[0][0],
        reason=bad[0][1],
    )


def newest(found: Iterable[M]) -> tuple[M, ...]:
    """Return each measurement once: of two of the same, the last."""
    return tuple({each.place: each for each in found}.values())
