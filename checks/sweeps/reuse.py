"""Whether the results of a run may be reused at the merge, and why not.

https://github.com/SemiAnalysisAI/InferenceX: main never measures again what was merged; it takes
the artifacts of a sweep that a maintainer chose.
"""

from collections.abc import Collection, Sequence

from checks.policy_types import Sweeps
from checks.sweeps.runs import Artifact, Job, WorkflowRun
from checks.text import Text, text


def why_not(
    run: WorkflowRun,
    jobs: Sequence[Job],
    artifacts: Sequence[Artifact] | None,
    commits: Collection[str],
    labels: Collection[str],
    sweeps: Sweeps,
) -> Text | None:
    """Return why a run cannot be reused, None when it can.

    Args:
        run: the run.
        jobs: of its newest attempt.
        artifacts: what it left; None when nobody looked yet.
        commits: ids of the pull request's commits.
        labels: names of the pull request's labels.
        sweeps: the repository's policy.

    """
    return (
        _kind(run, sweeps)
        or _place(run, commits)
        or _outcome(run, jobs)
        or _labels(labels, sweeps)
        or (_artifacts(artifacts) if artifacts is not None else None)
    )


def _kind(run: WorkflowRun, sweeps: Sweeps) -> Text | None:
    if run.workflow not in sweeps.workflows:
        return text(
            "it is a run of {workflow}, and only those of {sweeps} can be reused",
            workflow=run.workflow or run.name,
            sweeps=", ".join(sweeps.workflows),
        )
    if run.event != "pull_request":
        return text(
            "it was started by {event}, and only sweeps of the pull request itself can be reused",
            event=run.event,
        )
    return None


def _place(run: WorkflowRun, commits: Collection[str]) -> Text | None:
    if run.head_sha in commits:
        return None
    return text("its commit {head} is not in this pull request", head=run.head_sha[:7])


def _outcome(run: WorkflowRun, jobs: Sequence[Job]) -> Text | None:
    if not run.finished:
        return text("it is still running")
    if any(job.conclusion == "success" for job in jobs):
        return None
    return text("no job of it succeeded")


def _labels(labels: Collection[str], sweeps: Sweeps) -> Text | None:
    here = {label.lower() for label in labels}
    for label in sweeps.not_reusable:
        if label.lower() in here:
            return text("the label {label} makes its results unfit for a merge", label=label)
    return None


def _artifacts(artifacts: Sequence[Artifact]) -> Text | None:
    if not artifacts:
        return text("it left no artifacts")
    gone = next((each for each in artifacts if each.expired), None)
    return text("its artifact {name} has expired", name=gone.name) if gone else None
