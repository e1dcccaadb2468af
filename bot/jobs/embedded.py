"""The jobs of one machine: deliveries and a set of marked keys in one SQLite file."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import structlog

from bot.delivery import Delivery
from bot.jobs import GiveUp, Resolve, Stored, StoreError, Work, rows, say_nothing
from bot.jobs.lane import Doing, Lane, Patience, Timing
from bot.jobs.rows import Lane as Place
from bot.jobs.schema import MIGRATIONS
from bot.jobs.sqlite import Database, Step
from bot.keys import Key, RunKey

_log = structlog.get_logger()
_random = secrets.SystemRandom().random
_KEPT_SECONDS = 30 * 24 * 3600
_PRUNE_EVERY = 3600.0
_STORE_PAUSE = 1.0
# One commit may be waited for before one's own, and GitHub gives up after 10 seconds.
_STORE_SECONDS = 4.0
_MOST_AT_ONCE = 128  # seven values each: SQLite before 3.32 takes 999
_AT_ONCE = {Place.QUICK: 8, Place.RUNS: 4}
# Who gave a command waits for it, and should not be surprised by it hours later.
_QUICK, _SLOW = Patience(5, 3600), Patience(10, 24 * 3600)


class EmbeddedJobs:
    """Implements `Jobs` for one process; a second one on the same file is refused."""

    def __init__(
        self,
        path: Path,
        *,
        clock: Callable[[], float] = time.time,
        jitter: Callable[[], float] = _random,
        settle_seconds: float = 0.5,
        lazy_seconds: float = 10,
        run_seconds: float = 900,
        first_delay: float = 2,
    ) -> None:
        """Open or create the file at `path`. Raises StoreError.

        A marked key waits `settle_seconds` for the rest of its burst, and `lazy_seconds` for news
        that come by the hundreds (see `RunKey`). A run that takes longer
        than `run_seconds` fails. The first failure waits about `first_delay` seconds.
        """
        self._clock, self._settle, self._lazy = clock, settle_seconds, lazy_seconds
        self.database = Database(path, MIGRATIONS)
        timing = Timing(clock, jitter, run_seconds, first_delay)
        self._lanes = {place: self._lane(place, timing) for place in Place}
        self._alive = False
        self._arrived: list[tuple[rows.Arrival, asyncio.Future[Stored]]] = []
        self._storing: asyncio.Task[None] | None = None

    def _lane(self, place: Place, timing: Timing) -> Lane:
        patience = _QUICK if place is Place.QUICK else _SLOW
        return Lane(place, self._insist, self._wake, timing, patience)

    async def store(self, delivery: Delivery, keys: Sequence[Key]) -> Stored:
        """See `Jobs.store`; what arrives while a commit runs shares the next one."""
        due = {key: self._due(key) for key in keys}
        arrival = rows.Arrival(delivery, rows.compress(delivery.body), due)
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
                    results = await self.database.do(partial(rows.store, arrivals=arrivals))
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
            for arrival in arrivals:
                self._wake(arrival.due)
        self._storing = None

    async def mark(self, key: Key, *, at_once: bool = False) -> None:
        """See `Jobs.mark`."""
        due = {key: self._clock() if at_once else self._due(key)}
        await self.database.do(lambda c: rows.mark(c, due))
        self._wake(due)

    async def look_again(self, key: Key) -> None:
        """See `Jobs.look_again`."""
        due = {key: self._due(key)}
        await self.database.do(lambda c: rows.mark(c, due, anew=False))
        self._wake(due)

    def _due(self, key: Key) -> float:
        if rows.lane_of(key) is Place.QUICK:
            return self._clock()
        lazy = isinstance(key, RunKey) and not key.soon
        return self._clock() + (self._lazy if lazy else self._settle)

    def _wake(self, due: Mapping[Key, float]) -> None:
        for key, at in due.items():
            self._lanes[rows.lane_of(key)].wake_by(at)

    async def run(
        self,
        work: Work,
        resolve: Resolve,
        concurrency: int,
        give_up: GiveUp = say_nothing,
    ) -> None:
        """See `Jobs.run`; what a crash left held is free again before the first run."""
        if self._alive:
            raise RuntimeError("These jobs are running already.")
        self._alive = True
        try:
            await self._insist(rows.free_all)
            async with asyncio.TaskGroup() as group:
                doing = Doing(work, resolve, give_up)
                for place, lane in self._lanes.items():
                    group.create_task(lane.run(doing, _AT_ONCE.get(place, concurrency)))
                group.create_task(self._keep_pruning())
        finally:
            self._alive = False
            with suppress(StoreError):
                await self.database.do(rows.free_all)

    async def delivered(self, guid: str) -> tuple[str, bytes] | None:
        """See `Jobs.delivered`."""
        return await self.database.do(lambda c: rows.delivered(c, guid))

    async def known(self, guids: Sequence[str]) -> set[str]:
        """See `Jobs.known`."""
        parts = [guids[at : at + 500] for at in range(0, len(guids), 500)]
        found = [await self.database.do(partial(rows.known, guids=part)) for part in parts]
        return set().union(*found)

    async def log_read_until(self) -> float | None:
        """See `Jobs.log_read_until`."""
        asked = "SELECT until FROM log_read"
        found = await self.database.do(lambda c: c.execute(asked).fetchone())
        return found[0] if found else None

    async def log_was_read_until(self, at: float) -> None:
        """See `Jobs.log_was_read_until`."""
        kept = "INSERT OR REPLACE INTO log_read VALUES (1, ?)"
        await self.database.do(lambda c: c.execute(kept, (at,)))

    async def problems(self) -> list[str]:
        """See `Jobs.problems`."""
        found = [] if self._alive else ["No worker is running: nothing would be reviewed."]
        try:
            async with asyncio.timeout(_STORE_SECONDS):
                await self.database.do(rows.probe)
        except TimeoutError:
            found.append(f"The store did not answer in {_STORE_SECONDS:g} seconds.")
        except StoreError as error:
            found.append(str(error))
        trouble = self.database.trouble
        return found if trouble is None or trouble in found else [*found, trouble]

    async def close(self) -> None:
        """See `Jobs.close`."""
        await self.database.close()

    async def _keep_pruning(self) -> None:
        while True:
            before = self._clock() - _KEPT_SECONDS
            while await self._insist(lambda c: rows.prune(c, before)):  # noqa: B023 - awaited here
                pass
            await asyncio.sleep(_PRUNE_EVERY)

    async def _insist(self, step: Step) -> Any:
        """Do what must not be skipped, as often as it takes."""
        while True:
            try:
                return await self.database.do(step)
            except StoreError as error:
                _log.error("store_failed", error=str(error))
                await asyncio.sleep(_STORE_PAUSE)
