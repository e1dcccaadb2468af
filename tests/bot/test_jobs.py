from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from bot.delivery import Delivery
from bot.jobs import Jobs, Stored, StoreError, rows
from bot.jobs import embedded as embedded_module
from bot.jobs.embedded import EmbeddedJobs
from bot.jobs.listing import listed
from bot.jobs.schema import MIGRATIONS
from bot.jobs.sqlite import Database
from bot.keys import CommentKey, Key, PullRequestKey, RunKey, RunsKey, ShaKey

from .conftest import running, until

ONE, TWO = PullRequestKey(1, "octo/bench", 1), PullRequestKey(1, "octo/bench", 2)
COMMENT = CommentKey(1, "octo/bench", 1, "g1")


class DownError(Exception):
    passing = True


def delivery(guid: str = "g1", received_at: float = 4e9, body: bytes = b"{}") -> Delivery:
    return Delivery(guid, "pull_request", "opened", 1, "octo/bench", received_at, body)


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Work:
    """Records what ran, and how many at once for each key."""

    def __init__(self) -> None:
        self.ran: list[Key] = []
        self.at_once: dict[Key, int] = {}
        self.most = 0
        self.gate = asyncio.Event()
        self.gate.set()
        self.fails: dict[Key, Exception] = {}

    async def __call__(self, key: PullRequestKey) -> None:
        self.at_once[key] = self.at_once.get(key, 0) + 1
        self.most = max(self.most, self.at_once[key])
        self.ran.append(key)
        await self.gate.wait()
        self.at_once[key] -= 1
        if key in self.fails:
            raise self.fails[key]


def opened(tmp_path: Path, **more: Any) -> EmbeddedJobs:
    return EmbeddedJobs(tmp_path / "referee.db", jitter=lambda: 0.5, **more)


class Failed(NamedTuple):
    target: str
    attempts: int
    error: str
    due_at: float


async def failed(jobs: EmbeddedJobs) -> list[Failed]:
    asked = "SELECT target, attempts, error, due_at FROM attention WHERE attempts > 0"
    return [Failed(*row) for row in await jobs.database.do(lambda c: c.execute(asked).fetchall())]


async def failures(jobs: EmbeddedJobs, enough: Callable[[list[Failed]], Any]) -> list[Failed]:
    async with asyncio.timeout(5):
        while not enough(found := await failed(jobs)):  # noqa: ASYNC110
            await asyncio.sleep(0.001)
    return found


def as_protocol(jobs: EmbeddedJobs) -> Jobs:
    return jobs


async def test_a_delivery_and_its_marks_are_kept_together(jobs: EmbeddedJobs) -> None:
    body = b'{"a": 1}' * 3000
    assert await as_protocol(jobs).store(delivery(body=body), [ONE, TWO]) is Stored.NEW
    assert await jobs.store(delivery(), [PullRequestKey(1, "o/r", 9)]) is Stored.DUPLICATE
    database = sqlite3.connect(jobs.database._path)
    ((size,),) = database.execute("SELECT length(body) FROM delivery").fetchall()
    assert size < len(body) / 50
    assert database.execute("SELECT target FROM attention").fetchall() == [("#1",), ("#2",)]
    database.close()


async def test_a_burst_is_one_run(jobs: EmbeddedJobs) -> None:
    work = Work()
    for number in range(10):
        await jobs.store(delivery(f"g{number}"), [ONE])
    async with running(jobs, work):
        await until(lambda: work.ran)
        await asyncio.sleep(0.03)
    assert work.ran == [ONE]


async def test_a_burst_while_running_settles_into_one_run(tmp_path: Path) -> None:
    jobs, work = opened(tmp_path, settle_seconds=0.4), Work()
    async with running(jobs, work):
        for number in range(10):
            await jobs.store(delivery(f"g{number}"), [ONE])
        await until(lambda: work.ran)
        await asyncio.sleep(0.08)
    await jobs.close()
    assert work.ran == [ONE]


