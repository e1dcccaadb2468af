"""Workflow runs, their jobs and artifacts, as far as decisions need them.

https://docs.github.com/en/rest/actions/workflow-runs, its jobs and its artifacts.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatchcase

# What "Re-run failed jobs" runs again:
# https://docs.github.com/en/actions/how-tos/manage-workflow-runs/re-run-workflows-and-jobs
FAILED = frozenset({"failure", "cancelled", "timed_out", "startup_failure"})


@dataclass(frozen=True, slots=True)
class WorkflowRun:
    """A workflow run as its newest attempt left it.

    Args:
        id: the same for all attempts.
        workflow: name of the workflow's file, such as "run-sweep.yml"; "" if it has none.
        workflow_id: the workflow, also after its file was renamed.
        name: of the workflow, hostile.
        title: what GitHub shows for the run, hostile.
        event: what started it, such as "pull_request" or "workflow_dispatch".
        head_repository: "owner/name" of where the head is; "" once that is deleted.
        head_branch: "" if GitHub names none.
        head_sha: the commit that it measures; of "workflow_dispatch" the tip of the branch that
            it was dispatched on.
        attempt: counts from 1.
        status: "completed", or one of several for what waits or runs.
        conclusion: None until it is completed.
        actor: login of who started this attempt.
        created_at: when the first attempt was asked for.
        started_at: when this attempt was asked for.
        updated_at: of this attempt.
        url: its page.

    """

    id: int
    workflow: str
    workflow_id: int
    name: str
    title: str
    event: str
    head_repository: str
    head_branch: str
    head_sha: str
    attempt: int
    status: str
    conclusion: str | None
    actor: str
    created_at: datetime
    started_at: datetime
    updated_at: datetime
    url: str

    @property
    def finished(self) -> bool:
        """Whether nothing of it waits or runs."""
        return self.status == "completed"


@dataclass(frozen=True, slots=True)
class Job:
    """One execution of a job.

    Args:
        id: of this execution.
        run_id: of the run.
        attempt: the run's attempt that lists it; one that did not run again is in later ones too.
        name: "caller / inner" for a job of a called workflow; hostile.
        status: "completed", or one of several for what waits or runs.
        conclusion: None until it is completed.
        started_at: None as long as GitHub says none.
        completed_at: None until it is completed.
        url: its page.
        labels: of the runners that it asks for.
        runner: name of its runner; "" until it has one.

    """

    id: int
    run_id: int
    attempt: int
    name: str
    status: str
    conclusion: str | None
    started_at: datetime | None
    completed_at: datetime | None
    url: str
    labels: tuple[str, ...] = ()
    runner: str = ""

    @property
    def finished(self) -> bool:
        """Whether it neither waits nor runs."""
        return self.status == "completed"

    @property
    def failed(self) -> bool:
        """Whether "Re-run failed jobs" would run it again."""
        return self.finished and self.conclusion in FAILED


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file that a run left; `size` in bytes, zipped.

    `expires_at` is None where GitHub keeps it to itself.
    """

    id: int
    name: str
    size: int
    expired: bool
    created_at: datetime
    expires_at: datetime | None


@dataclass(frozen=True, slots=True)
class Head:
    """What a pull request's runs have in common; forks have no other link to it.

    GitHub leaves `pull_requests` of a run empty for forks, and two forks may have a branch of one
    name: https://docs.github.com/en/rest/actions/workflow-runs#get-a-workflow-run
    """

    repository: str
    branch: str
    sha: str

    def has(self, run: WorkflowRun) -> bool:
        """Tell whether a run is about this head."""
        return run.head_sha == self.sha and self.has_branch_of(run)

    def has_branch_of(self, run: WorkflowRun) -> bool:
        """Tell whether a run is about this head or an earlier one of the same branch."""
        same = run.head_repository.lower() == self.repository.lower()
        return bool(self.repository) and same and run.head_branch == self.branch


def same(run: WorkflowRun) -> tuple[int, str, str, int]:
    """Return what runs have in common of which only the newest counts.

    That is workflow, event and head SHA. A run that was started by hand has none like it, since
    its inputs are its own.
    """
    by_hand = run.id if run.event in {"workflow_dispatch", "repository_dispatch"} else 0
    return (run.workflow_id, run.event, run.head_sha, by_hand)


def newest(runs: Iterable[WorkflowRun]) -> tuple[WorkflowRun, ...]:
    """Return the newest run of each workflow, event and head SHA, the newest of all first.

    A run in which nothing ran ("skipped", as after a label that its workflow ignores) says nothing
    about the head and hides no other.
    """
    found: dict[tuple[int, str, str, int], WorkflowRun] = {}
    for run in sorted(runs, key=lambda run: (run.conclusion != "skipped", run.created_at, run.id)):
        found[same(run)] = run
    return tuple(sorted(found.values(), key=lambda run: (run.created_at, run.id), reverse=True))


def of_workflows(runs: Iterable[WorkflowRun], files: Iterable[str]) -> tuple[WorkflowRun, ...]:
    """Return the runs of some workflows, given by the names of their files."""
    wanted = frozenset(files)
    return tuple(run for run in runs if run.workflow in wanted)


def matching(jobs: Iterable[Job], glob: str) -> tuple[Job, ...]:
    """Return the jobs whose whole name a glob matches; case counts, and `*` crosses slashes."""
    return tuple(job for job in jobs if fnmatchcase(job.name, glob))


def executions(jobs: Iterable[Job]) -> dict[str, tuple[Job, ...]]:
    """Return each time that a job ran, the oldest first, by the name of the job.

    Args:
        jobs: of all attempts of one run. A later attempt lists what did not run again once more,
            with another id and the old times.

    """
    ran: dict[str, dict[object, Job]] = {}
    for job in sorted(jobs, key=lambda job: (job.attempt, job.id)):
        times = (job.started_at, job.completed_at, job.conclusion, job.runner)
        ran.setdefault(job.name, {}).setdefault(times, job)
    return {name: tuple(each.values()) for name, each in ran.items()}


def count(jobs: Sequence[Job]) -> dict[str, int]:
    """Return how many jobs there are of each conclusion; "" for those that are not finished."""
    counted: dict[str, int] = {}
    for job in jobs:
        conclusion = job.conclusion or ""
        counted[conclusion] = counted.get(conclusion, 0) + 1
    return counted
