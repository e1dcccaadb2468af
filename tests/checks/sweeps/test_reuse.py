"""Which runs may be reused at the merge."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from checks.policy import preset
from checks.sweeps.reuse import is_partial, why_not
from checks.sweeps.runs import Artifact, Job, WorkflowRun

SWEEPS = preset("inferencex").sweeps
NOW = datetime(2026, 11, 30, tzinfo=UTC)
RUN = WorkflowRun(
    *(7, "run-sweep.yml", 3, "Run Sweep", "Run Sweep - Tune Oak", "pull_request", "octo/bench"),
    *("tune", "a" * 40, 1, "completed", "failure", "ann", NOW, NOW, NOW, "https://x/runs/7"),
)
GREEN = Job(1, 7, 1, "single-node 8k1k / x", "completed", "success", NOW, NOW, "https://x/job/1")
RED = replace(GREEN, id=2, conclusion="failure")
LEFT = Artifact(1, "results_bmk", 10, expired=False, created_at=NOW, expires_at=None)


def why(
    run: WorkflowRun = RUN,
    jobs: tuple[Job, ...] = (GREEN, RED),
    artifacts: tuple[Artifact, ...] | None = (LEFT,),
    commits: str = "a" * 40,
    label: str = "full-sweep-fail-fast",
) -> str | None:
    found = why_not(run, jobs, artifacts, {commits}, {label}, SWEEPS)
    return None if found is None else str(found)


def test_a_finished_sweep_of_the_pull_request_can_be_reused() -> None:
    assert why() is None
    assert why(artifacts=None) is None
    for conclusion in ("success", "cancelled"):
        assert why(replace(RUN, conclusion=conclusion)) is None


def test_what_failed_is_missing_and_what_goes_on_is_not_said_to_be() -> None:
    green = replace(RUN, conclusion="success")
    assert not is_partial(green, (GREEN,))
    assert is_partial(green, (GREEN, RED)), "a job that may fail"
    assert is_partial(RUN, (GREEN,)), "something else than a job failed"
    assert not is_partial(replace(RUN, status="in_progress", conclusion=None), (GREEN, RED))


def test_logs_that_expired_spoil_no_results() -> None:
    logs = replace(LEFT, id=2, name="server_logs_x", expired=True)
    assert why(artifacts=(logs, LEFT)) is None
    assert why(artifacts=(replace(LEFT, name="bmk_agentic_x"),)) is None
    gone, collected = replace(LEFT, expired=True), replace(LEFT, id=2, name="eval_results_all")
    assert why(artifacts=(gone, collected)) is None, "the merge takes what there is"


def test_a_policy_that_names_no_labels_and_artifacts_takes_any() -> None:
    some = replace(SWEEPS, reuse_labels=(), reuse_artifacts=())
    logs = replace(LEFT, name="server_logs_x")
    assert why_not(RUN, (GREEN,), (logs,), {"a" * 40}, set(), some) is None
    found = why_not(RUN, (GREEN,), (), {"a" * 40}, set(), some)
    assert str(found) == "it left no artifacts"


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"run": replace(RUN, workflow="e2e-tests.yml")}, "it is a run of `e2e-tests.yml`"),
        ({"run": replace(RUN, event="workflow_dispatch")}, "it was started by `workflow_dispatch`"),
        ({"run": replace(RUN, status="in_progress", conclusion=None)}, "it is still running"),
        ({"commits": "b" * 40}, "its commit `aaaaaaa` is not in this pull request"),
        ({"jobs": (RED,)}, "no job of it succeeded"),
        ({"jobs": ()}, "no job of it succeeded"),
        ({"label": "Evals-Only"}, "the label `evals-only` makes its results unfit"),
        ({"label": "docs"}, "the pull request has none of the labels `full-sweep-fail-fast`, "),
        ({"label": "sweep-enabled"}, "the pull request has none of the labels"),
        ({"run": replace(RUN, conclusion="timed_out")}, "it ended as `timed_out`"),
        ({"artifacts": ()}, "it left none of the artifacts `results_bmk`, `eval_results_all`, "),
        ({"artifacts": (replace(LEFT, name="bmk_x"),)}, "it left none of the artifacts"),
        ({"artifacts": (replace(LEFT, expired=True),)}, "its artifact `results_bmk` has expired"),
    ],
)
def test_each_condition_has_its_own_reason(changed: dict[str, object], reason: str) -> None:
    found = why(**changed)  # type: ignore[arg-type]
    assert found is not None
    assert found.startswith(reason)
