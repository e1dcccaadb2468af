"""The statements of the embedded store; each runs inside a transaction that its caller owns."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.delivery import Delivery
from bot.jobs import Stored
from bot.keys import CommentKey, FixKey, Key, PullRequestKey, RunKey, ShaKey
from bot.payloads import Told

_LONGEST_BURST = 2.0

# Each string brings a store from the version of its place to the next one.
MIGRATIONS = (
    """
    CREATE TABLE delivery (
        guid TEXT NOT NULL UNIQUE,
        event TEXT NOT NULL,
        action TEXT,
        installation_id INTEGER,
        repository TEXT,
        received_at REAL NOT NULL,
        body BLOB NOT NULL  -- zlib
    );
    CREATE TABLE attention (
        repository TEXT NOT NULL,
        target TEXT NOT NULL,  -- see `place`
        installation_id INTEGER NOT NULL,  -- of the newest mark: an App can be installed again
        generation INTEGER NOT NULL,  -- raised by each mark
        first_due_at REAL NOT NULL,  -- of the first of a burst of marks
        due_at REAL NOT NULL,
        held_since REAL,
        attempts INTEGER NOT NULL DEFAULT 0,
        error TEXT,
        PRIMARY KEY (repository, target)
    ) WITHOUT ROWID;
    CREATE TABLE probe (at REAL NOT NULL);
    INSERT INTO probe VALUES (0);
    """,
    """
    ALTER TABLE attention ADD COLUMN quick INTEGER NOT NULL DEFAULT 0;  -- see `is_quick`
    """,
    # Read and written by bot/ledger.py.
    """
    CREATE TABLE command (
        place TEXT NOT NULL,
        comment_id INTEGER NOT NULL,
        version TEXT NOT NULL,
        position INTEGER NOT NULL,
        words TEXT NOT NULL,
        repository TEXT NOT NULL,
        number INTEGER NOT NULL,
        login TEXT NOT NULL,
        guid TEXT NOT NULL,  -- of the first delivery that told of it
        started_at REAL NOT NULL,
        outcome TEXT,  -- JSON; NULL while it runs
        PRIMARY KEY (place, comment_id, version, position, words)
    ) WITHOUT ROWID;
    CREATE TABLE decision (
        repository TEXT NOT NULL,
        number INTEGER NOT NULL,
        kind TEXT NOT NULL,
        subject TEXT NOT NULL,
        content TEXT,  -- JSON; NULL once it is undone
        made_at REAL NOT NULL,
        PRIMARY KEY (repository, number, kind, subject)
    ) WITHOUT ROWID;
    """,
    # Written in the order of deliveries, see `_tell`, and read by bot/ledger.py.
    """
    CREATE TABLE head (
        repository TEXT NOT NULL,
        number INTEGER NOT NULL,
        sha TEXT NOT NULL,
        at TEXT NOT NULL,  -- when GitHub says that it was the head
        PRIMARY KEY (repository, number)
    ) WITHOUT ROWID;
    CREATE TABLE said (
        repository TEXT NOT NULL,
        number INTEGER NOT NULL,
        place TEXT NOT NULL,
        comment_id INTEGER NOT NULL,
        version TEXT NOT NULL,
        head TEXT NOT NULL,  -- that had been told before; '' when nobody knows
        PRIMARY KEY (repository, number, place, comment_id, version)
    ) WITHOUT ROWID;
    """,
)


@dataclass(frozen=True, slots=True)
class Job:
    """A key that this process holds, at the generation it was taken with."""

    key: Key
    generation: int
    attempts: int


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


def place(key: Key) -> tuple[str, str]:
    """Return what tells keys apart: the repository, and the rest of the key as words.

    That is "#12" for a pull request, the SHA for a head, "run 34 SHA" for a workflow run,
    "fix 12 SHA LOGIN" for a fix, "comment 12 GUID" for a comment.
    """
    if isinstance(key, PullRequestKey):
        return key.repository, f"#{key.number}"
    if isinstance(key, FixKey):
        return key.repository, f"fix {key.number} {key.sha} {key.login}"
    if isinstance(key, RunKey):
        return key.repository, f"run {key.run} {key.sha}"
    if isinstance(key, CommentKey):
        return key.repository, f"comment {key.number} {key.guid}"
    return key.repository, key.sha


def is_quick(key: Key) -> bool:
    """Tell whether somebody watches while this runs, so that it must not wait behind reviews."""
    return isinstance(key, CommentKey)


def store(c: sqlite3.Connection, arrivals: Sequence[Arrival]) -> list[Stored]:
    """Keep the deliveries whose GUID is new and mark their keys; say which ones are new.

    A few statements do it for all: each one lets go of the interpreter once, and taking it
    back from a busy event loop costs more than the statement.
    """
    seen = _known(c, [arrival.delivery.guid for arrival in arrivals])
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


def _known(c: sqlite3.Connection, guids: Sequence[str]) -> set[str]:
    marks = ", ".join("?" * len(guids))
    found = c.execute(f"SELECT guid FROM delivery WHERE guid IN ({marks})", guids)  # noqa: S608
    return {guid for (guid,) in found}


def mark(c: sqlite3.Connection, due: Mapping[Key, float]) -> None:
    """Raise the generation of each key; one that waits, waits on for the rest of its burst.

    A burst is over `_LONGEST_BURST` seconds after the first time that one of its marks was due,
    however long it goes on, and when its run begins; what is due later never holds up what is due
    soon.
    """
    if not due:
        return
    values = ", ".join(["(?, ?, ?, 1, ?, ?, ?)"] * len(due))
    fields = [
        field
        for key, at in due.items()
        for field in (*place(key), key.installation_id, at, at, is_quick(key))
    ]
    first = (
        "iif(held_since >= first_due_at,"
        " excluded.first_due_at, min(first_due_at, excluded.first_due_at))"
    )
    c.execute(
        "INSERT INTO attention"  # noqa: S608
        " (repository, target, installation_id, generation, first_due_at, due_at, quick)"
        f" VALUES {values} ON CONFLICT DO UPDATE SET generation = generation + 1,"
        " installation_id = excluded.installation_id,"
        f" first_due_at = {first}, due_at = min({first} + {_LONGEST_BURST}, excluded.due_at)",
        fields,
    )


def take(
    c: sqlite3.Connection, now: float, limit: int, *, quick: bool
) -> tuple[list[Job], float | None]:
    """Hold up to `limit` due keys of a lane; return them and when its next free key is due."""
    jobs = [
        Job(_key(repository, target, installation), generation, attempts)
        for repository, target, installation, generation, attempts in c.execute(
            "SELECT repository, target, installation_id, generation, attempts FROM attention"
            " WHERE held_since IS NULL AND quick = ? AND due_at <= ? ORDER BY due_at LIMIT ?",
            (quick, now, limit),
        )
    ]
    c.executemany(
        "UPDATE attention SET held_since = ? WHERE repository = ? AND target = ?",
        [(now, *place(job.key)) for job in jobs],
    )
    (next_due,) = c.execute(
        "SELECT min(due_at) FROM attention WHERE held_since IS NULL AND quick = ?", (quick,)
    ).fetchone()
    return jobs, next_due


def finish(c: sqlite3.Connection, job: Job, now: float, found: Sequence[Key] = ()) -> None:
    """Clear the key, or free it for one more run if it was marked meanwhile; mark `found`."""
    mark(c, dict.fromkeys(found, now))
    where = place(job.key)
    c.execute(
        "DELETE FROM attention WHERE repository = ? AND target = ? AND generation = ?",
        (*where, job.generation),
    )
    c.execute(
        "UPDATE attention SET held_since = NULL, attempts = 0, error = NULL"
        " WHERE repository = ? AND target = ?",
        where,
    )


def fail(c: sqlite3.Connection, job: Job, due_at: float, error: str) -> None:
    """Free the key for a run at `due_at`, or when its marks are due if it was marked meanwhile."""
    c.execute(
        "UPDATE attention SET held_since = NULL, attempts = attempts + 1, error = ?"
        " WHERE repository = ? AND target = ?",
        (error, *place(job.key)),
    )
    c.execute(
        "UPDATE attention SET first_due_at = ?, due_at = ?"
        " WHERE repository = ? AND target = ? AND generation = ?",
        (due_at, due_at, *place(job.key), job.generation),
    )


def free_all(c: sqlite3.Connection) -> int:
    """Free every held key, and return how many there were: nobody runs them any more."""
    return c.execute("UPDATE attention SET held_since = NULL WHERE held_since IS NOT NULL").rowcount


def delivered(c: sqlite3.Connection, guid: str) -> tuple[str, bytes] | None:
    """Return the event and the body of a delivery that is kept."""
    found = c.execute("SELECT event, body FROM delivery WHERE guid = ?", (guid,)).fetchone()
    return (found[0], zlib.decompress(found[1])) if found else None


def prune(c: sqlite3.Connection, before: float, limit: int = 500) -> int:
    """Forget those of the `limit` oldest deliveries received before `before`; return how many."""
    return c.execute(
        "DELETE FROM delivery WHERE received_at < ? AND rowid IN"
        " (SELECT rowid FROM delivery ORDER BY rowid LIMIT ?)",
        (before, limit),
    ).rowcount


def probe(c: sqlite3.Connection, now: float) -> None:
    """Write something small, to learn whether the store can be written."""
    c.execute("UPDATE probe SET at = ?", (now,))


def _key(repository: str, target: str, installation_id: int) -> Key:
    if target.startswith("#"):
        return PullRequestKey(installation_id, repository, int(target[1:]))
    if target.startswith("run "):
        _, run, sha = target.split(" ")
        return RunKey(installation_id, repository, int(run), sha)
    if target.startswith("fix "):
        _, number, sha, login = target.split(" ")
        return FixKey(installation_id, repository, int(number), sha, login)
    if target.startswith("comment "):
        _, number, guid = target.split(" ")
        return CommentKey(installation_id, repository, int(number), guid)
    return ShaKey(installation_id, repository, target)
