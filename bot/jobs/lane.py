"""Jobs that share places: one lane for each kind of work that must not wait for another."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

import structlog

from bot.jobs import GiveUp, Resolve, Work, rows
from bot.jobs.places import place
from bot.jobs.sqlite import Step
from bot.keys import Key, Lead
from bot.log import redact

_log = structlog.get_logger()
_LONGEST_DELAY = 600.0
_LONGEST_SLEEP = 60.0
_ERROR_CHARACTERS = 500
# What one key leads to by the hundreds lets in between what somebody waits for.
_SECONDS_APART = 1.0


@dataclass(frozen=True, slots=True)
class Timing:
    """The clock of all jobs in seconds since 1970, a number from 0 to 1, and their limits."""

    clock: Callable[[], float]
    jitter: Callable[[], float]
    run_seconds: float
    first_delay: float


@dataclass(frozen=True, slots=True)
class Patience:
    """How often a key may fail, or for how many seconds if the trouble passes by itself."""

    attempts: int
    seconds: float

    def is_over(self, error: BaseException, attempts: int, seconds: float) -> bool:
        """Tell whether to give up after so many failures in so many seconds."""
        return seconds >= self.seconds if _passes(error) else attempts >= self.attempts


@dataclass(frozen=True, slots=True)
class Doing:
    """What is done for a key."""

    work: Work
    resolve: Resolve
    give_up: GiveUp


@dataclass(slots=True)
class Lane:
    """Runs the keys of one lane.

    `insist` does a step of the store, however long it takes; `marked` is told of keys that are
    due, which may be another lane's.
    """

    which: rows.Lane
    insist: Callable[[Step], Awaitable[Any]]
    marked: Callable[[Mapping[Key, float]], None]
    timing: Timing
    patience: Patience
    _wake: asyncio.Event = field(default_factory=asyncio.Event)
    _asleep_until: float = 0.0

    def wake_by(self, due_at: float) -> None:
        """Look again no later than `due_at`."""
        if due_at < self._asleep_until:
            self._wake.set()

    async def run(self, doing: Doing, places: int) -> None:
        """Run what is due, `places` at once, until cancelled; what runs then is cancelled too."""
        running: set[asyncio.Task[None]] = set()
        try:
            await self._loop(doing, places, running)
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    async def _loop(self, doing: Doing, places: int, running: set[asyncio.Task[None]]) -> None:
        while True:
            self._wake.clear()
            self._asleep_until = inf
            free = places - len(running)
            jobs, next_due = await self._take(free) if free else ([], None)
            for job in jobs:
                task = asyncio.create_task(self._run_one(job, doing))
                running.add(task)
                task.add_done_callback(running.discard)
                task.add_done_callback(self._ended)
            full = len(running) == places
            await self._sleep(None if full else next_due, wake_for_marks=not full)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._wake.set()
        if not task.cancelled() and (error := task.exception()):
            # Not the work's error but ours; the key stays held until the next start.
            _log.error("job_broken", exc_info=error)

    async def _sleep(self, due_at: float | None, *, wake_for_marks: bool) -> None:
        now = self.timing.clock()
        until = min(now + _LONGEST_SLEEP, due_at or inf)
        self._asleep_until = until if wake_for_marks else 0.0
        with suppress(TimeoutError):
            # Not wait_for, which can lose a cancellation before Python 3.12.
            async with asyncio.timeout(max(0.0, until - now)):
                await self._wake.wait()

    async def _take(self, free: int) -> tuple[list[rows.Job], float | None]:
        step = partial(rows.take, now=self.timing.clock(), limit=free, lane=self.which)
        return await self.insist(step)  # type: ignore[no-any-return]

    async def _run_one(self, job: rows.Job, doing: Doing) -> None:
        found: Sequence[Key] = ()
        limit = asyncio.timeout(self.timing.run_seconds)
        try:
            async with limit:
                if isinstance(job.key, Lead):
                    found = await doing.resolve(job.key)
                else:
                    await doing.work(job.key)
        except (Exception, asyncio.CancelledError) as error:
            task = asyncio.current_task()
            if isinstance(error, asyncio.CancelledError) and task and task.cancelling():
                raise
            late = f"The run took longer than {self.timing.run_seconds:g} seconds."
            words = late if limit.expired() else _one_line(error)
            await self._record(job, error, words, doing.give_up)
        else:
            now = self.timing.clock()
            due = {each: now + at * _SECONDS_APART for at, each in enumerate(found)}
            await self.insist(lambda c: rows.finish(c, job, due))
            self.marked(due)

    async def _record(
        self, job: rows.Job, error: BaseException, words: str, give_up: GiveUp
    ) -> None:
        now, key, attempts = self.timing.clock(), "".join(place(job.key)), job.attempts + 1
        if job.gave_up == words:  # which is known, and was said
            await self.insist(lambda c: rows.give_up(c, job, now, words))
            return
        seconds = now - (job.failing_since or now)
        if self.patience.is_over(error, attempts, seconds) and (
            await self._said(job.key, error, give_up, in_vain=seconds >= self.patience.seconds)
        ):
            _log.error("job_given_up", key=key, attempts=attempts, error=words, at=_origin(error))
            await self.insist(lambda c: rows.give_up(c, job, now, words))
            return
        delay = min(self.timing.first_delay * 2.0 ** min(job.attempts, 30), _LONGEST_DELAY)
        delay *= 0.5 + self.timing.jitter()
        delay = max(delay, float(getattr(error, "retry_after", 0.0)))
        again = round(delay, 1)
        _log.warning(
            "job_failed",
            key=key,
            attempts=attempts,
            again_in_seconds=again,
            error=words,
            at=_origin(error),
        )
        await self.insist(lambda c: rows.fail(c, job, now, self.timing.clock() + delay, words))

    async def _said(
        self, key: Key, error: BaseException, give_up: GiveUp, *, in_vain: bool
    ) -> bool:
        """Say that nothing more is tried; False when that has to wait.

        ``in_vain`` is whether it has been tried for so long that silence will do.
        """
        try:
            async with asyncio.timeout(self.timing.run_seconds):
                await give_up(key, error)
        except Exception as trouble:
            _log.warning("not_said", key="".join(place(key)), reason=_one_line(trouble))
            return in_vain and not _passes(trouble)
        return True


def _passes(error: BaseException) -> bool:
    if isinstance(error, BaseExceptionGroup):
        return all(map(_passes, error.exceptions))
    return bool(getattr(error, "passing", False))


def _one_line(error: BaseException) -> str:
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return redact(text)[:_ERROR_CHARACTERS]


def _origin(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
