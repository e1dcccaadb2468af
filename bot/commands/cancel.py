"""`/cancel`: stop the sweeps and unofficial runs of this pull request, also for earlier pushes."""

from bot.commands import Answer, Asked, done, refused, started
from bot.github import GitHubBusy, GitHubRefused
from bot.runs import head_of, run_of, unfinished
from checks.decisions import of_kind
from checks.sweeps.rerun import name_of
from checks.sweeps.runs import WorkflowRun, of_workflows
from checks.text import Text, text


async def act(asked: Asked) -> Answer:
    """Ask GitHub to cancel what has not ended."""
    running = await _running(asked)
    if not running and asked.resumed:  # it was cancelled before we were cut short
        return done()
    if not running:
        return refused(text("No sweep and no unofficial run of this pull request is running."))
    refusals = [(run, await _cancel(asked, run)) for run in running]
    rows = [
        why or text("{run}, attempt {attempt}", run=name_of(run), attempt=run.attempt)
        for run, why in refusals
    ]
    if all(why for _, why in refusals) and not asked.resumed:
        return refused(text("Nothing is being cancelled:"), *rows)
    return started(text("Being cancelled:"), *rows)


async def _running(asked: Asked) -> list[WorkflowRun]:
    client, repository, sweeps = asked.client, asked.key.repository, asked.policy.sweeps
    found = await unfinished(client, repository, head_of(asked.pull))
    runs = {run.id: run for run in of_workflows(found, {*sweeps.workflows, sweeps.dispatch} - {""})}
    for subject in of_kind(await asked.decisions(), "unofficial"):
        run = await run_of(client, repository, int(subject)) if subject.isdecimal() else None
        if run is not None and not run.finished:
            runs[run.id] = run
    return [runs[number] for number in sorted(runs)]


async def _cancel(asked: Asked, run: WorkflowRun) -> Text | None:
    """Ask GitHub to cancel a run; return why it does not."""
    place = {"repository": asked.key.repository, "run": str(run.id)}
    try:
        await asked.client.post("/repos/{+repository}/actions/runs/{run}/cancel", place, data={})
    except GitHubRefused as error:
        if error.lacks or isinstance(error, GitHubBusy):
            raise
        if error.status == 409:
            return text("{run} had ended already.", run=name_of(run))
        return text("GitHub refused to cancel {run}: {reason}", run=name_of(run), reason=str(error))
    return None
