"""Gather what the sticky comment says about runs: sweeps of the head, and what was asked for."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from bot.github import Client, GitHubRefused
from bot.results import ResultReader, Reused
from bot.runs import artifacts_of, head_of, jobs_of, run_of, runs_at, titled, workflows_of
from checks.decisions import Decisions, of_kind
from checks.policy_types import LabelGroups, Sweeps
from checks.results.model import Series, Thresholds
from checks.results.tables import Baseline, Compared
from checks.sweeps.reuse import Reuse, is_partial, unfit, why_not
from checks.sweeps.runs import WorkflowRun, newest, of_workflows
from checks.sweeps.section import MOST_RUNS, MOST_WITH_RESULTS, Runs, Shown
from checks.text import Text, text

MOST_LOOKED_AT = 6  # for results
CHOICE = "run"  # the subject of the decision which run is reused


@dataclass(frozen=True, slots=True)
class Place:
    """Where to look: the repository ("owner/name"), the pull request and its commits.

    ``groups`` are the labels that start sweeps.
    """

    client: Client
    repository: str
    pull: Any
    commits: Collection[str]
    sweeps: Sweeps
    groups: LabelGroups = LabelGroups()  # noqa: RUF009 - immutable

    @property
    def labels(self) -> set[str]:
        """Return the names of the pull request's labels."""
        return {label["name"] for label in self.pull["labels"]}


async def runs_section(place: Place, decisions: Decisions) -> Runs:
    """Return the section; one that says so where the App may not read workflow runs.

    Raises:
        GitHubError: GitHub did not answer, or refused for another reason.

    """
    sweeps = place.sweeps
    if not sweeps.workflows and not sweeps.dispatch:
        return Runs((), sweeps)
    try:
        return await _section(place, decisions)
    except GitHubRefused as error:
        if error.status == 404:  # the repository has no Actions
            return Runs((), sweeps)
        if error.status != 403:
            raise
        lacking = text("Runs cannot be shown: the App lacks the permission to read actions.")
        return Runs((), sweeps, trouble=lacking)


async def with_results(
    reader: ResultReader,
    place: Place,
    runs: Runs,
    thresholds: Thresholds | Text | None,
    reused: Reused,
) -> Runs:
    """Return runs with what the newest of them measured, and what that is held against.

    Raises:
        GitHubError: GitHub did not answer, or refused.

    """
    shown: list[Shown] = []
    left = MOST_WITH_RESULTS
    for number, each in enumerate(runs.shown):
        results = None
        if left and number < MOST_LOOKED_AT and each.run.conclusion != "skipped":
            run = each.run
            results = await reader.of_run(
                place.client, place.repository, run.id, place.sweeps, over=run.finished
            )
            left -= bool(results.points or results.scores)
        shown.append(replace(each, results=results))
    wanted = {point.series for each in shown if each.results for point in each.results.points}
    compared = await _compared(reader, place, wanted, thresholds, reused)
    return replace(runs, shown=tuple(shown), compared=compared)


async def _compared(
    reader: ResultReader,
    place: Place,
    wanted: Collection[Series],
    thresholds: Thresholds | Text | None,
    reused: Reused,
) -> Compared:
    branch, before = place.pull["base"]["ref"], dict[Series, Baseline]()
    if wanted:
        before = await reader.baselines(
            place.client, place.repository, branch, place.sweeps, wanted, reused
        )
    if isinstance(thresholds, Text):
        return Compared(before, trouble=thresholds)
    return Compared(before, thresholds or Thresholds())


async def _section(place: Place, decisions: Decisions) -> Runs:
    sweeps, head = place.sweeps, head_of(place.pull)
    chosen = of_kind(decisions, "reuse").get(CHOICE)
    number = int(chosen.reason) if chosen else 0
    every = await _every(place, decisions, number)
    every.sort(key=lambda each: (each.run.created_at, each.run.id), reverse=True)
    return Runs(
        tuple([await _with_jobs(place, each) for each in every[:MOST_RUNS]]),
        sweeps,
        chosen,
        await looked_at(place, number) if number else Reuse(),
        labels=place.groups.starting(place.labels) if sweeps.workflows else (),
        head=head.sha,
        unfit=unfit(place.labels, sweeps),
    )


async def _every(place: Place, decisions: Decisions, chosen: int) -> list[Shown]:
    """Return the sweeps of the head, what was asked for, and the run that was chosen, 0 for none.

    That one may be of an earlier commit.
    """
    client, repository, head = place.client, place.repository, head_of(place.pull)
    at_head = of_workflows(await runs_at(client, repository, head), place.sweeps.workflows)
    every = [Shown(run, ()) for run in newest(at_head)]
    every += [Shown(run, (), head=head.sha) for run in await of_fork(place)]
    every += await _asked_for(place, decisions)
    if chosen and chosen not in {each.run.id for each in every}:
        run = await run_of(client, repository, chosen)
        every += [Shown(run, ())] if run else []
    return every


async def with_new(place: Place, decisions: Decisions, before: Runs) -> Runs | None:
    """Return what was shown before with the runs that somebody asked for since; None for none.

    Raises GitHubUnreachable.
    """
    try:
        found = await _asked_for(place, decisions, max(before.ids, default=0))
        rows = [await _with_jobs(place, each) for each in found]
    except GitHubRefused:  # whoever reads all of them says why
        return None
    return before.with_new(rows) if rows else None


async def _asked_for(place: Place, decisions: Decisions, after: int = 0) -> list[Shown]:
    """Return the newest runs that people asked for after another one, the newest first."""
    asked = [(int(run), each) for run, each in of_kind(decisions, "unofficial").items()]
    found = []
    for number, decision in sorted(asked, key=lambda each: -each[0])[:MOST_RUNS]:
        if number > after and (run := await run_of(place.client, place.repository, number)):
            found.append(Shown(run, (), decision, head=decision.head))
    return found


async def of_fork(place: Place) -> tuple[WorkflowRun, ...]:
    """Return the sweeps of a fork's head, which run on the target branch: their title says it.

    Whoever may dispatch chooses the title: they prove nothing, and no merge takes their results.
    Raises GitHubError.
    """
    sweeps, head, base = place.sweeps, head_of(place.pull), place.pull["base"]["repo"]["full_name"]
    if not (sweeps.dispatch and sweeps.dispatched) or head.repository == base:
        return ()
    if sweeps.dispatch not in await workflows_of(place.client, place.repository):
        return ()
    title = sweeps.dispatched.format(number=place.pull["number"], head=head.sha)
    since = place.pull["created_at"][:10]
    return await titled(place.client, place.repository, sweeps.dispatch, title, since)


async def _with_jobs(place: Place, each: Shown) -> Shown:
    jobs = await jobs_of(place.client, place.repository, each.run.id)
    why = why_not(each.run, jobs, None, place.commits, None, place.sweeps)
    return replace(each, jobs=jobs, reuse=Reuse(why, is_partial(each.run, jobs)))


async def looked_at(place: Place, number: int) -> Reuse:
    """Return what would come of reusing a run, with everything looked at.

    Raises:
        GitHubError: GitHub did not answer, or refused.

    """
    run = await run_of(place.client, place.repository, number)
    if run is None:
        return Reuse(text("this repository has no such run"))
    jobs = await jobs_of(place.client, place.repository, number)
    artifacts = await artifacts_of(place.client, place.repository, number)
    why = why_not(run, jobs, artifacts, place.commits, place.labels, place.sweeps)
    return Reuse(why, is_partial(run, jobs))
