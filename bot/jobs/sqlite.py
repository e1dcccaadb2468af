"""One SQLite file behind one thread, which commits all waiting writes together."""

from __future__ import annotations

import asyncio
import fcntl
import sqlite3
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import IO, Any, TypeVar

from bot.jobs import StoreError

T = TypeVar("T")
Step = Callable[[sqlite3.Connection], Any]
_Item = tuple[Step, "Future[Any]"]

_MOST_AT_ONCE = 256


class Database:
    """A SQLite file that only this process writes, through `do`."""

    def __init__(self, path: Path, migrations: Sequence[str]) -> None:
        """Open or create the file at `path`; raises StoreError.

        Each of `migrations` brings it from the version of its place to the next one.
        """
        self._path = path
        self._migrations = migrations
        self._queue: SimpleQueue[_Item | None] = SimpleQueue()
        self._closed = False
        self._trouble: str | None = None
        self._lock = _lock(path)
        opened: Future[None] = Future()
        self._thread = threading.Thread(
            target=self._run, args=(opened,), name="referee-store", daemon=True
        )
        self._thread.start()
        try:
            opened.result()
        except (OSError, sqlite3.Error) as error:
            self._lock.close()
            msg = f"The store {path} cannot be opened: {error}; move it away to start afresh."
            raise StoreError(msg) from error

    async def do(self, step: Callable[[sqlite3.Connection], T]) -> T:
        """Run `step` on the store's thread and return its result once it is durable.

        Steps that wait together are committed together. Raises StoreError.
        """
        if self._closed:
            raise StoreError("The store is closed.")
        done: Future[T] = Future()
        self._queue.put((step, done))
        try:
            return await asyncio.wrap_future(done)
        except sqlite3.Error as error:
            raise StoreError(f"The store cannot be written: {error}.") from error

    @property
    def trouble(self) -> str | None:
        """Return why nothing can be written, in one sentence; None if the newest step could."""
        return "The store is closed." if self._closed else self._trouble

    async def close(self) -> None:
        """Finish the waiting steps and close the file."""
        if self._closed:
            return
        self._closed = True
        self._queue.put(None)
        await asyncio.to_thread(self._thread.join)
        self._lock.close()

    def _run(self, opened: Future[None]) -> None:
        try:
            connection = _open(self._path, self._migrations)
        except Exception as error:  # whoever opens the store gets it
            opened.set_exception(error)
            return
        opened.set_result(None)
        while batch := self._batch():
            before = connection.total_changes
            trouble = _commit_or_each(connection, batch)
            if trouble or connection.total_changes != before:  # what only reads tells nothing
                self._trouble = trouble
        with suppress(sqlite3.Error):
            connection.close()

    def _batch(self) -> list[_Item]:
        batch: list[_Item] = []
        item = self._queue.get()
        while item is not None:
            batch.append(item)
            if len(batch) == _MOST_AT_ONCE or self._queue.empty():
                return batch
            item = self._queue.get()
        if batch:
            self._queue.put(None)
        return batch


def _lock(path: Path) -> IO[bytes]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.with_name(f"{path.name}.lock").open("wb")
    except OSError as error:
        msg = f"The store {path} cannot be created: {error.strerror}; check REFEREE_DATA_DIR."
        raise StoreError(msg) from error
    try:
        # Unlike flock, this kind is not inherited by worker processes that outlive a crash.
        fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        msg = f"The store {path} is in use by another Referee: give each its own data folder."
        raise StoreError(msg) from None
    return lock


def _open(path: Path, migrations: Sequence[str]) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, timeout=5)
    connection.execute("PRAGMA journal_mode=WAL").fetchone()
    connection.execute("PRAGMA synchronous=FULL")
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > len(migrations):
        msg = f"it has version {version}, made by a newer Referee than this one"
        raise sqlite3.DatabaseError(msg)
    for number, script in enumerate(migrations[version:], version + 1):
        connection.executescript(f"BEGIN; {script} PRAGMA user_version={number}; COMMIT;")
    return connection


def _commit_or_each(connection: sqlite3.Connection, batch: list[_Item]) -> str | None:
    """Commit the batch; when a step fails, each on its own, so that it fails alone.

    Returns why the newest step failed in SQLite, in one sentence, if it did.
    """
    try:
        results = _commit(connection, [step for step, _ in batch])
    except Exception as error:  # whoever waits for the step gets it
        if len(batch) == 1:
            _resolve(batch[0][1], error=error)
            failed = isinstance(error, sqlite3.Error)
            return f"The store cannot be written: {error}." if failed else None
        return [_commit_or_each(connection, [item]) for item in batch][-1]
    for (_, done), result in zip(batch, results, strict=True):
        _resolve(done, result)
    return None


def _commit(connection: sqlite3.Connection, steps: list[Step]) -> list[Any]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        results = [step(connection) for step in steps]
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return results


def _resolve(done: Future[Any], result: Any = None, error: Exception | None = None) -> None:
    if not done.set_running_or_notify_cancel():
        return
    if error is None:
        done.set_result(result)
    else:
        done.set_exception(error)
