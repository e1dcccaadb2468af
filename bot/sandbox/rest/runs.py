"""Workflow runs and their jobs: read, run again, cancelled."""

from collections.abc import Callable
from datetime import datetime, timedelta

from bot.sandbox.actions import FAILED, cancel, rerun
from bot.sandbox.answers import Answer, RefusedError, not_found, page
from bot.sandbox.rest.routes import Call, Input, Routes
from bot.sandbox.shapes.actions import job as job_shape
from bot.sandbox.shapes.actions import workflow_run
from bot.sandbox.workflows import Attempt, JobRun, Run

routes = Routes()
ACTIONS = "/repos/{owner}/{repo}/actions"
RUNS = f"{ACTIONS}/runs"
RUN = RUNS + "/{run_id}"
JOB = ACTIONS + "/jobs/{job_id}"
# https://docs.github.com/en/actions/how-tos/manage-workflow-runs/re-run-workflows-and-jobs
OLDEST = timedelta(days=30)
MOST_ATTEMPTS = 50
RUNNING = "This workflow is already running"
JOB_RUNNING = "The workflow run containing this job is already running"
TOO_OLD = "Unable to retry this workflow run because it was created over a month ago"
CANNOT = "This workflow run cannot be retried"
COMPLETED = "Cannot cancel a workflow run that is completed."


class Again(Input):
    """How to run again."""

    enable_debug_logging: bool = False


def found_run(call: Call) -> Run:
    """The run of the path.

    Raises RefusedError (404).
    """
    number = call.number("run_id")
    found = next((run for run in call.repository.runs if run.id == number), None)
    if found is None:
        raise not_found()
    return found


@routes.add("GET", RUNS)
async def list_runs(call: Call) -> Answer:
    """The runs of all workflows that pass the filters, newest first."""
    return listed(call, call.repository.runs)


def listed(call: Call, runs: list[Run]) -> Answer:
    """One page of the runs that pass the filters of the query, newest first."""
    query = call.url.query
    tests: dict[str, Callable[[Run, str], bool]] = {
        "actor": lambda run, text: run.actor.login == text,
        "branch": lambda run, text: run.head_branch == text,
        "event": lambda run, text: run.event == text,
        "status": lambda run, text: text in (run.attempt.status, run.attempt.conclusion),
        "created": lambda run, text: _created(run.created_at, text),
        "check_suite_id": lambda run, text: str(run.id) == text,
        "head_sha": lambda run, text: run.head_sha == text,
    }
    asked = [(test, query[name]) for name, test in tests.items() if name in query]
    found = [run for run in runs if all(test(run, text) for test, text in asked)]
    found.sort(key=lambda run: run.id, reverse=True)
    pulls = query.get("exclude_pull_requests") != "true"
    state = call.site.state
    return page(
        found,
        call.url,
        lambda run: workflow_run(state, run.attempt, with_pulls=pulls),
        "workflow_runs",
    )


def _created(at: str, wanted: str) -> bool:
    """Whether a time fits a range, such as `>=2026-11-30`.

    https://docs.github.com/en/search-github/getting-started-with-searching-on-github/understanding-the-search-syntax#query-for-dates
    """
    first, dots, last = wanted.partition("..")
    if dots:
        return (first == "*" or at >= first) and (last == "*" or at[: len(last)] <= last)
    for sign in (">=", "<=", ">", "<"):
        if wanted.startswith(sign):
            bound = wanted.removeprefix(sign)
            order = (at[: len(bound)] > bound) - (at[: len(bound)] < bound)
            return (order == 0 and "=" in sign) or order == (1 if sign[0] == ">" else -1)
    return at.startswith(wanted)


@routes.add("GET", RUN)
async def get_run(call: Call) -> Answer:
    """One run, as its newest attempt left it."""
    pulls = call.url.query.get("exclude_pull_requests") != "true"
    return Answer(workflow_run(call.site.state, found_run(call).attempt, with_pulls=pulls))


