"""Whether the results of a run may be reused at the merge, and why not.

https://github.com/SemiAnalysisAI/InferenceX: what was merged is not measured again; the merge takes
the artifacts of a sweep that a maintainer chose. A sweep of which jobs failed may be chosen too, by
its id: then what these jobs would have measured is not among the results. Without an id, the newest
sweep that succeeded is taken.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from checks.policy_types import Sweeps
from checks.sweeps.runs import Artifact, Job, WorkflowRun
from checks.text import Text, text

# Any other one did not measure, or nobody knows what.
_ENDED = frozenset({"success", "failure", "cancelled"})


@dataclass(frozen=True, slots=True)
class Reuse:
    """What would come of reusing a run.

    Args:
        why_not: why it cannot be reused; None when it can.
        partial: whether jobs of it failed, so that their results are missing.

    """

    why_not: Text | None = None
    partial: bool = False


def is_partial(run: WorkflowRun, jobs: Sequence[Job]) -> bool:
    """Tell whether a run that is over has not measured all that it was meant to."""
    return run.finished and (run.conclusion != "success" or any(job.failed for job in jobs))


def why_not(
    run: WorkflowRun,
    jobs: Sequence[Job],
    artifacts: Sequence[Artifact] | None,
    commits: Collection[str],
    labels: Collection[str] | None,
    sweeps: Sweeps,
) -> Text | None:
    """Return why a run cannot be reused, None when it can.

    Args:
        run: the run.
        jobs: of its newest attempt.
        artifacts: what it left; None when nobody looked yet.
        commits: ids of the pull request's commits.
        labels: names of the pull request's labels; None to leave out what they say of all runs.
        sweeps: the repository's policy.

    """
    return (
        _kind(run, sweeps)
        or _place(run, commits)
        or _outcome(run, jobs)
        or (unfit(labels, sweeps) if labels is not None else None)
        or (_artifacts(artifacts, sweeps) if artifacts is not None else None)
    )


def _kind(run: WorkflowRun, sweeps: Sweeps) -> Text | None:
    if run.event != "pull_request":
        return text(
            "it was started by {event}, and only sweeps of the pull request itself can be reused",
            event=run.event,
        )
    if run.workflow not in sweeps.workflows:
        return text(
            "it is a run of {workflow}, and only those of {sweeps} can be reused",
            workflow=run.workflow or run.name,
            sweeps=tuple(sweeps.workflows),
        )
    return None


def _place(run: WorkflowRun, commits: Collection[str]) -> Text | None:
    if run.head_sha in commits:
        return None
    return text("its commit {head} is not in this pull request", head=run.head_sha[:7])


def _outcome(run: WorkflowRun, jobs: Sequence[Job]) -> Text | None:
    if not run.finished:
        return text("it is still running")
    if not any(job.conclusion == "success" for job in jobs):
        return text("no job of it succeeded")
    if run.conclusion not in _ENDED:
        return text("it ended as {conclusion}", conclusion=run.conclusion or "")
    return None


def unfit(labels: Collection[str], sweeps: Sweeps) -> Text | None:
    """Return why a pull request with these labels cannot reuse any run; None when it can."""
    here = {label.lower() for label in labels}
    for label in sweeps.not_reusable:
        if label.lower() in here:
            return text("the label {label} makes its results unfit for a merge", label=label)
    if sweeps.reuse_labels and here.isdisjoint(label.lower() for label in sweeps.reuse_labels):
        return text(
            "the pull request has none of the labels {labels}, one of which its merge needs",
            labels=tuple(sweeps.reuse_labels),
        )
    return None


def _artifacts(artifacts: Sequence[Artifact], sweeps: Sweeps) -> Text | None:
    """Say so where nothing is left that a merge could take; logs may expire before results."""
    names = sweeps.reuse_artifacts or ("*",)
    wanted = [each for each in artifacts if any(fnmatchcase(each.name, name) for name in names)]
    if not wanted and sweeps.reuse_artifacts:
        return text("it left none of the artifacts {names}", names=tuple(names))
    if not wanted:
        return text("it left no artifacts")
    if all(each.expired for each in wanted):
        return text("its artifact {name} has expired", name=wanted[0].name)
    return None