async def test_what_somebody_waits_for_waits_for_no_burst(tmp_path: Path) -> None:
    clock = Clock()
    jobs = opened(tmp_path, clock=clock, settle_seconds=0.5)
    await jobs.store(delivery(), [ONE])
    assert await due_in(jobs, clock) == 0.5
    await jobs.mark(ONE, at_once=True)
    assert await due_in(jobs, clock) == 0
    await jobs.close()


async def due_in(jobs: EmbeddedJobs, clock: Clock) -> float:
    """Return in how many seconds the one key that waits is due."""
    ((due_at,),) = await jobs.database.do(
        lambda c: c.execute("SELECT due_at FROM attention").fetchall()
    )
    return float(due_at - clock.now)


async def test_news_of_jobs_wait_and_hold_up_nothing(tmp_path: Path) -> None:
    clock = Clock()
    jobs = opened(tmp_path, clock=clock, settle_seconds=0.5, lazy_seconds=10)
    soon = RunKey(1, "octo/bench", 34, "ab" * 20)
    lazy = replace(soon, soon=False)
    for number in range(300):
        await jobs.store(delivery(f"g{number}"), [lazy])
    assert await due_in(jobs, clock) == 10
    clock.now += 9
    await jobs.mark(lazy)
    assert await due_in(jobs, clock) == 3, "a burst goes on for two seconds at most"
    await jobs.mark(soon)
    assert await due_in(jobs, clock) == 0.5
    await jobs.mark(lazy)
    assert await due_in(jobs, clock) == 2.5
    await jobs.close()


async def test_news_of_jobs_wait_too_while_their_run_is_looked_at(tmp_path: Path) -> None:
    clock, gate = Clock(), asyncio.Event()
    jobs = opened(tmp_path, clock=clock, settle_seconds=0.5, lazy_seconds=10)
    lazy = RunKey(1, "octo/bench", 34, "ab" * 20, soon=False)
    looked: list[Key] = []

    async def resolve(key: Key) -> Sequence[PullRequestKey]:
        looked.append(key)
        await gate.wait()
        return []

    async def held() -> bool:
        asked = "SELECT count(held_since) FROM attention"
        ((count,),) = await jobs.database.do(lambda c: c.execute(asked).fetchall())
        return bool(count)

    await jobs.mark(lazy)
    clock.now += 10
    async with running(jobs, Work(), resolve):
        await until(lambda: looked)
        clock.now += 1
        await jobs.mark(lazy)
        gate.set()
        while await held():  # noqa: ASYNC110
            await asyncio.sleep(0.001)
        assert await due_in(jobs, clock) == 10
    assert looked == [lazy]
    await jobs.close()


async def test_a_burst_after_a_failure_settles_into_one_run(tmp_path: Path) -> None:
    clock = Clock()
    jobs, work = opened(tmp_path, clock=clock, settle_seconds=0.5, first_delay=60), Work()
    work.fails[ONE] = RuntimeError("once")
    async with running(jobs, work):
        await jobs.mark(ONE)
        clock.now += 1
        jobs._lanes[rows.Lane.REVIEWS]._wake.set()
        await failures(jobs, bool)
    clock.now += 10
    await jobs.mark(ONE)
    assert await due_in(jobs, clock) == 0.5
    await jobs.close()


async def test_a_run_is_resolved_to_its_pull_requests(jobs: EmbeddedJobs) -> None:
    work, run = Work(), RunKey(1, "octo/bench", 34, "ab" * 20)
    asked: list[Key] = []

    async def resolve(key: Key) -> Sequence[PullRequestKey]:
        asked.append(key)
        return [ONE]

    async with running(jobs, work, resolve):
        await jobs.mark(run)
        await until(lambda: work.ran)
    assert (asked, work.ran) == ([run], [ONE])


async def test_what_a_run_is_resolved_to_starts_at_once_in_another_lane(jobs: EmbeddedJobs) -> None:
    work, run, runs = Work(), RunKey(1, "octo/bench", 34, "ab" * 20), RunsKey(1, "octo/bench", 7)

    async def resolve(key: Key) -> Sequence[RunsKey]:
        return [runs]

    async with running(jobs, work, resolve):
        await jobs.mark(run)
        await until(lambda: work.ran)
    assert work.ran == [runs]


