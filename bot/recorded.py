"""Facts about pull requests in a file, to ask later what their sign-offs come to, and why."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from checks.signoff.facts import Facts

SCHEMA = 1
MOST_BYTES = 64 * 1024 * 1024


class RecordError(ValueError):
    """A file does not hold facts; the text is one sentence that says where and why."""


@dataclass(frozen=True, slots=True)
class _Record:
    """The whole file. ``schema`` is that of this version; fields are only ever added to it."""

    schema: int
    facts: tuple[Facts, ...] = field(default=())


@cache
def _form() -> TypeAdapter[_Record]:
    return TypeAdapter(_Record)


def record(facts: Iterable[Facts]) -> bytes:
    """Return the facts about some pull requests as JSON; what is no text in a path becomes "?"."""
    written = _Record(SCHEMA, tuple(facts))
    # Mappings that cannot be changed are no dicts.
    values = _form().dump_python(written, mode="json", fallback=dict, warnings=False)
    return json.dumps(values, indent=1, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def keep(facts: Facts, folder: Path) -> Path:
    """Write the facts about a pull request into a folder, instead of older ones about it.

    Raises:
        OSError: that cannot be done.

    """
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{facts.repository.replace('/', '+')}+{facts.number}.json"
    half = file.with_suffix(f".{os.getpid()}")
    half.write_bytes(record((facts,)))
    half.replace(file)
    return file


def read_record(data: bytes) -> tuple[Facts, ...]:
    """Return the facts in a file; what has a default may be left out, and nothing else added.

    Raises:
        RecordError: the file is something else; the sentence names the first wrong place.

    """
    if len(data) > MOST_BYTES:
        raise RecordError(f"It is longer than {MOST_BYTES} bytes.")
    try:
        given = json.loads(data)
        found = _form().validate_json(data, strict=True)
    except ValidationError as error:
        raise RecordError(_first(error)) from None
    except (ValueError, RecursionError):
        raise RecordError("It is not JSON.") from None
    if found.schema != SCHEMA:
        raise RecordError(f"Its schema is {found.schema}; this version reads {SCHEMA}.")
    known = json.loads(record(found.facts))
    if place := _unknown(given, known, ()):
        raise RecordError(f"{_dotted(place)} is no field; remove it.")
    return found.facts


def _first(error: ValidationError) -> str:
    """Return what is wrong first: where, and what is wanted there."""
    problem = min(error.errors(include_url=False), key=lambda each: len(each["loc"]))
    place = [part for part in problem["loc"] if isinstance(part, int) or part.islower()]
    if problem["type"] == "missing":
        return f"{_dotted(place)} is missing."
    return f"{_dotted(place)}: {problem['msg'][:1].lower()}{problem['msg'][1:]}."


def _dotted(place: Sequence[str | int]) -> str:
    shown = ""
    for part in place:
        shown += f"[{part}]" if isinstance(part, int) else f".{part}"
    return shown.lstrip(".") or "The file"


def _unknown(given: Any, known: Any, place: tuple[str | int, ...]) -> tuple[str | int, ...] | None:
    """Return the place of the first field that was given and not read."""
    if isinstance(given, dict) and isinstance(known, dict):
        for name, value in given.items():
            if name not in known:
                return (*place, name)
            if found := _unknown(value, known[name], (*place, name)):
                return found
    if isinstance(given, list) and isinstance(known, list):
        for at, value in enumerate(given):
            if found := _unknown(value, known[at], (*place, at)):
                return found
    return None
