"""Gather what the sticky comment says about runs: sweeps of the head, and what was asked for."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from bot.github import Client, GitHubRefused
from bot.runs import artifacts_of, head_of, jobs_of, run_of, runs_at
from checks.decisions import Decision, Decisions, of_kind
from checks.policy_types import Sweeps
from checks.sweeps.reuse import why_not
from checks.sweeps.runs import WorkflowRun, newest, of_workflows
from checks.sweeps.section import MOST_RUNS, Runs, Shown
from checks.text import Text, text

CHOICE = "run"  # the subject of the decision which run is reused


@dataclass(frozen=True, slots=True)
class Place:
    """Where to look: the repository ("owner/name"), the pull request and its commits."""

    client: Client
    repository: str
    pull: Any
    commits: Collection[str]
    sweeps: Sweeps

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


async def _section(place: Place, decisions: Decisions) -> Runs:
    at_head = await runs_at(place.client, place.repository, head_of(place.pull))
    wanted = newest(of_workflows(at_head, place.sweeps.workflows))
    every: list[tuple[WorkflowRun, Decision | None]] = [(run, None) for run in wanted]
    for number, decision in of_kind(decisions, "unofficial").items():
        run = await run_of(place.client, place.repository, int(number))
        if run is not None:
            every.append((run, decision))
    every.sort(key=lambda each: (each[0].created_at, each[0].id), reverse=True)
    shown = [await _shown(place, run, decision) for run, decision in every[:MOST_RUNS]]
    chosen = of_kind(decisions, "reuse").get(CHOICE)
    invalid = await why_not_run(place, int(chosen.reason)) if chosen else None
    return Runs(tuple(shown), place.sweeps, chosen, invalid)


async def _shown(place: Place, run: WorkflowRun, decision: Decision | None) -> Shown:
    jobs = await jobs_of(place.client, place.repository, run.id)
    why = why_not(run, jobs, None, place.commits, place.labels, place.sweeps)
    return Shown(run, jobs, decision, why)


async def why_not_run(place: Place, number: int) -> Text | None:
    """Return why a run cannot be reused, with everything looked at; None when it can.

    Raises:
        GitHubError: GitHub did not answer, or refused.

    """
    run = await run_of(place.client, place.repository, number)
    if run is None:
        return text("this repository has no such run")
    jobs = await jobs_of(place.client, place.repository, number)
    artifacts = await artifacts_of(place.client, place.repository, number)
    return why_not(run, jobs, artifacts, place.commits, place.labels, place.sweeps)
