"""Gather the runs that may prove something about a pull request, with what they left."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

import structlog
from cachetools import LRUCache

from bot.github import GitHubBusy, GitHubError, GitHubRefused
from bot.results import ResultReader
from bot.runs import head_of, jobs_of, run_of, runs_of_branch
from bot.sweeps import Place, of_fork
from checks.decisions import Decisions, of_kind
from checks.results.model import Results
from checks.signoff.curves import frontier_counts
from checks.signoff.facts import Measured, SignOff
from checks.signoff.scores import scores_of
from checks.sweeps.runs import Job, WorkflowRun

log = structlog.get_logger()
MOST_RUNS = 12
MOST_LISTED = 300
MOST_OF_FORK = 3  # to say why they prove nothing
_MOST_KNOWN = 512
_Attempt = tuple[str, int, int]


class RunMemory:
    """What attempts that are over did and measured: that does not change any more."""

    def __init__(self, reader: ResultReader) -> None:
        self._reader = reader
        self._jobs: LRUCache[_Attempt, tuple[Job, ...]] = LRUCache(_MOST_KNOWN)
        self._results: LRUCache[_Attempt, Results] = LRUCache(_MOST_KNOWN)

    async def jobs(self, place: Place, run: WorkflowRun) -> tuple[Job, ...]:
        """Return the jobs of a run's newest attempt. Raises GitHubError."""
        key = (place.repository, run.id, run.attempt)
        if key in self._jobs:
            return self._jobs[key]
        found = await jobs_of(place.client, place.repository, run.id)
        if run.finished and all(job.finished for job in found):
            self._jobs[key] = found
        return found

    async def results(self, place: Place, run: WorkflowRun) -> Results | None:
        """Return what a run measured; None as long as it goes on, or GitHub does not give it.

        Raises GitHubBusy.
        """
        key = (place.repository, run.id, run.attempt)
        if not run.finished:
            return None
        if key not in self._results:
            try:
                found = await self._reader.of_run(
                    place.client, place.repository, run.id, place.sweeps, over=True
                )
            except GitHubBusy:
                raise
            except GitHubError as error:
                log.warning("results_unread", run=run.url, reason=str(error))
                return None
            self._results[key] = found
        return self._results[key]


async def measured(
    place: Place, memory: RunMemory, decisions: Decisions, sign_offs: Sequence[SignOff]
) -> tuple[tuple[Measured, ...] | None, int]:
    """Return the newest sweeps on the pull request's commits, and the runs that people name.

    Those are the one chosen for reuse, the linked ones, and those started by command; at most
    twelve in all, the newest first. What proves nothing, such as a run of another commit, never
    takes the place of what may. None where the App may not read runs. Beside them, how many sweeps
    on its commits there are at least that nobody looks at.

    Raises GitHubError: GitHub did not answer.
    """
    named = tuple(
        dict.fromkeys([*_chosen(decisions), *_linked(place, sign_offs), *_asked(decisions)])
    )
    try:
        listed, every = await runs_of_branch(
            place.client, place.repository, head_of(place.pull), MOST_LISTED
        )
        runs = {run.id: run for run in listed if _counts(run, place)}
        runs |= {run.id: run for run in (await of_fork(place))[:MOST_OF_FORK]}
        for number in named[:MOST_RUNS]:
            if number not in runs and (run := await run_of(place.client, place.repository, number)):
                runs[run.id] = run
        rank = {number: at for at, number in enumerate(named)}
        ordered = sorted(
            runs.values(),
            key=lambda run: (not _counts(run, place), rank.get(run.id, len(named)), -run.id),
        )
        chosen = sorted(ordered[:MOST_RUNS], key=lambda run: run.id, reverse=True)
        left = sum(_counts(run, place) for run in ordered[MOST_RUNS:]) + (not every)
        return tuple([Measured(run, await memory.jobs(place, run)) for run in chosen]), left
    except GitHubBusy:
        raise
    except GitHubRefused as error:
        if error.status not in {403, 404}:
            raise
        log.warning("runs_unreadable", repository=place.repository, reason=str(error))
        return None, 0


async def with_results(
    place: Place, memory: RunMemory, found: Sequence[Measured], wanted: Collection[int]
) -> tuple[Measured, ...]:
    """Return runs, some of them with what they measured.

    What could not be read is never taken for all that there is. Raises GitHubBusy.
    """
    done = []
    for each in found:
        results = await memory.results(place, each.run) if each.run.id in wanted else None
        if results is not None and not results.troubles:
            scores, frontier = scores_of(results.scores), frontier_counts(results.points)
            each = replace(each, scores=scores, frontier=frontier)  # noqa: PLW2901
        done.append(each)
    return tuple(done)


def _counts(run: WorkflowRun, place: Place) -> bool:
    sweep = run.workflow in place.sweeps.workflows
    return sweep and run.conclusion != "skipped" and run.head_sha in place.commits


def _linked(place: Place, sign_offs: Iterable[SignOff]) -> list[int]:
    own = place.repository.lower()
    links = (link for each in sign_offs for link in each.said.links)
    return [link.run for link in links if link.run and link.repository.lower() in {own, ""}]


def _chosen(decisions: Decisions) -> list[int]:
    """Return the run chosen for reuse."""
    chosen = [each.reason for each in of_kind(decisions, "reuse").values()]
    return [int(x) for x in chosen if x.isdecimal()]


def _asked(decisions: Decisions) -> list[int]:
    """Return the runs that were asked for, the newest first: whoever may write asks for many."""
    asked = of_kind(decisions, "unofficial")
    return sorted((int(x) for x in asked if x.isdecimal()), reverse=True)
