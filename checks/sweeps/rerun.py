"""What `/rerun` may run again, and why not the rest.

GitHub runs the failed jobs of a run again, or all of them, or one at a time, and nothing of a run
that is not over: https://docs.github.com/en/rest/actions/workflow-runs#re-run-a-workflow
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from checks.commands.rerun import Rerun
from checks.sweeps.runs import Job, WorkflowRun, executions, matching, newest, same
from checks.text import Text, link, text

# https://docs.github.com/en/actions/how-tos/manage-workflow-runs/re-run-workflows-and-jobs
MOST_AGE = timedelta(days=30)
MOST_ATTEMPTS = 50
MOST_ROWS = 10
Call = Literal["failed", "all", "job"]


@dataclass(frozen=True, slots=True)
class Chosen:
    """What of one run is meant to run again.

    Args:
        run: whose newest attempt it is about.
        call: what GitHub is to be asked for.
        jobs: those that it would run again; one for "job".
        later: meant as well, but GitHub runs one job at a time.

    """

    run: WorkflowRun
    call: Call
    jobs: tuple[Job, ...]
    later: tuple[Job, ...] = ()


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why nothing of a run is run again; `rows` are more of the same, such as its jobs."""

    words: Text
    rows: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class Tried:
    """How a job ended each time that it ran at one head, and how many of these were retries."""

    conclusions: tuple[str, ...]
    retries: int


def tried(every: Iterable[Iterable[Job]]) -> dict[str, Tried]:
    """Return what jobs did at one head, by their names.

    Args:
        every: for each run of a workflow there, the oldest first, the jobs of all its attempts.

    """
    found: dict[str, Tried] = {}
    for jobs in every:
        for name, ran in executions(jobs).items():
            before = found.get(name, Tried((), 0))
            conclusions = tuple(job.conclusion or job.status for job in ran)
            found[name] = Tried(
                before.conclusions + conclusions, before.retries + len(conclusions) - 1
            )
    return found


def name_of(run: WorkflowRun) -> Text:
    """Return a run's id, linked, and the name of its workflow."""
    return text("{run} of {workflow}", run=link(run.id, run.url), workflow=run.name or run.workflow)


def choose(wanted: Rerun, run: WorkflowRun, jobs: Sequence[Job]) -> Chosen | Refusal | None:
    """Return what a command means of one run; None where it means nothing of it.

    What counts are the jobs: a cancelled run may have failed ones.

    Args:
        wanted: what the command says.
        run: the newest of its workflow, event and head.
        jobs: of its newest attempt.

    """
    meant = tuple(jobs)
    if wanted.jobs is not None:
        meant = matching(jobs, wanted.jobs)
        if not meant:
            return None
    if not run.finished:
        return _running(run)
    if wanted.jobs is not None:
        return _of_glob(run, jobs, meant)
    failed = tuple(job for job in jobs if job.failed)
    if failed and wanted.scope != "all":
        return Chosen(run, "failed", failed)
    return None if wanted.scope == "failed" else Chosen(run, "all", meant)


def _running(run: WorkflowRun) -> Refusal:
    return Refusal(
        text(
            "{run} is still running (attempt {attempt}, started by {login}); it was left alone.",
            run=name_of(run),
            attempt=run.attempt,
            login=run.actor,
        )
    )


def _of_glob(run: WorkflowRun, jobs: Sequence[Job], meant: tuple[Job, ...]) -> Chosen | Refusal:
    """Prefer failed jobs; of several that are not all that failed, begin with one."""
    failed = tuple(job for job in meant if job.failed)
    if failed and len(failed) == sum(job.failed for job in jobs):
        return Chosen(run, "failed", failed)
    if failed:
        return Chosen(run, "job", failed[:1], failed[1:])
    if len(meant) == 1:
        return Chosen(run, "job", meant)
    words = text(
        "None of the {count} jobs of {run} that are meant failed, and GitHub runs others again one"
        " at a time: name one of them.",
        count=len(meant),
        run=name_of(run),
    )
    return Refusal(words, _listed(meant))


def refuse(
    chosen: Chosen,
    ran: Mapping[str, Tried],
    *,
    now: datetime,
    has_logs: bool,
    budget: int,
) -> Refusal | None:
    """Return why something that is meant may not run again, or None.

    Args:
        chosen: what is meant.
        ran: what its jobs did at this head, by their names.
        now: the time.
        has_logs: whether GitHub still has the logs of the run, without which it repeats nothing.
        budget: how often one job may be run again at one head.

    """
    if words := _over(chosen.run, now, has_logs=has_logs):
        return Refusal(words)
    spent = [job for job in chosen.jobs if _of(ran, job).retries >= budget]
    if not spent:
        return None
    words = text(
        "{run} was left alone: at this commit a job may be run again {budget} times, and that is"
        " used up for {count} of its jobs. Name others by a glob, or push.",
        run=name_of(chosen.run),
        budget=budget,
        count=len(spent),
    )
    return Refusal(words, history(spent, ran))


