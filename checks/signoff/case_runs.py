"""The runs of a case, as GitHub and their artifacts would tell of them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from checks.matrix.schema import AGENTIC, FIXED
from checks.parse.hardware import sku
from checks.signoff.cases import CaseConfig, CaseRun
from checks.signoff.facts import Measured, OwnFile, Score
from checks.signoff.prints import Print
from checks.sweeps.runs import Artifact, Job, WorkflowRun

REPOSITORY = "owner/name"
COMMITS = {"head": "a" * 40, "earlier": "e" * 40, "gone": "d" * 40, "unknown": ""}
BASE = "b" * 40
_TIME = datetime(2026, 1, 1, tzinfo=UTC)
URL = f"https://github.com/{REPOSITORY}"


def prints(files: Iterable[OwnFile], changed: tuple[str, ...]) -> Mapping[str, Print]:
    """Return what the pull request did to its files before some of them changed."""
    then = Print("b", "then", "then")
    return {each.path: then if each.path in changed else each.print for each in files}


def measured(
    each: CaseRun,
    number: int,
    workflow: str,
    configs: Mapping[str, CaseConfig],
    files: tuple[OwnFile, ...],
) -> Measured:
    """Return a run with what it left.

    Args:
        each: what the case says of it.
        number: its id.
        workflow: the file that it ran.
        configs: those of the case, by key.
        files: those of the case.

    """
    jobs = tuple(_job(name, end, number) for name, end in each.jobs.items())
    scores = None if each.scores is None else tuple(_scores(each.scores, configs))
    left = (Artifact(number, "results", 1, each.expired, _TIME, None),)
    run = _run(number, workflow, COMMITS[each.commit], jobs)
    return Measured(run, jobs, left, scores, each.frontier, prints(files, each.changed_since))


def _run(number: int, workflow: str, head: str, jobs: Sequence[Job]) -> WorkflowRun:
    over, bad = all(job.finished for job in jobs), any(job.failed for job in jobs)
    return WorkflowRun(
        id=number,
        workflow=workflow,
        workflow_id=1,
        name=workflow,
        title="",
        event="pull_request",
        head_repository=REPOSITORY,
        head_branch="branch",
        head_sha=head,
        attempt=1,
        status="completed" if over else "in_progress",
        conclusion=("failure" if bad else "success") if over else None,
        actor="author",
        created_at=_TIME,
        started_at=_TIME,
        updated_at=_TIME,
        url=f"{URL}/actions/runs/{number}",
    )


def _job(name: str, conclusion: str, run: int) -> Job:
    over = conclusion != "running"
    status, end = ("completed", conclusion) if over else ("in_progress", None)
    url = f"{URL}/actions/runs/{run}/job/1"
    return Job(1, run, 1, name, status, end, _TIME, _TIME if over else None, url)


def _scores(
    scores: Mapping[str, Mapping[str, float]], configs: Mapping[str, CaseConfig]
) -> Iterator[Score]:
    for key, tasks in scores.items():
        it = configs.get(key)
        for task, score in tasks.items() if it else ():
            assert it is not None
            hardware, method = sku(it.runner), "mtp" if it.speculative else "none"
            yield Score(
                task,
                score,
                it.model_prefix,
                it.framework,
                it.precision,
                hardware,
                it.image,
                {"scenario-type": AGENTIC if it.agentic else FIXED, "spec-decoding": method},
            )