async def test_runs_that_take_long_hold_up_no_review(jobs: EmbeddedJobs) -> None:
    started: list[Key] = []

    async def work(key: Key) -> None:
        started.append(key)
        if isinstance(key, RunsKey):
            await asyncio.sleep(60)

    async with running(jobs, work):
        for number in range(9):
            await jobs.mark(RunsKey(1, "octo/bench", number))
        await until(lambda: len(started) == 4)
        await jobs.mark(ONE)
        await until(lambda: ONE in started)


async def test_marks_during_a_run_make_one_more(jobs: EmbeddedJobs) -> None:
    work = Work()
    work.gate.clear()
    async with running(jobs, work):
        await jobs.mark(ONE)
        await until(lambda: work.ran)
        for _ in range(5):
            await jobs.mark(ONE)
        work.gate.set()
        await until(lambda: len(work.ran) == 2)
        await asyncio.sleep(0.03)
    assert work.ran == [ONE, ONE]
    assert work.most == 1


async def test_a_key_never_runs_twice_at_once(jobs: EmbeddedJobs) -> None:
    work = Work()

    async def slow(key: PullRequestKey) -> None:
        await work(key)
        await asyncio.sleep(0)

    async with running(jobs, slow, concurrency=8):
        for number in range(60):
            await jobs.mark((ONE, TWO)[number % 2])
        await until(lambda: len(work.ran) >= 4)
    assert work.most == 1


async def test_as_many_run_at_once_as_asked(jobs: EmbeddedJobs) -> None:
    work = Work()
    work.gate.clear()
    async with running(jobs, work, concurrency=3):
        for number in range(1, 6):
            await jobs.mark(PullRequestKey(1, "octo/bench", number))
        await until(lambda: len(work.ran) == 3)
        await asyncio.sleep(0.03)
        assert len(work.ran) == 3
        work.gate.set()
        await until(lambda: len(work.ran) == 5)


async def test_a_failure_waits_longer_each_time_and_is_listed(tmp_path: Path) -> None:
    clock = Clock()
    jobs, work = opened(tmp_path, clock=clock, settle_seconds=0, first_delay=2), Work()
    work.fails[ONE] = DownError("the moon\nis down")
    due = []
    async with running(jobs, work):
        await jobs.mark(ONE)
        for attempt in range(1, 13):
            await until(lambda: len(work.ran) == attempt)  # noqa: B023
            found = await failures(jobs, lambda found: found and found[0].attempts == attempt)  # noqa: B023
            due.append(found[0].due_at - clock.now)
            clock.now = found[0].due_at
            jobs._lanes[rows.Lane.REVIEWS]._wake.set()
    assert due[:4] == [2, 4, 8, 16]
    assert due[-3:] == [600, 600, 600]
    assert found[0].target == "#1"
    assert found[0].error == "DownError: the moon is down"
    await jobs.close()


class Told:
    """Records what was given up; `trouble` keeps it from being said."""

    def __init__(self) -> None:
        self.heard: list[tuple[Key, str]] = []
        self.trouble: Exception | None = None

    async def __call__(self, key: Key, error: BaseException) -> None:
        self.heard.append((key, str(error)))
        if self.trouble:
            raise self.trouble


class Patient(NamedTuple):
    """Jobs whose clock jumps to whenever the next run is due."""

    jobs: EmbeddedJobs
    work: Work
    told: Told
    clock: Clock

    async def runs(self, most: int = 1000) -> int:
        """Let time pass until nothing runs any more; return how often something ran."""
        while len(self.work.ran) < most and (due := await self._due()) is not None:
            before = len(self.work.ran)
            self.clock.now = max(self.clock.now, due)
            for lane in self.jobs._lanes.values():
                lane._wake.set()
            await until(lambda: len(self.work.ran) > before)  # noqa: B023
            await self.jobs.problems()
        return len(self.work.ran)

    async def _due(self) -> float | None:
        """Return when the first of the line is due."""
        while True:
            there = await self.jobs.database.do(listed)
            waiting = sorted((row.target, row.due_at) for row in there if not row.given_up_at)
            if not any(row.held_since for row in there):
                return waiting[0][1] if waiting else None
            await asyncio.sleep(0.001)


