"""The jobs of one machine: deliveries and a set of marked keys in one SQLite file."""

from __future__ import annotations

import asyncio
import secrets
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

import structlog

from bot.attention import Key, ShaKey
from bot.delivery import Delivery
from bot.jobs import FailedJob, Resolve, Stored, StoreError, Work, rows
from bot.jobs.sqlite import Database, Step
from bot.log import redact

_log = structlog.get_logger()
_random = secrets.SystemRandom().random
_LONGEST_DELAY = 600.0
_KEPT_SECONDS = 30 * 24 * 3600
_PRUNE_EVERY = 3600.0
_LONGEST_SLEEP = 60.0
_STORE_PAUSE = 1.0
# One commit may be waited for before one's own, and GitHub gives up after 10 seconds.
_STORE_SECONDS = 4.0
_MOST_AT_ONCE = 128  # seven values each: SQLite before 3.32 takes 999
_ERROR_CHARACTERS = 500


class EmbeddedJobs:
    """Implements `Jobs` for one process; a second one on the same file is refused."""

    def __init__(
        self,
        path: Path,
        *,
        clock: Callable[[], float] = time.time,
        jitter: Callable[[], float] = _random,
        settle_seconds: float = 0.5,
        run_seconds: float = 900,
        first_delay: float = 2,
    ) -> None:
        """Open or create the file at `path`. Raises StoreError.

        A marked key waits `settle_seconds` for the rest of its burst. A run that takes longer
        than `run_seconds` fails. The first failure waits about `first_delay` seconds.
        """
        self._clock, self._jitter = clock, jitter
        self._settle, self._run_seconds = settle_seconds, run_seconds
        self._first_delay = first_delay
        self._database = Database(path, rows.MIGRATIONS)
        self._wake = asyncio.Event()
        self._asleep_until = 0.0
        self._alive = False
        self._arrived: list[tuple[rows.Arrival, asyncio.Future[Stored]]] = []
        self._storing: asyncio.Task[None] | None = None

    async def store(self, delivery: Delivery, keys: Sequence[Key]) -> Stored:
        """See `Jobs.store`; what arrives while a commit runs shares the next one."""
        due_at = self._clock() + self._settle
        arrival = rows.Arrival(delivery, rows.compress(delivery.body), keys, due_at)
        stored = asyncio.get_running_loop().create_future()
        self._arrived.append((arrival, stored))
        if self._storing is None:
            self._storing = asyncio.create_task(self._store_arrived())
        return await stored  # type: ignore[no-any-return]

    async def _store_arrived(self) -> None:
        while self._arrived:
            batch, self._arrived = self._arrived[:_MOST_AT_ONCE], self._arrived[_MOST_AT_ONCE:]
            arrivals = [arrival for arrival, _ in batch]
            results: Sequence[Stored | Exception]
            try:
                async with asyncio.timeout(_STORE_SECONDS):
                    results = await self._database.do(partial(rows.store, arrivals=arrivals))
            except TimeoutError:
                error = StoreError(f"The store did not answer in {_STORE_SECONDS:g} seconds.")
                results = [error] * len(batch)
            except Exception as error:  # whoever waits for the delivery gets it
                results = [error] * len(batch)
            for (_, stored), result in zip(batch, results, strict=True):
                if stored.done():
                    continue
                if isinstance(result, Exception):
                    stored.set_exception(result)
                else:
                    stored.set_result(result)
            self._wake_by(min(arrival.due_at for arrival in arrivals))
        self._storing = None

    async def mark(self, key: Key) -> None:
        """See `Jobs.mark`."""
        due_at = self._clock() + self._settle
        await self._database.do(lambda c: rows.mark(c, {key: due_at}))
        self._wake_by(due_at)

    def _wake_by(self, due_at: float) -> None:
        if due_at < self._asleep_until:
            self._wake.set()

    async def run(self, work: Work, resolve: Resolve, concurrency: int) -> None:
        """See `Jobs.run`; what a crash left held is free again before the first run."""
        if self._alive:
            raise RuntimeError("These jobs are running already.")
        self._alive = True
        running: set[asyncio.Task[None]] = set()
        try:
            await self._insist(rows.free_all)
            await self._loop(work, resolve, concurrency, running)
        finally:
            self._alive = False
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
            with suppress(StoreError):
                await self._database.do(rows.free_all)

    async def failed(self) -> list[FailedJob]:
        """See `Jobs.failed`."""
        return await self._database.do(rows.failed)

    async def problems(self) -> list[str]:
        """See `Jobs.problems`."""
        found = [] if self._alive else ["No worker is running: nothing would be reviewed."]
        try:
            await self._database.do(lambda c: rows.probe(c, self._clock()))
        except StoreError as error:
            found.append(str(error))
        return found

    async def close(self) -> None:
        """See `Jobs.close`."""
        await self._database.close()

    async def _loop(
        self, work: Work, resolve: Resolve, concurrency: int, running: set[asyncio.Task[None]]
    ) -> None:
        prune_at = 0.0
        while True:
            self._wake.clear()
            self._asleep_until = inf
            now = self._clock()
            if now >= prune_at:
                prune_at = now + _PRUNE_EVERY
                await self._prune(now - _KEPT_SECONDS)
            free = concurrency - len(running)
            jobs, next_due = await self._take(now, free) if free else ([], None)
            for job in jobs:
                task = asyncio.create_task(self._run_one(job, work, resolve))
                running.add(task)
                task.add_done_callback(running.discard)
                task.add_done_callback(self._ended)
            full = len(running) == concurrency
            await self._sleep(None if full else next_due, wake_for_marks=not full)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._wake.set()
        if not task.cancelled() and (error := task.exception()):
            # Not the work's error but ours; the key stays held until the next start.
            _log.error("job_broken", exc_info=error)

    async def _sleep(self, due_at: float | None, *, wake_for_marks: bool) -> None:
        now = self._clock()
        until = min(now + _LONGEST_SLEEP, due_at or inf)
        self._asleep_until = until if wake_for_marks else 0.0
        with suppress(TimeoutError):
            # Not wait_for, which can lose a cancellation before Python 3.12.
            async with asyncio.timeout(max(0.0, until - now)):
                await self._wake.wait()

    async def _take(self, now: float, free: int) -> tuple[list[rows.Job], float | None]:
        return await self._insist(lambda c: rows.take(c, now, free))  # type: ignore[no-any-return]

    async def _prune(self, before: float) -> None:
        while await self._insist(lambda c: rows.prune(c, before)):
            pass

    async def _insist(self, step: Step) -> Any:
        """Do what must not be skipped, as often as it takes."""
        while True:
            try:
                return await self._database.do(step)
            except StoreError as error:
                _log.error("store_failed", error=str(error))
                await asyncio.sleep(_STORE_PAUSE)

    async def _run_one(self, job: rows.Job, work: Work, resolve: Resolve) -> None:
        found: Sequence[Key] = ()
        limit = asyncio.timeout(self._run_seconds)
        try:
            async with limit:
                if isinstance(job.key, ShaKey):
                    found = await resolve(job.key)
                else:
                    await work(job.key)
        except (Exception, asyncio.CancelledError) as error:
            task = asyncio.current_task()
            if isinstance(error, asyncio.CancelledError) and task and task.cancelling():
                raise
            late = f"The run took longer than {self._run_seconds:g} seconds."
            await self._record(job, error, late if limit.expired() else _one_line(error))
        else:
            await self._insist(lambda c: rows.finish(c, job, self._clock(), found))

    async def _record(self, job: rows.Job, error: BaseException, text: str) -> None:
        now = self._clock()
        delay = min(self._first_delay * 2.0 ** min(job.attempts, 30), _LONGEST_DELAY)
        delay *= 0.5 + self._jitter()
        delay = max(delay, float(getattr(error, "retry_after", 0.0)))
        _log.warning(
            "job_failed",
            key="".join(rows.place(job.key)),
            attempts=job.attempts + 1,
            again_in_seconds=round(delay, 1),
            error=text,
            at=_origin(error),
        )
        await self._insist(lambda c: rows.fail(c, job, now, now + delay, text))


def _one_line(error: BaseException) -> str:
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return redact(text)[:_ERROR_CHARACTERS]


def _origin(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
