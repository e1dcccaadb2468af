"""Which runs and jobs count."""

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from checks.sweeps.runs import (
    Head,
    Job,
    WorkflowRun,
    count,
    executions,
    matching,
    newest,
    of_workflows,
)

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
SHA = "a" * 40
HEAD = Head("example/bench", "pr", SHA)


def at(minutes: float) -> datetime:
    return NOON + timedelta(minutes=minutes)


def run(number: int = 1, **more: Any) -> WorkflowRun:
    """Return a sweep that failed at noon, unless told otherwise."""
    return WorkflowRun(
        **{
            "id": number,
            "workflow": "run-sweep.yml",
            "workflow_id": 7,
            "name": "Run Sweep",
            "title": "Run Sweep - Tune it",
            "event": "pull_request",
            "head_repository": "example/bench",
            "head_branch": "pr",
            "head_sha": SHA,
            "attempt": 1,
            "status": "completed",
            "conclusion": "failure",
            "actor": "author",
            "created_at": NOON,
            "started_at": NOON,
            "updated_at": NOON,
            "url": f"https://github.com/example/bench/actions/runs/{number}",
            **more,
        }
    )


def job(name: str = "test", conclusion: str | None = "failure", **more: Any) -> Job:
    """Return a job of run 1 that started at noon, unless told otherwise."""
    return Job(
        **{
            "id": 100,
            "run_id": 1,
            "attempt": 1,
            "name": name,
            "status": "completed" if conclusion else "in_progress",
            "conclusion": conclusion,
            "started_at": NOON,
            "completed_at": at(1) if conclusion else None,
            "url": "https://github.com/example/bench/actions/runs/1/job/100",
            **more,
        }
    )


def ids(runs: tuple[WorkflowRun, ...]) -> list[int]:
    return [each.id for each in runs]


def test_the_newest_run_of_each_workflow_event_and_head() -> None:
    old, new = run(1), run(2, created_at=at(1))
    lint = run(3, workflow="lint.yml", workflow_id=8, created_at=at(-1))
    pushed = run(4, event="push", created_at=at(-2))
    other = run(5, head_sha="b" * 40, created_at=at(-3))
    assert ids(newest([other, new, old, pushed, lint])) == [2, 3, 4, 5]
    assert ids(newest([new, run(9, created_at=at(1))])) == [9], "the id decides between equals"


def test_a_run_in_which_nothing_ran_hides_no_other() -> None:
    sweep, ignored = run(1), run(2, conclusion="skipped", created_at=at(1))
    assert ids(newest([ignored, sweep])) == [1]
    assert ids(newest([ignored])) == [2]
    waiting = run(3, status="queued", conclusion=None, created_at=at(2))
    assert ids(newest([sweep, ignored, waiting])) == [3]


def test_what_was_started_by_hand_takes_nothings_place() -> None:
    by_hand = [run(n, event="workflow_dispatch", created_at=at(n)) for n in (1, 2)]
    assert ids(newest(by_hand)) == [2, 1]


def test_runs_of_some_workflows() -> None:
    assert ids(of_workflows([run(1), run(2, workflow="lint.yml")], ["run-sweep.yml"])) == [1]


def test_a_head_is_a_repository_a_branch_and_a_commit() -> None:
    assert HEAD.has(run())
    assert HEAD.has(run(head_repository="Example/Bench")), "GitHub ignores case in names"
    assert not HEAD.has(run(head_repository="stranger/bench"))
    assert not HEAD.has(run(head_branch="main"))
    earlier = run(head_sha="b" * 40)
    assert not HEAD.has(earlier)
    assert HEAD.has_branch_of(earlier)
    deleted = Head("", "pr", SHA)
    assert not deleted.has(run(head_repository="")), "two deleted forks are not the same"


def test_what_is_finished_and_what_failed() -> None:
    assert run().finished
    assert not run(status="queued", conclusion=None).finished
    assert [job(conclusion=c).failed for c in ("failure", "timed_out", "cancelled")] == [True] * 3
    assert not any(job(conclusion=c).failed for c in ("success", "skipped", "neutral", None))


def test_globs_match_whole_names_byte_for_byte() -> None:
    names = [
        "single-node 8k1k / p10 | dsr1 fp4 b200 sgl TP8 c64",
        "single-node 8k1k / p10 | dsr1 fp8 b200 sgl TP8 c64",
        "single-node 1k1k / p10 | dsr1 fp4 b200 sgl TP8 c64",
        "Single-Node 8k1k / p10 | dsr1 fp4 b200 sgl TP8 c64",
    ]
    jobs = [job(name) for name in names]
    assert [each.name for each in matching(jobs, "single-node*8k1k*fp4*")] == names[:1]
    assert matching(jobs, "8k1k") == ()
    assert [each.name for each in matching(jobs, names[1])] == names[1:2]


@given(st.text(alphabet="a*?[]!-\\", max_size=40))
def test_no_glob_takes_long(glob: str) -> None:
    matching([job("a" * 200)], glob)


def test_how_often_a_job_ran() -> None:
    first = job("a", id=1)
    listed_again = job("a", id=2, attempt=2)
    again = job("a", "success", id=3, attempt=3, started_at=at(9))
    other = job("b", id=4)
    found = executions([again, other, listed_again, first])
    assert found == {"a": (first, again), "b": (other,)}
    assert executions([]) == {}


def test_jobs_are_counted_by_conclusion() -> None:
    jobs = [job(), job(conclusion="success"), job(conclusion=None), job()]
    assert count(jobs) == {"failure": 2, "success": 1, "": 1}