@pytest.fixture
async def patient(tmp_path: Path) -> AsyncIterator[Patient]:
    clock, work, told = Clock(), Work(), Told()
    jobs = opened(tmp_path, clock=clock, settle_seconds=0)
    task = asyncio.create_task(jobs.run(work, None, 2, told))  # type: ignore[arg-type]
    yield Patient(jobs, work, told, clock)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await jobs.close()


@pytest.mark.parametrize(("key", "most"), [(ONE, 10), (COMMENT, 5)])
async def test_what_fails_for_good_is_given_up_told_and_listed(
    patient: Patient, key: Key, most: int, log: list[Any]
) -> None:
    patient.work.fails[key] = ValueError("a defect")
    await patient.jobs.mark(key)
    assert await patient.runs() == most
    assert patient.told.heard == [(key, "a defect")]
    assert [line["event"] for line in log] == ["job_failed"] * (most - 1) + ["job_given_up"]
    (row,) = await patient.jobs.database.do(listed)
    assert (row.attempts, row.error, row.given_up_at) == (
        most, "ValueError: a defect", patient.clock.now,
    )  # fmt: skip


async def test_a_mark_of_what_was_given_up_starts_anew(patient: Patient) -> None:
    patient.work.fails[ONE] = ValueError("a defect")
    await patient.jobs.mark(ONE)
    assert await patient.runs() == 10
    patient.clock.now += 3600
    await patient.jobs.store(delivery(), [ONE])
    assert await patient.runs() == 20
    assert len(patient.told.heard) == 2
    patient.work.fails.clear()
    await patient.jobs.mark(ONE)
    assert await patient.runs() == 21
    assert await patient.jobs.database.do(listed) == []


async def test_what_was_given_up_is_tried_once_by_the_timer_and_said_once_for_each_reason(
    patient: Patient, log: list[Any]
) -> None:
    patient.work.fails[ONE] = ValueError("a defect")
    await patient.jobs.look_again(ONE)
    assert await patient.runs() == 10, "what was never given up has its patience"
    logged = len(log)
    for hour in range(1, 4):
        patient.clock.now += 3600
        await patient.jobs.look_again(ONE)
        assert await patient.runs() == 10 + hour
    assert [error for _, error in patient.told.heard] == ["a defect"]
    assert len(log) == logged
    patient.work.fails[ONE] = ValueError("another one")
    await patient.jobs.look_again(ONE)
    assert await patient.runs() == 14
    assert [error for _, error in patient.told.heard] == ["a defect", "another one"]
    await patient.jobs.look_again(ONE)
    await patient.jobs.mark(ONE)
    assert await patient.runs() == 24, "news start anew"
    assert len(patient.told.heard) == 3
    patient.work.fails.clear()
    await patient.jobs.look_again(ONE)
    assert await patient.runs() == 25
    assert await patient.jobs.database.do(listed) == []


@pytest.mark.parametrize(("key", "seconds"), [(ONE, 24 * 3600), (COMMENT, 3600)])
@pytest.mark.parametrize("several", [False, True])
async def test_what_passes_by_itself_is_waited_for_longer(
    patient: Patient, key: Key, seconds: float, several: bool
) -> None:
    down = DownError("GitHub is down")
    patient.work.fails[key] = ExceptionGroup("GitHub is down", [down]) if several else down
    began = patient.clock.now
    await patient.jobs.mark(key)
    await patient.runs()
    assert seconds <= patient.clock.now - began <= seconds + 900
    ((told, why),) = patient.told.heard
    assert (told, why.startswith("GitHub is down")) == (key, True)


