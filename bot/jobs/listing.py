"""What the embedded store has to do, for people to read."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Listed:
    """A key that waits, runs or was given up; times in seconds since 1970."""

    repository: str
    target: str
    due_at: float
    held_since: float | None
    attempts: int
    error: str | None
    given_up_at: float | None


def listed(c: sqlite3.Connection) -> list[Listed]:
    """Return every key of the store, what was given up first."""
    found = c.execute(
        "SELECT repository, target, due_at, held_since, attempts, error, given_up_at"
        " FROM attention ORDER BY given_up_at IS NULL, due_at"
    )
    return [Listed(*row) for row in found]
