"""The statements of the embedded store; each runs inside a transaction that its caller owns."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from bot.delivery import Delivery
from bot.jobs import Stored
from bot.jobs.places import key_at, line, place
from bot.keys import CommentKey, HeadKey, Key, RunsKey
from bot.payloads import Told

_LONGEST_BURST = 2.0
# What was given up or got its one run after that, and is marked because there is news.
_ANEW = (
    " attempts = iif(given_up_at IS NULL AND gave_up IS NULL, attempts, 0),"
    " failing_since = iif(given_up_at IS NULL AND gave_up IS NULL, failing_since, NULL),"
    " gave_up = NULL,"
)


class Lane(IntEnum):
    """What shares places with each other, and waits for nothing else.

    Reviews; what is quick, comments, whose authors watch, and gates of new heads; runs, whose
    results may take a while to come.
    """

    REVIEWS = 0
    QUICK = 1
    RUNS = 2


@dataclass(frozen=True, slots=True)
class Job:
    """A key that this process holds, at the generation it was taken with.

    `attempts` have failed in a row, the first at `failing_since`; `gave_up` is the error for which
    it was given up before, None when it started anew since.
    """

    key: Key
    generation: int
    attempts: int
    failing_since: float | None
    gave_up: str | None = None


@dataclass(frozen=True, slots=True)
class Arrival:
    """A delivery on its way into the store, and when its keys are due."""

    delivery: Delivery
    body: bytes  # compressed by `compress`
    due: Mapping[Key, float]

    def fields(self) -> tuple[str | int | float | bytes | None, ...]:
        """Return the row, in the order of the table."""
        d = self.delivery
        given = (d.guid, d.event, d.action, d.installation_id, d.repository, d.received_at)
        return (*given, self.body)


def compress(body: bytes) -> bytes:
    """Return a body as the store keeps it: about a tenth of its size."""
    return zlib.compress(body, 1)


def lane_of(key: Key) -> Lane:
    """Return where a key waits for its turn."""
    if isinstance(key, CommentKey | HeadKey):
        return Lane.QUICK
    return Lane.RUNS if isinstance(key, RunsKey) else Lane.REVIEWS


def store(c: sqlite3.Connection, arrivals: Sequence[Arrival]) -> list[Stored]:
    """Keep the deliveries whose GUID is new and mark their keys; say which ones are new.

    A few statements do it for all: each one lets go of the interpreter once, and taking it
    back from a busy event loop costs more than the statement.
    """
    seen = known(c, [arrival.delivery.guid for arrival in arrivals])
    new: list[Arrival] = []
    results = []
    for arrival in arrivals:
        fresh = arrival.delivery.guid not in seen
        seen.add(arrival.delivery.guid)
        results.append(Stored.NEW if fresh else Stored.DUPLICATE)
        if fresh:
            new.append(arrival)
    if new:
        values = ", ".join(["(?, ?, ?, ?, ?, ?, ?)"] * len(new))
        fields = [field for arrival in new for field in arrival.fields()]
        c.execute(f"INSERT INTO delivery VALUES {values}", fields)  # noqa: S608 - marks only
    for arrival in new:
        if arrival.delivery.told is not None and arrival.delivery.repository is not None:
            _tell(c, arrival.delivery.repository, arrival.delivery.told)
    mark(c, {key: at for arrival in reversed(new) for key, at in arrival.due.items()})
    return results


def _tell(c: sqlite3.Connection, repository: str, told: Told) -> None:
    """Keep the newest head that was told, and which one each comment was said after.

    What GitHub dates before that head was said came late, such as a delivery that was lost: then
    nobody knows. A delivery about an older head changes nothing.
    """
    where = (repository, told.number)
    if told.head:
        c.execute(
            "INSERT INTO head VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE"
            " SET sha = excluded.sha, at = excluded.at"
            " WHERE excluded.sha != sha AND excluded.at >= at",
            (*where, told.head, told.at),
        )
    if told.said:
        c.execute(
            "INSERT OR IGNORE INTO said SELECT ?, ?, ?, ?, ?, coalesce("
            "(SELECT sha FROM head WHERE repository = ? AND number = ? AND at <= ?), '')",
            (*where, *told.said, *where, told.at),
        )


def known(c: sqlite3.Connection, guids: Sequence[str]) -> set[str]:
    """Return those of at most 999 GUIDs whose deliveries are kept."""
    marks = ", ".join("?" * len(guids))
    found = c.execute(f"SELECT guid FROM delivery WHERE guid IN ({marks})", guids)  # noqa: S608
    return {guid for (guid,) in found}


def mark(c: sqlite3.Connection, due: Mapping[Key, float], *, anew: bool = True) -> None:
    """Raise the generation of each key; one that waits, waits on for the rest of its burst.

    A burst is over `_LONGEST_BURST` seconds after the first time that one of its marks was due,
    however long it goes on, and when its run begins; what is due later never holds up what is due
    soon. A key that was given up starts `anew`, or else gets the one run.
    """
    if not due:
        return
    values = ", ".join(["(?, ?, ?, 1, ?, ?, ?, ?)"] * len(due))
    fields = [
        field
        for key, at in due.items()
        for field in (*place(key), key.installation_id, at, at, lane_of(key), line(key))
    ]
    first = (
        "iif(held_since >= first_due_at OR given_up_at IS NOT NULL,"
        " excluded.first_due_at, min(first_due_at, excluded.first_due_at))"
    )
    c.execute(
        "INSERT INTO attention"  # noqa: S608
        " (repository, target, installation_id, generation, first_due_at, due_at, lane, line)"
        f" VALUES {values} ON CONFLICT DO UPDATE SET generation = generation + 1,"
        " installation_id = excluded.installation_id,"
        f" first_due_at = {first}, due_at = min({first} + {_LONGEST_BURST}, excluded.due_at),"
        f" {_ANEW if anew else ''} given_up_at = NULL",
        fields,
    )


def take(
    c: sqlite3.Connection, now: float, limit: int, lane: Lane
) -> tuple[list[Job], float | None]:
    """Hold up to `limit` due keys of a lane; return them and when its next free key is due.

    A key in a line waits for those before it, and for the one that runs.
    """
    free = (
        "held_since IS NULL AND given_up_at IS NULL AND lane = ? AND NOT EXISTS"
        " (SELECT 1 FROM attention AS other WHERE other.repository = attention.repository"
        " AND other.line = attention.line AND other.given_up_at IS NULL"
        " AND (other.target < attention.target OR other.held_since IS NOT NULL))"
    )
    found = c.execute(
        "SELECT repository, target, installation_id, generation, attempts, failing_since, gave_up"  # noqa: S608
        f" FROM attention WHERE {free} AND due_at <= ? ORDER BY due_at LIMIT ?",
        (lane, now, limit),
    )
    jobs = [Job(key_at(*row[:3]), *row[3:]) for row in found]
    c.executemany(
        "UPDATE attention SET held_since = ? WHERE repository = ? AND target = ?",
        [(now, *place(job.key)) for job in jobs],
    )
    next_ = f"SELECT min(due_at) FROM attention WHERE {free}"  # noqa: S608 - no value in it
    (next_due,) = c.execute(next_, (lane,)).fetchone()
    return jobs, next_due


def finish(c: sqlite3.Connection, job: Job, due: Mapping[Key, float]) -> None:
    """Clear the key, or free it for one more run if it was marked meanwhile; mark what is `due`."""
    mark(c, due)
    where = place(job.key)
    c.execute(
        "DELETE FROM attention WHERE repository = ? AND target = ? AND generation = ?",
        (*where, job.generation),
    )
    c.execute(
        "UPDATE attention SET held_since = NULL, attempts = 0, failing_since = NULL, error = NULL,"
        " gave_up = NULL WHERE repository = ? AND target = ?",
        where,
    )


def fail(c: sqlite3.Connection, job: Job, now: float, due_at: float, error: str) -> None:
    """Free the key for a run at `due_at`, or when its marks are due if it was marked meanwhile."""
    c.execute(
        "UPDATE attention SET held_since = NULL, attempts = attempts + 1, error = ?,"
        " failing_since = coalesce(failing_since, ?) WHERE repository = ? AND target = ?",
        (error, now, *place(job.key)),
    )
    c.execute(
        "UPDATE attention SET first_due_at = ?, due_at = ?"
        " WHERE repository = ? AND target = ? AND generation = ?",
        (due_at, due_at, *place(job.key), job.generation),
    )


def give_up(c: sqlite3.Connection, job: Job, now: float, error: str) -> None:
    """Let the key rest until its next mark; one that was marked meanwhile starts anew."""
    rests = "iif(generation = ?, {}, {})".format
    c.execute(
        f"UPDATE attention SET held_since = NULL, error = ?, given_up_at = {rests('?', 'NULL')},"  # noqa: S608
        f" attempts = {rests('attempts + 1', '0')},"
        f" failing_since = {rests('failing_since', 'NULL')}, gave_up = {rests('?', 'NULL')}"
        " WHERE repository = ? AND target = ?",
        (error, *(job.generation, now), *(job.generation,) * 3, error, *place(job.key)),
    )


def free_all(c: sqlite3.Connection) -> int:
    """Free every held key, and return how many there were: nobody runs them any more."""
    return c.execute("UPDATE attention SET held_since = NULL WHERE held_since IS NOT NULL").rowcount


def delivered(c: sqlite3.Connection, guid: str) -> tuple[str, bytes] | None:
    """Return the event and the body of a delivery that is kept."""
    found = c.execute("SELECT event, body FROM delivery WHERE guid = ?", (guid,)).fetchone()
    return (found[0], zlib.decompress(found[1])) if found else None


def prune(c: sqlite3.Connection, before: float, limit: int = 500) -> int:
    """Forget what was given up, and the `limit` oldest deliveries, if they are from `before`.

    Returns how many deliveries those were.
    """
    c.execute("DELETE FROM attention WHERE given_up_at < ?", (before,))
    return c.execute(
        "DELETE FROM delivery WHERE received_at < ? AND rowid IN"
        " (SELECT rowid FROM delivery ORDER BY rowid LIMIT ?)",
        (before, limit),
    ).rowcount


def probe(c: sqlite3.Connection) -> None:
    """Read something small, to learn whether the store can be read."""
    c.execute("SELECT until FROM log_read").fetchone()
