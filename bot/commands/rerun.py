"""`/rerun [failed|all|<run id>|<job glob>]`: run jobs of the newest runs again.

What it does is seen on GitHub: after a crash, a run that was started again since the command was
given is not started once more.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from bot.commands import Answer, Asked, refused, started
from bot.github import GitHubBusy, GitHubRefused
from bot.runs import has_logs, head_of, jobs_of, run_of, runs_at
from checks.decisions import of_kind
from checks.sweeps.rerun import (
    Chosen,
    Refusal,
    again,
    choose,
    name_of,
    nothing_meant,
    pick,
    refuse,
    tried,
)
from checks.sweeps.runs import Job, WorkflowRun, newest, same
from checks.text import Text, text

_URLS = {
    "failed": "/repos/{+repository}/actions/runs/{run}/rerun-failed-jobs",
    "all": "/repos/{+repository}/actions/runs/{run}/rerun",
    "job": "/repos/{+repository}/actions/jobs/{job}/rerun",
}


@dataclass(frozen=True, slots=True)
class Begun:
    """A run that runs again, and what to say of it."""

    rows: tuple[Text, ...]


async def act(asked: Asked) -> Answer:
    """Start again what may be, and say of each run what became of it."""
    wanted = asked.arguments
    runs = await _runs(asked)
    if not runs:
        return refused(text("There is no workflow run at {head}.", head=asked.head[:7]))
    candidates: Sequence[WorkflowRun] = newest(runs)
    if wanted.run is not None:
        picked = pick(wanted.run, runs, asked.head)
        if isinstance(picked, Refusal):
            return refused(picked.words, *picked.rows)
        candidates = [picked]
    results: list[Begun | Refusal] = []
    seen: list[Job] = []
    for run in candidates:
        jobs = await jobs_of(asked.client, asked.key.repository, run.id)
        seen += jobs
        result = await _run_again(asked, runs, await _present(asked, run, jobs), jobs)
        results += [] if result is None else [result]
    return _answer(asked, results or [nothing_meant(wanted, asked.head, seen)])


async def _runs(asked: Asked) -> list[WorkflowRun]:
    """Return the runs about the head, and those that people started for it by command."""
    client, repository = asked.client, asked.key.repository
    found = list(await runs_at(client, repository, head_of(asked.pull)))
    known = {str(run.id) for run in found}
    for subject, decision in of_kind(await asked.decisions(), "unofficial").items():
        if decision.head == asked.head and subject not in known and subject.isdecimal():
            run = await run_of(client, repository, int(subject))
            found += [run] if run else []
    return found


async def _present(asked: Asked, run: WorkflowRun, jobs: Sequence[Job]) -> WorkflowRun:
    """Return the run as it is now if somebody started it again before its jobs were read."""
    if not run.finished or all(job.finished for job in jobs):
        return run
    return await run_of(asked.client, asked.key.repository, run.id) or run


async def _run_again(
    asked: Asked, runs: Sequence[WorkflowRun], run: WorkflowRun, jobs: Sequence[Job]
) -> Begun | Refusal | None:
    if _begun_before(asked, run):
        return _goes_on(run)
    chosen = choose(asked.arguments, run, jobs)
    if not isinstance(chosen, Chosen):
        return chosen
    client, repository = asked.client, asked.key.repository
    # In a run of one attempt nothing was tried again.
    older = [each for each in runs if same(each) == same(run) and each.attempt > 1]
    ids = sorted({run.id, *(each.id for each in older)})
    ran = tried([await jobs_of(client, repository, each, every_attempt=True) for each in ids])
    refusal = refuse(
        chosen,
        ran,
        now=datetime.fromtimestamp(time.time(), UTC),
        has_logs=await has_logs(client, repository, run.id),
        budget=asked.policy.sweeps.retries,
    )
    return refusal or await _start(asked, chosen, Begun(again(chosen, ran)))


def _begun_before(asked: Asked, run: WorkflowRun) -> bool:
    """Tell whether we may have started the run again before we were cut short."""
    if not asked.resumed or run.attempt == 1:
        return False
    return run.started_at >= datetime.fromisoformat(asked.said.written_at)


def _goes_on(run: WorkflowRun) -> Begun:
    words = text(
        "{run} runs again as attempt {attempt}, started by {login}.",
        run=name_of(run),
        attempt=run.attempt,
        login=run.actor,
    )
    return Begun((words,))


async def _start(asked: Asked, chosen: Chosen, begun: Begun) -> Begun | Refusal:
    run = chosen.run
    place = {"repository": asked.key.repository}
    place |= {"run": str(run.id), "job": str(chosen.jobs[0].id) if chosen.jobs else ""}
    try:
        await asked.client.post(_URLS[chosen.call], place, data={})
    except GitHubBusy:
        raise
    except GitHubRefused as error:
        if error.lacks:
            raise
        now = await run_of(asked.client, asked.key.repository, run.id)
        if now is not None and now.attempt > run.attempt:  # somebody else was faster
            return _goes_on(now)
        words = text(
            "GitHub refused to run {run} again: {reason}", run=name_of(run), reason=str(error)
        )
        return Refusal(words)
    return begun


def _answer(asked: Asked, results: Sequence[Begun | Refusal]) -> Answer:
    rows: list[Text] = []
    for result in results:
        rows += [result.words] if isinstance(result, Refusal) else []
        rows += result.rows
    if any(isinstance(result, Begun) for result in results):
        return started(text("At {head}:", head=asked.head[:7]), *rows)
    if len(results) == 1:
        return refused(rows[0], *rows[1:])
    return refused(text("Nothing runs again at {head}:", head=asked.head[:7]), *rows)
