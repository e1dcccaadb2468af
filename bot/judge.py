"""Judge in worker processes, so that no review delays an acknowledgement or outlives its time."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn, ParamSpec, TypeVar

import structlog

from bot.settings import PREFIX
from bot.verdict import Case, Ground, Verdict
from bot.worker import Call, Outcome, receive, send

if TYPE_CHECKING:
    from checks.policy import Policy
    from checks.results.model import Kind, Results

P = ParamSpec("P")
R = TypeVar("R")
log = structlog.get_logger()
START_SECONDS = 30.0  # for a worker to come up, on a busy machine


class JudgeError(Exception):
    """The checks did not come to an end; the text says why in one sentence."""


class GoneError(Exception):
    """Somebody, such as a kernel out of memory, killed a worker that had nothing to do."""


class Worker:
    """One worker process; used by one thread at a time."""

    def __init__(self, deadline: float) -> None:
        self._deadline, self._idled = deadline, False
        # The secrets of the server are none of its business.
        environment = {k: v for k, v in os.environ.items() if not k.startswith(PREFIX)}
        self._process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-m", "bot.worker", str(deadline)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
        )

    @property
    def pid(self) -> int:
        """Return the process id."""
        return self._process.pid

    def ask(self, call: Call) -> Outcome:
        """Return the outcome of a call; afterwards the worker may be of no more use.

        Raises:
            GoneError: the worker had died before, as far as can be told; ask another one.
            JudgeError: it died of the call, or was stopped.

        """
        questions, answers = self._pipes()
        if self._process.poll() is not None:
            raise GoneError
        try:
            send(questions, call)
        except BrokenPipeError:
            raise self._obituary() from None
        ready, _, _ = select.select([answers], [], [], self._deadline + START_SECONDS)
        try:
            outcome = Outcome(*(receive(answers) if ready else self._late()))
        except EOFError:
            raise self._obituary() from None
        self._idled = True
        return outcome

    def _pipes(self) -> tuple[BinaryIO, BinaryIO]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        return self._process.stdin, self._process.stdout  # type: ignore[return-value]

    def _late(self) -> NoReturn:
        self._process.send_signal(signal.SIGALRM)
        raise EOFError

    def _obituary(self) -> JudgeError | GoneError:
        status = self._process.wait()
        if self._idled and status == -signal.SIGKILL:
            return GoneError()
        if status == -signal.SIGALRM:
            seconds = f"{self._deadline:g} seconds"
            return JudgeError(f"The checks did not end within {seconds} and were stopped.")
        return JudgeError(f"The checks' process died (exit code {status}).")

    def stop(self) -> None:
        """Tell the process to end, whatever it does."""
        self._process.kill()

    def kill(self) -> None:
        """End the process and wait for its end."""
        self._process.kill()
        self._process.wait()
        for pipe in self._pipes():
            with suppress(BrokenPipeError):
                pipe.close()


class Judges:
    """Worker processes, as many as calls run at once, with a deadline for each call."""

    def __init__(self, workers: int, deadline: float) -> None:
        """Take what `Settings` says: how many workers, and seconds for each call."""
        self._deadline = deadline
        self._threads = ThreadPoolExecutor(workers, "judges")
        self._lock = Lock()
        self._idle: list[Worker] = []
        self._busy: set[Worker] = set()
        self._closed = False

    @property
    def pids(self) -> frozenset[int]:
        """Return the process ids of the workers that are there."""
        with self._lock:
            return frozenset(worker.pid for worker in (*self._idle, *self._busy))

    async def judge(self, case: Case) -> Verdict:
        """Judge a case within the deadline; a worker that exceeds it is killed and replaced.

        Raises:
            JudgeError: the checks took too long, too much memory, or their process died.
            SnapshotError: a revision cannot be read.

        """
        verdict: Verdict = await self._call(Call("bot.judging", "judge", (case,), {}))
        return verdict

    async def policy(self, git_dir: Path, base: str, preset: str) -> Policy:
        """Return the policy in force for a target branch; raises as `judge` does."""
        call = Call("bot.judging", "policy_of", (git_dir, base, preset), {})
        policy: Policy = await self._call(call)
        return policy

    async def gate(self, git_dir: Path, base: str, preset: str) -> Policy | None:
        """Return the policy of a branch that asks for sign-offs, or None; raises as `judge`."""
        call = Call("bot.judging", "gate_of", (git_dir, base, preset), {})
        policy: Policy | None = await self._call(call)
        return policy

    async def file(
        self, git_dir: Path, base: str, paths: Sequence[str]
    ) -> tuple[str, bytes] | None:
        """Return the first of some files that a branch has, with its path; raises as `judge`."""
        call = Call("bot.judging", "file_of", (git_dir, base, paths), {})
        found: tuple[str, bytes] | None = await self._call(call)
        return found

    async def commits(self, git_dir: Path, base: str, head: str) -> tuple[str, ...]:
        """Return the commits that a head has and its base has not; raises as `judge`."""
        call = Call("bot.judging", "commits_at", (git_dir, base, head), {})
        found: tuple[str, ...] = await self._call(call)
        return found

    async def ground(self, git_dir: Path, base: str, head: str, preset: str) -> Ground:
        """Return what is known of a pull request without judging it; raises as `judge` does."""
        call = Call("bot.judging", "ground_of", (git_dir, base, head, preset), {})
        found: Ground = await self._call(call)
        return found

    async def results(self, kind: Kind, name: str, archive: bytes) -> Results:
        """Return what the archive of an artifact holds; raises JudgeError."""
        call = Call("checks.results.reading", "read_archive", (kind, name, archive), {})
        found: Results = await self._call(call)
        return found

    async def target_changed(self, git_dir: Path, base: str, before: str, preset: str) -> bool:
        """Tell whether a branch changed in what decides about pull requests; raises as `judge`."""
        call = Call("bot.judging", "target_changed", (git_dir, base, before, preset), {})
        found: bool = await self._call(call)
        return found

    async def config_keys(
        self, git_dir: Path, base: str, head: str, preset: str
    ) -> dict[str, tuple[str, ...]]:
        """Return the config keys at a head by master config; raises as `judge`."""
        call = Call("bot.judging", "keys_at", (git_dir, base, head, preset), {})
        found: dict[str, tuple[str, ...]] = await self._call(call)
        return found

    async def call(self, function: Callable[P, R], *given: P.args, **named: P.kwargs) -> R:
        """Run a pure function in a worker; raises as `judge` does, and what the function raises."""
        found: R = await self._call(
            Call(function.__module__, function.__qualname__, given, dict(named))
        )
        return found

    async def _call(self, call: Call) -> Any:
        if self._closed:
            raise JudgeError("Referee is stopping.")
        loop = asyncio.get_running_loop()
        outcome = await loop.run_in_executor(self._threads, partial(self._ask, call))
        if isinstance(outcome.error, MemoryError | RecursionError):
            what = type(outcome.error).__name__
            raise JudgeError(f"The checks ran out of room ({what}).")
        if outcome.error is not None:
            raise outcome.error
        return outcome.value

    def _ask(self, call: Call) -> Outcome:
        while True:
            worker = self._take()
            try:
                outcome = worker.ask(call)
            except GoneError:
                log.warning("worker_gone", pid=worker.pid)
                self._give_back(worker, alive=False)
                continue
            except JudgeError:
                self._give_back(worker, alive=False)
                raise
            self._give_back(worker, alive=not outcome.last)
            return outcome

    def _take(self) -> Worker:
        with self._lock:
            if self._closed:
                raise JudgeError("Referee is stopping.")
            worker = self._idle.pop() if self._idle else Worker(self._deadline)
            self._busy.add(worker)
        return worker

    def _give_back(self, worker: Worker, *, alive: bool) -> None:
        with self._lock:
            self._busy.discard(worker)
            alive = alive and not self._closed
            if alive:
                self._idle.append(worker)
        if not alive:
            worker.kill()

    def close(self) -> None:
        """Stop the workers; nothing can be judged any more."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
            for worker in self._busy:
                worker.stop()
        for worker in idle:
            worker.kill()
        self._threads.shutdown(cancel_futures=True)
