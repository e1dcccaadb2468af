"""Replay the merged pull requests of a repository: what would the rules have said?"""

import multiprocessing
import os
import re
import signal
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pygit2

from bot.damage import SnapshotError, TooLargeError
from bot.guard import SECONDS, tick
from bot.policy_source import policy_in_force
from bot.snapshot import commit_of, open_repository, second_of, take_snapshot
from checks.model import PullRequest, Severity
from checks.policy import Policy
from checks.run import run_checks

_SQUASHED = re.compile(r"\(#([1-9][0-9]*)\)$")
_MERGED = re.compile(r"^Merge pull request #([1-9][0-9]*) ")


@dataclass(frozen=True, slots=True)
class Merge:
    """A merged pull request: its number, its commit on the branch, and the day (YYYY-MM-DD)."""

    number: int
    sha: str
    day: str
    title: str


@dataclass(frozen=True, slots=True)
class Hit:
    """One finding on one merged pull request."""

    rule: str
    severity: Severity
    path: str | None
    line: int | None
    message: str


@dataclass(frozen=True, slots=True)
class Replay:
    """What the rules say of one merged pull request; ``errors`` are rules that failed."""

    merge: Merge
    hits: tuple[Hit, ...]
    errors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RuleRecord:
    """How one rule did over a history, and its newest examples.

    ``blocked`` is the share of all pull requests that it would have blocked.
    """

    rule: str
    hits: int
    pull_requests: int
    blocking: int
    blocked: float
    examples: tuple[tuple[Merge, Hit], ...]


def merges(repository: pygit2.Repository, branch: str, since: datetime | None) -> Iterator[Merge]:
    """Yield the merged pull requests on a branch's first-parent history, newest first.

    Raises:
        SnapshotError: there is no such branch.

    """
    walker = repository.walk(commit_of(repository, branch).id)
    walker.simplify_first_parent()
    for commit in walker:
        when = datetime.fromtimestamp(second_of(commit), UTC)
        if since is not None and when < since:
            continue  # not the end: the clock of whoever made an older commit may be ahead
        # Whoever makes a commit names its encoding, which may be none.
        title = commit.raw_message.decode("utf-8", "replace").partition("\n")[0].strip()
        found = _SQUASHED.search(title) or _MERGED.search(title)
        if found and commit.parents:
            yield Merge(int(found[1]), str(commit.id), when.date().isoformat(), title)


def replay_all(
    path: Path, preset: str, wanted: Sequence[Merge], policy: Policy | None = None
) -> Iterator[Replay]:
    """Judge every merged pull request against its first parent, on all cores, in order.

    Args:
        path: the repository.
        preset: the policy of repositories without a policy file.
        wanted: what to judge.
        policy: the policy for all of them; None for the one that each was merged under.

    """
    places = [(path, policy or preset, merge) for merge in wanted]
    with ProcessPoolExecutor(os.cpu_count(), initializer=_follow_parent) as pool:
        try:
            for replay in pool.map(_replay, places, chunksize=8):
                tick()
                yield replay
        except BrokenExecutor:
            raise SnapshotError(
                "A process that replays pull requests died, or one pull request took over "
                f"{SECONDS / 2:g} seconds; the repository may be damaged: run `git fsck`."
            ) from None
        except (KeyboardInterrupt, GeneratorExit):
            for each in multiprocessing.active_children():
                each.kill()
            raise


def _follow_parent() -> None:
    """End with the process that started this one, however that ends, and not by itself."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal: the other process got it too
    threading.Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@cache
def _opened(path: Path) -> pygit2.Repository:
    return open_repository(path)


def _replay(place: tuple[Path, Policy | str, Merge]) -> Replay:
    path, policy, merge = place
    signal.setitimer(signal.ITIMER_REAL, SECONDS / 2)  # ends the process: see bot.guard
    try:
        return _judged(_opened(path), policy, merge)
    except TooLargeError as error:  # the others are not
        return Replay(merge, (), (str(error),))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _judged(repository: pygit2.Repository, policy: Policy | str, merge: Merge) -> Replay:
    parent = str(commit_of(repository, merge.sha).parent_ids[0])
    if isinstance(policy, str):
        policy = policy_in_force(repository, commit_of(repository, parent), policy).policy
    snapshot = take_snapshot(repository, parent, merge.sha, PullRequest(merge.number))
    report = run_checks(snapshot, policy)
    hits = tuple(Hit(f.rule, f.severity, f.path, f.line, str(f.message)) for f in report.findings)
    return Replay(merge, hits, tuple(str(error.text) for error in report.errors))


def records(replays: Sequence[Replay]) -> list[RuleRecord]:
    """Return the record of each rule that spoke, the one that blocks most first."""
    by_rule: dict[str, list[tuple[Merge, Hit]]] = defaultdict(list)
    for replay in replays:
        for hit in replay.hits:
            by_rule[hit.rule].append((replay.merge, hit))
    found = [_record(rule, said, len(replays)) for rule, said in by_rule.items()]
    return sorted(found, key=lambda record: (-record.blocking, -record.pull_requests, record.rule))


def _record(rule: str, said: Sequence[tuple[Merge, Hit]], total: int) -> RuleRecord:
    blocking = {m.number for m, hit in said if hit.severity is Severity.BLOCKING}
    return RuleRecord(
        rule=rule,
        hits=len(said),
        pull_requests=len({merge.number for merge, _ in said}),
        blocking=len(blocking),
        blocked=len(blocking) / total,
        examples=tuple({merge.number: (merge, hit) for merge, hit in said}.values())[:3],
    )


def by_week(replays: Sequence[Replay]) -> Mapping[str, Mapping[str, int]]:
    """Return rule -> ISO week ("2026-W31") -> pull requests in which it spoke, zeros included."""
    weeks = sorted({_week(replay.merge.day) for replay in replays})
    counts: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(weeks, 0))
    for replay in replays:
        for rule in {hit.rule for hit in replay.hits}:
            counts[rule][_week(replay.merge.day)] += 1
    return counts


def _week(day: str) -> str:
    year, week, _ = datetime.fromisoformat(day).isocalendar()
    return f"{year}-W{week:02}"
