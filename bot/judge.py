"""Judge one pull request in a worker process, so that no review delays an acknowledgement."""

import asyncio
import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor
from concurrent.futures import TimeoutError as DeadlineError
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import structlog
from pebble import ProcessExpired, ProcessPool

from bot.policy_source import policy_in_force
from bot.snapshot import commit_of, open_repository, take_snapshot, tree_of
from bot.trees import GitTree, SnapshotError, sound
from checks.fix import Fixed, fix
from checks.model import ChangedFile, PullRequest, Report, Snapshot
from checks.policy import Policy
from checks.policy_types import Language
from checks.render import Section
from checks.run import run_checks

if TYPE_CHECKING:
    from checks.sweeps.cost import Cost

P = ParamSpec("P")
R = TypeVar("R")
log = structlog.get_logger()
MOST_COMMITS = 1_000
CASES_A_WORKER = 250  # then it makes room for a fresh one: what its parsers remember adds up


class JudgeError(Exception):
    """The checks did not come to an end; the text says why in one sentence."""


@dataclass(frozen=True, slots=True)
class Case:
    """What to judge: a git directory, the target branch, the head, and the pull request.

    ``fix`` is a glob of rules whose findings are to be fixed, or None.
    """

    git_dir: Path
    base: str
    head: str
    pull_request: PullRequest
    preset: str
    fix: str | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the checks found, and what the plan needs besides; ``fixed`` only if asked for.

    ``sections`` are what the sticky comment says besides; ``jobs`` is how many jobs a sweep
    starts; ``commits`` are the pull request's own, the newest first.
    """

    report: Report
    files: tuple[ChangedFile, ...]
    languages: tuple[Language, ...]
    documentation_url: str
    advisory: bool
    fixed: Fixed | None = None
    sections: tuple[Section, ...] = ()
    policy: Policy = field(default_factory=Policy)
    jobs: int = 0
    commits: tuple[str, ...] = ()


def judge(case: Case) -> Verdict:
    """Read both revisions and run the rules. Blocking; runs in the worker process.

    Raises:
        SnapshotError: a revision is missing or shares no history with the base.

    """
    repository = open_repository(case.git_dir)
    in_force = policy_in_force(repository, commit_of(repository, case.base), case.preset)
    snapshot = take_snapshot(repository, case.base, case.head, case.pull_request)
    report = run_checks(snapshot, in_force.policy)
    price = _cost(snapshot, in_force.policy)
    return Verdict(
        report=replace(report, policy=in_force.source),
        files=snapshot.files,
        languages=in_force.policy.languages,
        documentation_url=in_force.policy.documentation_url,
        advisory=in_force.policy.mode == "advisory",
        commits=commits_at(case.git_dir, case.base, case.head),
        sections=(price,) if price else (),
        policy=in_force.policy,
        jobs=price.jobs if price else 0,
        fixed=_fixed(case.fix, snapshot, in_force.policy, report) if case.fix else None,
    )


def _fixed(rules: str, snapshot: Snapshot, policy: Policy, report: Report) -> Fixed:
    return fix(snapshot, policy, report, lambda finding: fnmatchcase(finding.rule, rules))


def _cost(snapshot: Snapshot, policy: Policy) -> "Cost | None":
    # Only the worker needs the matrix; the serving process would hold it in vain.
    from checks.matrix.sweep import sweep
    from checks.sweeps.cost import cost

    found = sweep(snapshot, policy)
    return None if found is None else cost(found)


def policy_of(git_dir: Path, base: str, preset: str) -> Policy:
    """Return the policy in force for a target branch. Blocking; runs in the worker process.

    Raises:
        SnapshotError: the branch is missing or damaged.

    """
    repository = open_repository(git_dir)
    return policy_in_force(repository, commit_of(repository, base), preset).policy


def file_of(git_dir: Path, base: str, paths: Sequence[str]) -> tuple[str, bytes] | None:
    """Return the first of some files that a branch has, with its path. Runs in the worker.

    Raises:
        SnapshotError: the branch is missing or damaged.

    """
    repository = open_repository(git_dir)
    commit = commit_of(repository, base)
    tree = GitTree(repository, tree_of(commit), str(commit.id))
    return next(((path, blob.data) for path in paths if (blob := tree.blob(path))), None)


def commits_at(git_dir: Path, base: str, head: str) -> tuple[str, ...]:
    """Return the commits that a head has and its base has not, the newest first. In the worker.

    Raises:
        SnapshotError: a branch is missing or damaged.

    """
    repository = open_repository(git_dir)
    tips = commit_of(repository, head).id, commit_of(repository, base).id
    with sound():
        walker = repository.walk(tips[0])
        walker.hide(tips[1])
        return tuple(str(commit.id) for commit in islice(walker, MOST_COMMITS))


def keys_at(git_dir: Path, base: str, head: str, preset: str) -> dict[str, tuple[str, ...]]:
    """Return the config keys at a head by master config. Runs in the worker.

    Raises:
        SnapshotError: a branch is missing or damaged.

    """
    from checks.parse.master_config import config_entries

    repository = open_repository(git_dir)
    policy = policy_in_force(repository, commit_of(repository, base), preset).policy
    commit = commit_of(repository, head)
    tree = GitTree(repository, tree_of(commit), str(commit.id))
    layout = policy.layout(tree)
    found: dict[str, tuple[str, ...]] = {}
    for key, entry in (config_entries(tree, layout) if layout else {}).items():
        found[entry.path] = (*found.get(entry.path, ()), key)
    return found


class Judges:
    """A pool of worker processes with a deadline for each case."""

    def __init__(self, workers: int, deadline: float) -> None:
        self._workers, self._deadline = workers, deadline
        self._closed = False
        self._pool = self._new_pool()

    def _new_pool(self) -> ProcessPool:
        # "spawn": a forked copy of a process with threads may hang.
        context = multiprocessing.get_context("spawn")
        return ProcessPool(self._workers, max_tasks=CASES_A_WORKER, context=context)

    async def judge(self, case: Case) -> Verdict:
        """Judge a case within the deadline; a worker that exceeds it is killed and replaced.

        Raises:
            JudgeError: the checks took too long or their process died.
            SnapshotError: a revision cannot be read.

        """
        return await self.call(judge, case)

    async def policy(self, git_dir: Path, base: str, preset: str) -> Policy:
        """Return the policy in force for a target branch; raises as `judge` does."""
        return await self.call(policy_of, git_dir, base, preset)

    async def call(self, function: Callable[P, R], *given: P.args, **named: P.kwargs) -> R:
        """Run a pure function in a worker; raises as `judge` does, and what the function raises."""
        try:
            return await self._schedule(function, *given, **named)
        except BrokenExecutor:
            # Somebody, such as a kernel out of memory, killed a worker that had nothing to do.
            return await self._schedule(function, *given, **named)

    async def _schedule(self, function: Callable[P, R], *given: P.args, **named: P.kwargs) -> R:
        if self._closed:
            raise JudgeError("Referee is stopping.")
        if not self._pool.active:
            log.warning("workers_made_again")
            self._stop(self._pool)
            self._pool = self._new_pool()
        future = self._pool.schedule(function, given, named, timeout=self._deadline)
        try:
            return await asyncio.wrap_future(future)
        except DeadlineError:
            raise JudgeError(
                f"The checks did not end within {self._deadline:g} seconds and were stopped."
            ) from None
        except ProcessExpired as error:
            raise JudgeError(f"The checks' process died (exit code {error.exitcode}).") from None
        except (MemoryError, RecursionError) as error:
            raise JudgeError(f"The checks ran out of room ({type(error).__name__}).") from None

    def close(self) -> None:
        """Stop the workers; nothing can be judged any more."""
        self._closed = True
        self._stop(self._pool)

    def _stop(self, pool: ProcessPool) -> None:
        pool.stop()  # type: ignore[no-untyped-call]
        pool.join()


__all__ = [
    "Case",
    "JudgeError",
    "Judges",
    "SnapshotError",
    "Verdict",
    "commits_at",
    "file_of",
    "judge",
    "keys_at",
]