async def test_nothing_is_given_up_while_it_cannot_be_said(patient: Patient) -> None:
    patient.work.fails[ONE] = ValueError("a defect")
    patient.told.trouble = DownError("GitHub is down")
    await patient.jobs.mark(ONE)
    assert await patient.runs(15) == 15
    assert len(patient.told.heard) >= 5
    patient.told.trouble = None
    assert await patient.runs() == 16


@pytest.mark.parametrize(("key", "seconds"), [(ONE, 24 * 3600), (COMMENT, 3600)])
async def test_what_can_never_be_said_is_given_up_in_the_end(
    patient: Patient, key: Key, seconds: float
) -> None:
    patient.work.fails[key] = patient.told.trouble = ValueError("refused")
    began = patient.clock.now
    await patient.jobs.mark(key)
    await patient.runs()
    assert seconds <= patient.clock.now - began <= seconds + 900
    assert await patient.jobs.problems() == []


async def test_a_mark_while_it_is_given_up_starts_anew(patient: Patient) -> None:
    patient.work.fails[ONE] = ValueError("a defect")
    await patient.jobs.mark(ONE)
    await patient.runs(9)
    patient.work.gate.clear()
    running_ = asyncio.create_task(patient.runs(10))
    await until(lambda: len(patient.work.ran) == 10)
    await patient.jobs.mark(ONE)
    patient.work.fails.clear()
    patient.work.fails[ONE] = ValueError("another")
    patient.work.gate.set()
    await running_
    assert await patient.runs() == 20


async def test_a_failure_is_one_line_of_log(jobs: EmbeddedJobs, log: list[Any]) -> None:
    work = Work()
    work.fails[ONE] = ValueError("with ghs_" + "a" * 36)
    async with running(jobs, work):
        await jobs.mark(ONE)
        await until(lambda: log)
    (line,) = log
    assert line["event"] == "job_failed"
    assert line["key"] == "octo/bench#1"
    assert line["error"] == "ValueError: with [redacted]"
    assert line["at"].startswith("test_jobs.py:")


async def test_a_failing_key_blocks_no_other(jobs: EmbeddedJobs) -> None:
    work = Work()
    work.fails[ONE] = RuntimeError("always")
    async with running(jobs, work, concurrency=1):
        await jobs.mark(ONE)
        await jobs.mark(TWO)
        await until(lambda: TWO in work.ran)
    assert [job.target for job in await failed(jobs)] == ["#1"]


async def test_a_mark_after_a_failure_runs_at_once_and_clears_it(jobs: EmbeddedJobs) -> None:
    work = Work()
    work.fails[ONE] = RuntimeError("once")
    async with running(jobs, work):
        await jobs.mark(ONE)
        await failures(jobs, bool)
        work.fails.clear()
        await jobs.mark(ONE)
        await until(lambda: len(work.ran) == 2)
        await failures(jobs, lambda found: not found)


async def test_an_error_may_say_how_long_to_wait(tmp_path: Path) -> None:
    class LimitedError(Exception):
        retry_after = 1800.0

    clock = Clock()
    jobs, work = opened(tmp_path, clock=clock, settle_seconds=0), Work()
    work.fails[ONE] = LimitedError("later")
    async with running(jobs, work):
        await jobs.mark(ONE)
        found = await failures(jobs, bool)
    assert found[0].due_at == 2800
    await jobs.close()


async def test_work_that_hangs_or_cancels_itself_fails(tmp_path: Path) -> None:
    jobs = opened(tmp_path, settle_seconds=0, run_seconds=0.03)

    three = PullRequestKey(1, "octo/bench", 3)

    async def work(key: PullRequestKey) -> None:
        if key == TWO:
            raise asyncio.CancelledError
        if key == three:
            raise TimeoutError
        await asyncio.sleep(30)

    async with running(jobs, work):
        for key in (ONE, TWO, three):
            await jobs.mark(key)
        found = await failures(jobs, lambda found: len(found) == 3)
    assert {job.target: job.error for job in found} == {
        "#1": "The run took longer than 0.03 seconds.",
        "#2": "CancelledError:",
        "#3": "TimeoutError:",
    }
    await jobs.close()