def _over(run: WorkflowRun, now: datetime, *, has_logs: bool) -> Text | None:
    """Return why GitHub runs nothing of a run again, whatever it is."""
    advice = text("push, or start a new run")
    if now - run.created_at > MOST_AGE:
        return text(
            "{run} is older than {days} days, after which GitHub runs nothing again; {advice}.",
            run=name_of(run),
            days=MOST_AGE.days,
            advice=advice,
        )
    if run.attempt >= MOST_ATTEMPTS:
        return text(
            "{run} was attempted {attempt} times, and GitHub takes no more; {advice}.",
            run=name_of(run),
            attempt=run.attempt,
            advice=advice,
        )
    if not has_logs:
        return text(
            "The logs of {run} have expired, and GitHub runs nothing again without them; {advice}.",
            run=name_of(run),
            advice=advice,
        )
    return None


def _of(ran: Mapping[str, Tried], job: Job) -> Tried:
    """Return what a job did; GitHub may list it only since it was asked for the others."""
    return ran.get(job.name) or Tried((job.conclusion or job.status,), 0)


def history(jobs: Sequence[Job], ran: Mapping[str, Tried]) -> tuple[Text, ...]:
    """Return one row for each job: how it ended every time that it ran at this head."""
    rows = [
        text(
            "{job}: {conclusions}",
            job=job.name,
            conclusions=tuple(_of(ran, job).conclusions),
        )
        for job in jobs[:MOST_ROWS]
    ]
    return (*rows, *_more(len(jobs)))


def _listed(jobs: Sequence[Job]) -> tuple[Text, ...]:
    rows = [Text("{job}", {"job": job.name}) for job in jobs[:MOST_ROWS]]
    return (*rows, *_more(len(jobs)))


def _more(count: int) -> Iterable[Text]:
    if count > MOST_ROWS:
        yield text("… and {count} more", count=count - MOST_ROWS)


def again(chosen: Chosen, ran: Mapping[str, Tried]) -> tuple[Text, ...]:
    """Return the rows that say what runs again now, and what has to wait."""
    head = text(
        "{run} runs again as attempt {attempt}; jobs: {count}.",
        run=name_of(chosen.run),
        count=len(chosen.jobs),
        attempt=chosen.run.attempt + 1,
    )
    rows = (head, *history(chosen.jobs, ran))
    if not chosen.later:
        return rows
    words = text(
        "GitHub runs one job again at a time; jobs that wait: {count}. When this attempt is over,"
        " say it again, or say {command} for all that failed.",
        count=len(chosen.later),
        command="/rerun failed",
    )
    return (*rows, words, *_listed(chosen.later))


def nothing_meant(wanted: Rerun, head: str, jobs: Iterable[Job]) -> Refusal:
    """Return why no run has anything that is meant.

    Args:
        wanted: what the command says.
        head: commit id.
        jobs: of the newest runs, which there are.

    """
    if wanted.jobs is None:
        return Refusal(text("No job failed in the newest runs at {head}.", head=head[:7]))
    names = dict.fromkeys(job.name for job in jobs)
    words = text(
        "No job of the newest runs at {head} has a name like {glob}.",
        head=head[:7],
        glob=wanted.jobs,
    )
    rows = [Text("{job}", {"job": name}) for name in list(names)[:MOST_ROWS]]
    return Refusal(words, (*rows, *_more(len(names))))


def pick(wanted: int, runs: Sequence[WorkflowRun], head: str) -> WorkflowRun | Refusal:
    """Return the run of an id, unless it is not about the head or a newer one took its place.

    Running an older one again could cancel the newer one.

    Args:
        wanted: the id.
        runs: those about the head.
        head: commit id.

    """
    run = next((run for run in runs if run.id == wanted), None)
    if run is None:
        words = text("{run} is no workflow run at {head}.", run=str(wanted), head=head[:7])
        return Refusal(words)
    newer = next(each for each in newest(runs) if same(each) == same(run))
    if newer.id <= run.id:
        return run
    words = text(
        "{run} is not the newest run of its workflow at this commit; {newer} is.",
        run=name_of(run),
        newer=link(newer.id, newer.url),
    )
    return Refusal(words)
