"""Workflow runs being started, worked on, finished, cancelled and run again."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from bot.sandbox.delivery import Json
from bot.sandbox.shapes.actions import job as job_shape
from bot.sandbox.shapes.actions import workflow as workflow_shape
from bot.sandbox.shapes.actions import workflow_run
from bot.sandbox.site import Site
from bot.sandbox.state import Account, PullRequest, Repository
from bot.sandbox.workflows import Attempt, JobRun, Run, Workflow

# What "Re-run failed jobs" runs again.
FAILED = ("failure", "timed_out", "cancelled")


def start(
    site: Site,
    workflow: Workflow,
    actor: Account,
    *,
    event: str,
    head: tuple[Repository, str, str],
    title: str = "",
    jobs: Sequence[str] | None = None,
    inputs: Mapping[str, str] | None = None,
) -> Run:
    """Start a run about `head` (repository, branch, commit), its jobs waiting for runners.

    Delivers `workflow_run.requested`, and `workflow_job.queued` for each job.
    """
    state, repository = site.state, workflow.repository
    run = Run(
        state.next_id(),
        1 + sum(known.workflow is workflow for known in repository.runs),
        workflow,
        event,
        *head,
        title=title or workflow.name,
        actor=actor,
        created_at=state.now(),
        inputs=dict(inputs or {}),
    )
    repository.runs.append(run)
    attempt = _attempt(site, run, actor)
    attempt.jobs = [_queued(site, attempt, each) for each in jobs or workflow.jobs]
    _tell_queued(site, attempt, attempt.jobs)
    return run


def start_on(
    site: Site,
    workflow: Workflow,
    actor: Account,
    event: str,
    branch: str = "main",
    inputs: Mapping[str, str] | None = None,
) -> Run:
    """Start a run about the tip of a branch, as a push to it does, or somebody by hand.

    Raises LookupError when there is no such branch.
    """
    repository, given = workflow.repository, inputs or {}
    tip = repository.git.resolve(f"refs/heads/{branch}")
    if tip is None:
        raise LookupError(f"{repository.full_name} has no branch {branch}.")
    title = workflow.run_name.format_map({**dict.fromkeys(workflow.inputs, ""), **given})
    head = (repository, branch, tip)
    return start(site, workflow, actor, event=event, head=head, title=title, inputs=given)


def start_for(site: Site, pull: PullRequest, labels: Iterable[str], sender: Account) -> None:
    """Start the workflows that one of the labels starts; their older runs are cancelled.

    Only for branches of the repository, since GitHub holds back workflows of forks.
    """
    repository, wanted = pull.repository, frozenset(labels)
    if pull.head_repository is not repository:
        return
    for workflow in repository.workflows.values():
        if not workflow.labels & wanted:
            continue
        for run in list(repository.runs):
            about = (run.workflow, run.head_branch, run.event)
            if about == (workflow, pull.head_ref, "pull_request") and not run.finished:
                cancel(site, run)
        head = (repository, pull.head_ref, pull.head_sha)
        title = f"{workflow.name} - {pull.title}"
        start(site, workflow, sender, event="pull_request", head=head, title=title)


def _attempt(site: Site, run: Run, actor: Account) -> Attempt:
    now = site.state.now()
    attempt = Attempt(run, len(run.attempts) + 1, actor, now, now)
    run.attempts.append(attempt)
    return attempt


def _queued(site: Site, attempt: Attempt, name: str) -> JobRun:
    now = site.state.now()
    return JobRun(site.state.next_id(), attempt, name, now, now)


def _tell_queued(site: Site, attempt: Attempt, jobs: Iterable[JobRun]) -> None:
    _tell_run(site, "requested", attempt)
    for job in jobs:
        _tell_job(site, "queued", job)


def _tell_run(site: Site, action: str, attempt: Attempt) -> None:
    run = attempt.run
    content: Json = {
        "action": action,
        "workflow": workflow_shape(site.state, run.workflow),
        "workflow_run": workflow_run(site.state, attempt),
    }
    site.outbox.send("workflow_run", content, run.repository, attempt.actor)


def _tell_job(site: Site, action: str, job: JobRun) -> None:
    content: Json = {"action": action, "workflow_job": job_shape(site.state, job)}
    site.outbox.send("workflow_job", content, job.attempt.run.repository, job.attempt.actor)


def begin(site: Site, job: JobRun) -> None:
    """Give a waiting job a runner; delivers its `in_progress`, and with the first the run's."""
    attempt, now = job.attempt, site.state.now()
    job.status, job.started_at, job.runner = "in_progress", now, f"runner-{job.id}"
    attempt.updated_at = now
    if attempt.status == "queued":
        attempt.status = "in_progress"
        _tell_run(site, "in_progress", attempt)
    _tell_job(site, "in_progress", job)


def end(site: Site, job: JobRun, conclusion: str) -> None:
    """End a job; delivers `workflow_job.completed`, and the run's after the last one."""
    if job.status == "queued" and conclusion not in ("cancelled", "skipped"):
        begin(site, job)
    now = site.state.now()
    job.status, job.conclusion, job.completed_at = "completed", conclusion, now
    job.attempt.updated_at = now
    _tell_job(site, "completed", job)
    if all(each.status == "completed" for each in job.attempt.jobs):
        _complete(site, job.attempt)


def _complete(site: Site, attempt: Attempt) -> None:
    ended = {job.conclusion for job in attempt.jobs}
    order = ("failure", "timed_out", "cancelled", "action_required", "success", "neutral")
    worst = next((each for each in order if each in ended), "skipped")
    attempt.status, attempt.conclusion = "completed", attempt.wanted or worst
    _tell_run(site, "completed", attempt)


def finish(
    site: Site, run: Run, conclude: Callable[[JobRun], str], conclusion: str | None = None
) -> None:
    """End everything of a run that has not ended, each job as `conclude` says.

    Without a `conclusion` the run ends as the worst of its jobs.
    """
    run.attempt.wanted = conclusion
    for job in run.attempt.jobs:
        if job.status != "completed":
            end(site, job, conclude(job))
    if not run.finished:  # it has no jobs
        _complete(site, run.attempt)


def cancel(site: Site, run: Run) -> None:
    """Cancel what waits or runs; what has ended stays as it is."""
    finish(site, run, lambda _: "cancelled", "cancelled")


def rerun(site: Site, run: Run, again: Callable[[JobRun], bool], actor: Account) -> Attempt:
    """Start one more attempt, in which some jobs run again and the others are listed once more."""
    before = run.attempt
    attempt = _attempt(site, run, actor)
    fresh = []
    for old in before.jobs:
        if again(old):
            fresh.append(_queued(site, attempt, old.name))
            attempt.jobs.append(fresh[-1])
        else:
            attempt.jobs.append(_carried(site, attempt, old))
    _tell_queued(site, attempt, fresh)
    return attempt


def _carried(site: Site, attempt: Attempt, old: JobRun) -> JobRun:
    return JobRun(
        site.state.next_id(),
        attempt,
        old.name,
        old.created_at,
        old.started_at,
        old.status,
        old.conclusion,
        old.completed_at,
        old.labels,
        old.runner,
    )