def comment(second: int, number: int = 1) -> CommentKey:
    """Return the key of a comment that was written in some second."""
    guid = str(uuid.UUID(int=100 - second))
    return CommentKey(1, "octo/bench", number, guid, f"2026-11-30T08:00:{second:02}Z/{second:019}")


async def test_comments_on_one_pull_request_run_in_the_order_they_were_written(
    tmp_path: Path,
) -> None:
    jobs, work = opened(tmp_path, settle_seconds=0), Work()
    work.gate.clear()
    first, second, third, elsewhere = comment(1), comment(2), comment(3), comment(4, number=2)
    async with running(jobs, work):
        for key in (second, third, first, elsewhere):
            await jobs.store(delivery(key.guid), [key])
        await until(lambda: len(work.ran) == 2)
        await asyncio.sleep(0.03)
        assert work.ran == [second, elsewhere]
        work.gate.set()
        await until(lambda: len(work.ran) == 4)
    assert work.ran[2:] == [first, third]
    assert [key.turn for key in work.ran] == [k.turn for k in (second, elsewhere, first, third)]
    await jobs.close()


async def test_a_comment_waits_for_one_that_fails_until_it_is_given_up(patient: Patient) -> None:
    patient.work.fails[comment(1)] = ValueError("a defect")
    for second in (1, 2):
        await patient.jobs.mark(comment(second))
    await patient.runs()
    assert patient.work.ran == [comment(1)] * 5 + [comment(2)]


async def test_comments_of_an_older_store_are_read(tmp_path: Path) -> None:
    path, guid = tmp_path / "referee.db", "0f" * 4 + "-aaaa-bbbb-cccc-" + "0f" * 6
    await Database(path, MIGRATIONS[:4]).close()
    with sqlite3.connect(path) as old:
        old.execute(
            "INSERT INTO attention VALUES ('octo/bench', ?, 1, 1, 0, 0, NULL, 0, NULL, 1)",
            (f"comment 12 {guid}",),
        )
    jobs, work = opened(tmp_path), Work()
    async with running(jobs, work):
        await until(lambda: work.ran)
    assert work.ran == [CommentKey(1, "octo/bench", 12, guid)]
    await jobs.close()


async def test_a_head_sha_is_resolved_and_forgotten(jobs: EmbeddedJobs) -> None:
    work, sha = Work(), ShaKey(1, "octo/bench", "ab" * 20)
    asked: list[ShaKey] = []

    async def resolve(key: ShaKey) -> Sequence[PullRequestKey]:
        asked.append(key)
        return [ONE, TWO]

    async with running(jobs, work, resolve):
        await jobs.mark(sha)
        await until(lambda: len(work.ran) == 2)
    assert asked == [sha]
    assert set(work.ran) == {ONE, TWO}
    reader = sqlite3.connect(jobs.database._path)
    assert reader.execute("SELECT count(*) FROM attention WHERE target = ?", (sha.sha,))
    reader.close()


async def test_a_new_installation_takes_over_the_key(jobs: EmbeddedJobs) -> None:
    work = Work()
    await jobs.mark(ONE)
    await jobs.mark(PullRequestKey(2, ONE.repository, ONE.number))
    async with running(jobs, work):
        await until(lambda: work.ran)
        await asyncio.sleep(0.03)
    assert work.ran == [PullRequestKey(2, ONE.repository, ONE.number)]


async def test_a_stopped_run_is_picked_up_by_the_next(jobs: EmbeddedJobs) -> None:
    work = Work()
    work.gate.clear()
    async with running(jobs, work):
        await jobs.mark(ONE)
        await until(lambda: work.ran)
    work.gate.set()
    async with running(jobs, work):
        await until(lambda: len(work.ran) == 2)