def _attempt(call: Call) -> Attempt:
    number = call.number("attempt_number")
    found = next((each for each in found_run(call).attempts if each.number == number), None)
    if found is None:
        raise not_found()
    return found


@routes.add("GET", RUN + "/attempts/{attempt_number}")
async def get_attempt(call: Call) -> Answer:
    """One attempt."""
    return Answer(workflow_run(call.site.state, _attempt(call)))


def _jobs(call: Call, jobs: list[JobRun]) -> Answer:
    return page(jobs, call.url, lambda it: job_shape(call.site.state, it), "jobs")


@routes.add("GET", RUN + "/attempts/{attempt_number}/jobs")
async def list_jobs_of_attempt(call: Call) -> Answer:
    """The jobs of one attempt."""
    return _jobs(call, _attempt(call).jobs)


@routes.add("GET", RUN + "/jobs")
async def list_jobs(call: Call) -> Answer:
    """The jobs of the newest attempt, or with `filter=all` of every attempt, newest first."""
    run = found_run(call)
    attempts = run.attempts[::-1] if call.url.query.get("filter") == "all" else [run.attempt]
    return _jobs(call, [job for attempt in attempts for job in attempt.jobs])


def _found_job(call: Call) -> JobRun:
    number = call.number("job_id")
    attempts = (attempt for run in call.repository.runs for attempt in run.attempts)
    found = next((job for it in attempts for job in it.jobs if job.id == number), None)
    if found is None:
        raise not_found()
    return found


@routes.add("GET", JOB)
async def get_job(call: Call) -> Answer:
    """One job."""
    return Answer(job_shape(call.site.state, _found_job(call)))


def _refuse(call: Call, run: Run, running: str) -> None:
    """Refuse what cannot run again; GitHub publishes none of these texts.

    https://github.com/cli/cli/issues/9989 and /9221 quote those of the age and of what runs.
    Raises RefusedError (403).
    """
    if not run.finished:
        raise RefusedError(403, running)
    made = datetime.fromisoformat(run.created_at)
    if made < datetime.fromisoformat(call.site.state.now()) - OLDEST:
        raise RefusedError(403, TOO_OLD)
    if run.attempt.number >= MOST_ATTEMPTS or run.logs_expired:
        raise RefusedError(403, CANNOT)


def _again(call: Call, run: Run, wanted: Callable[[JobRun], bool]) -> Answer:
    call.read(Again)
    rerun(call.site, run, wanted, call.bot)
    return Answer({}, status=201)


@routes.add("POST", RUN + "/rerun")
async def rerun_all(call: Call) -> Answer:
    """Run every job again."""
    run = found_run(call)
    _refuse(call, run, RUNNING)
    return _again(call, run, lambda _: True)


@routes.add("POST", RUN + "/rerun-failed-jobs")
async def rerun_failed(call: Call) -> Answer:
    """Run the jobs again that failed or were cancelled."""
    run = found_run(call)
    _refuse(call, run, RUNNING)
    if not any(job.conclusion in FAILED for job in run.attempt.jobs):
        raise RefusedError(403, CANNOT)
    return _again(call, run, lambda job: job.conclusion in FAILED)


@routes.add("POST", JOB + "/rerun")
async def rerun_job(call: Call) -> Answer:
    """Run one job of the newest attempt again."""
    job = _found_job(call)
    run = job.attempt.run
    _refuse(call, run, JOB_RUNNING)
    if job.attempt is not run.attempt:
        raise RefusedError(403, CANNOT)
    return _again(call, run, lambda it: it is job)


@routes.add("POST", RUN + "/cancel")
async def cancel_run(call: Call) -> Answer:
    """Cancel what has not ended."""
    run = found_run(call)
    if run.finished:
        raise RefusedError(409, COMPLETED)
    cancel(call.site, run)
    return Answer({}, status=202)