async def test_two_loops_on_one_store_are_refused(jobs: EmbeddedJobs) -> None:
    async with running(jobs, Work()):
        await asyncio.sleep(0)
        with pytest.raises(RuntimeError, match="running already"):
            await jobs.run(Work(), None, 1)


CRASH = """
    import asyncio, os, signal, sys
    from pathlib import Path
    from bot.keys import PullRequestKey
    from bot.delivery import Delivery
    from bot.jobs.embedded import EmbeddedJobs

    async def main(path, how):
        jobs = EmbeddedJobs(path, settle_seconds=0)
        kept = Delivery("g1", "pull_request", "opened", 1, "octo/bench", 4e9, b"{}")
        print(await jobs.store(kept, [PullRequestKey(1, "octo/bench", 1)]), flush=True)
        if how == "stored":
            os._exit(9)

        async def work(key):
            print("running", flush=True)
            await asyncio.sleep(60)

        await jobs.run(work, None, 1)

    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
"""


@pytest.mark.parametrize("how", ["stored", "running"])
async def test_what_a_crash_left_runs_after_the_restart(tmp_path: Path, how: str) -> None:
    child = subprocess.Popen(  # noqa: ASYNC220
        [sys.executable, "-c", textwrap.dedent(CRASH), str(tmp_path / "referee.db"), how],
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
        text=True,
    )
    assert child.stdout is not None
    while (line := child.stdout.readline().strip()) and line != "running":
        assert line == "new"
    if how == "running":
        with pytest.raises(StoreError, match="in use by another Referee"):
            opened(tmp_path)
        os.kill(child.pid, signal.SIGKILL)
    child.wait()
    child.stdout.close()
    jobs, work = opened(tmp_path), Work()
    async with running(jobs, work):
        await until(lambda: work.ran)
    assert await jobs.store(delivery(), [ONE]) is Stored.DUPLICATE
    assert work.ran == [ONE]
    await jobs.close()


async def test_a_step_that_fails_fails_alone(jobs: EmbeddedJobs) -> None:
    def broken(c: sqlite3.Connection) -> None:
        c.execute("INSERT INTO nowhere VALUES (1)")

    async def bad() -> str:
        with pytest.raises(StoreError, match="cannot be written: no such table: nowhere"):
            await jobs.database.do(broken)
        return "failed"

    done = await asyncio.gather(
        jobs.store(delivery("g1"), [ONE]), bad(), jobs.store(delivery("g2"), [TWO])
    )
    assert done == [Stored.NEW, "failed", Stored.NEW]
    count = await jobs.database.do(
        lambda c: c.execute("SELECT count(*), sum(generation) FROM delivery, attention").fetchone()
    )
    assert count == (4, 4)


async def test_waiting_steps_share_one_commit(jobs: EmbeddedJobs) -> None:
    statements: list[str] = []
    await jobs.database.do(lambda c: c.set_trace_callback(statements.append))
    await asyncio.gather(*(jobs.store(delivery(f"g{n}"), [ONE]) for n in range(50)))
    await jobs.database.do(lambda c: c.set_trace_callback(None))
    assert statements.count("COMMIT") < 10


async def test_the_store_is_durable_by_its_settings(jobs: EmbeddedJobs) -> None:
    def ask(c: sqlite3.Connection) -> tuple[Any, Any]:
        return tuple(
            c.execute(f"PRAGMA {p}").fetchone()[0] for p in ("journal_mode", "synchronous")
        )

    assert await jobs.database.do(ask) == ("wal", 2)


async def test_a_store_that_cannot_be_written_for_a_while_loses_nothing(
    jobs: EmbeddedJobs, monkeypatch: pytest.MonkeyPatch, log: list[Any]
) -> None:
    monkeypatch.setattr(embedded_module, "_STORE_PAUSE", 0.01)
    work = Work()
    work.gate.clear()
    async with running(jobs, work):
        await jobs.mark(ONE)
        await until(lambda: work.ran)
        await jobs.database.do(lambda c: c.execute("PRAGMA query_only = 1"))
        work.gate.set()
        await until(lambda: len([line for line in log if line["event"] == "store_failed"]) > 2)
        with pytest.raises(StoreError, match="readonly"):
            await jobs.store(delivery(), [TWO])
        readonly = "The store cannot be written: attempt to write a readonly database."
        for _ in range(2):
            assert await jobs.problems() == [readonly]
    await jobs.close()
    again = EmbeddedJobs(jobs.database._path, settle_seconds=0)
    async with running(again, work):
        await until(lambda: len(work.ran) == 2)
    await again.close()


async def test_asking_whether_all_is_well_writes_nothing(jobs: EmbeddedJobs) -> None:
    changes = await jobs.database.do(lambda c: c.total_changes)
    assert await jobs.problems() == ["No worker is running: nothing would be reviewed."]
    assert await jobs.database.do(lambda c: c.total_changes) == changes


async def test_what_could_not_be_written_is_told_until_something_can(jobs: EmbeddedJobs) -> None:
    idle = await jobs.problems()  # a worker would write, too
    with pytest.raises(StoreError, match="no such table"):
        await jobs.database.do(lambda c: c.execute("INSERT INTO nowhere VALUES (1)"))
    *others, told = await jobs.problems()
    assert others == idle
    assert str(jobs.database._path.parent) not in told
    await jobs.mark(ONE)
    assert await jobs.problems() == idle


async def test_a_file_that_is_no_store_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "referee.db"
    path.write_bytes(b"something else, long enough to have a header" * 100)
    for _ in range(2):
        with pytest.raises(StoreError, match="file is not a database; move it away"):
            EmbeddedJobs(path)
    path.unlink()
    await EmbeddedJobs(path).close()


async def test_a_store_of_a_newer_referee_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "referee.db"
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(StoreError, match="version 99, made by a newer Referee"):
        EmbeddedJobs(path)


async def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=r"cannot be created: .*check REFEREE_DATA_DIR"):
        EmbeddedJobs(tmp_path / "file" / "referee.db")


async def test_a_store_is_brought_forward_once(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    await Database(path, MIGRATIONS).close()
    steps = (*MIGRATIONS, "ALTER TABLE delivery ADD COLUMN note TEXT;")
    for _ in range(2):
        database = Database(path, steps)
        await database.do(lambda c: c.execute("SELECT note FROM delivery"))
        await database.close()


async def test_old_deliveries_are_forgotten(tmp_path: Path) -> None:
    clock, month = Clock(), 30 * 24 * 3600
    clock.now = 2 * month
    jobs = opened(tmp_path, clock=clock)
    olds = (jobs.store(delivery(f"old{number}", month - 1), []) for number in range(1200))
    assert set(await asyncio.gather(*olds)) == {Stored.NEW}
    await jobs.store(delivery("young", month + 1), [])

    async def left() -> int:
        return await jobs.database.do(
            lambda c: c.execute("SELECT count(*) FROM delivery").fetchone()[0]
        )

    async with running(jobs, Work()):
        async with asyncio.timeout(5):
            while await left() > 1:  # noqa: ASYNC110
                await asyncio.sleep(0.001)
    assert await jobs.store(delivery("young"), []) is Stored.DUPLICATE
    await jobs.close()


async def test_a_closed_store_says_so(tmp_path: Path) -> None:
    jobs = opened(tmp_path)
    await jobs.close()
    await jobs.close()
    with pytest.raises(StoreError, match="closed"):
        await jobs.mark(ONE)


async def test_an_error_of_our_own_is_logged_and_the_key_runs_after_the_next_start(
    jobs: EmbeddedJobs, monkeypatch: pytest.MonkeyPatch, log: list[Any]
) -> None:
    work = Work()
    with monkeypatch.context() as patched:
        patched.setattr(rows, "finish", lambda *_: 1 / 0)
        async with running(jobs, work):
            await jobs.mark(ONE)
            await until(lambda: log)
    assert [line["event"] for line in log] == ["job_broken"]
    async with running(jobs, work):
        await until(lambda: len(work.ran) == 2)
