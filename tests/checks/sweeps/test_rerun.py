"""What `/rerun` means, and what is not run again."""

from datetime import timedelta

import pytest

from checks.commands.rerun import Rerun
from checks.sweeps.rerun import (
    MOST_ROWS,
    Chosen,
    Refusal,
    Tried,
    again,
    choose,
    nothing_meant,
    pick,
    refuse,
    tried,
)
from checks.sweeps.runs import Job, WorkflowRun
from tests.checks.sweeps.test_runs import NOON, SHA, at, job, run

FAILED, ALL = Rerun("failed"), Rerun("all")
ONE = Rerun("run", run=1)
JOBS = [job("a", id=1), job("b", "cancelled", id=2), job("c", "success", id=3)]


def glob(pattern: str) -> Rerun:
    return Rerun("jobs", jobs=pattern)


def shown(found: Chosen | Refusal | None) -> str:
    """Return the call and the names of its jobs, or the words of the refusal."""
    if isinstance(found, Chosen):
        names = [",".join(each.name for each in jobs) for jobs in (found.jobs, found.later)]
        return " ".join([found.call, *filter(None, names)])
    return "nothing" if found is None else str(found.words)


@pytest.mark.parametrize("conclusion", ["failure", "cancelled", "success"])
@pytest.mark.parametrize(
    ("wanted", "jobs", "found"),
    [
        (FAILED, JOBS, "failed a,b"),
        (FAILED, JOBS[2:], "nothing"),
        (FAILED, [], "nothing"),
        (ALL, JOBS, "all a,b,c"),
        (ALL, [], "all"),
        (ONE, JOBS, "failed a,b"),
        (ONE, JOBS[2:], "all c"),
        (glob("[ab]"), JOBS, "failed a,b"),
        (glob("*"), JOBS, "failed a,b"),
        (glob("b"), JOBS, "job b"),
        (glob("b*"), JOBS, "job b"),
        (glob("c"), JOBS, "job c"),
        (glob("C"), JOBS, "nothing"),
        (glob("?"), [*JOBS, job("dd", id=4)], "job a b"),
    ],
)
def test_jobs_decide_and_the_conclusion_does_not(
    conclusion: str, wanted: Rerun, jobs: list[Job], found: str
) -> None:
    assert shown(choose(wanted, run(conclusion=conclusion), jobs)) == found


@pytest.mark.parametrize("status", ["queued", "in_progress", "waiting", "pending", "requested"])
@pytest.mark.parametrize("wanted", [FAILED, ALL, ONE, glob("a")])
def test_what_is_not_over_is_left_alone(status: str, wanted: Rerun) -> None:
    waiting = run(status=status, conclusion=None, attempt=2, actor="ann")
    assert shown(choose(wanted, waiting, JOBS)) == (
        "[1](https://github.com/example/bench/actions/runs/1) of `Run Sweep` is still running"
        " (attempt 2, started by `ann`); it was left alone."
    )
    assert choose(glob("x"), waiting, JOBS) is None


def refused(it: WorkflowRun, ran: dict[str, Tried] | None = None, **more: bool) -> str | None:
    chosen = Chosen(it, "failed", (JOBS[0],))
    has_logs = more.get("has_logs", True)
    found = refuse(chosen, ran or {}, now=NOON, has_logs=has_logs, budget=1)
    return None if found is None else str(found.words).partition("`Run Sweep` ")[2][:24]


def test_limits_are_those_of_github() -> None:
    month = timedelta(days=30)
    assert refused(run(created_at=NOON - month)) is None
    assert (
        refused(run(created_at=NOON - month - timedelta(seconds=1))) == "is older than 30 days, a"
    )
    assert refused(run(attempt=49)) is None
    assert refused(run(attempt=50)) == "was attempted 50 times, "
    assert refused(run(), has_logs=False) == "have expired, and GitHub"


def test_a_budget_counts_retries_at_one_head() -> None:
    old = [job("a", id=1), job("a", "timed_out", id=2, attempt=2, started_at=at(5))]
    new = [job("a", id=3, started_at=at(9)), job("b", None, id=4, started_at=at(9))]
    ran = tried([old, new])
    assert ran == {
        "a": Tried(("failure", "timed_out", "failure"), 1),
        "b": Tried(("in_progress",), 0),
    }
    assert refused(run(), {"a": Tried(("failure",), 0)}) is None
    assert refused(run(), ran) == "was left alone: at this "


def test_many_jobs_are_counted() -> None:
    jobs = tuple(job(str(n), id=n) for n in range(MOST_ROWS + 5))
    rows = again(Chosen(run(), "failed", jobs), {})
    assert len(rows) == 1 + MOST_ROWS + 1
    assert str(rows[-1]) == "… and 5 more"
    listed = nothing_meant(glob("x"), SHA, jobs)
    assert str(listed.rows[-1]) == "… and 5 more"


def test_names_of_jobs_are_hostile() -> None:
    name = "`a` @everyone <!-- referee:answer --> {x}"
    (row,) = nothing_meant(glob("x"), SHA, [job(name)]).rows
    assert str(row) == "`` `a` @everyone <! -- referee:answer --> {x} ``"


def test_an_odd_address_is_no_link() -> None:
    odd = run(url="javascript:alert(1)")
    assert str(again(Chosen(odd, "all", ()), {})[0]).startswith("1 of `Run Sweep`")


def test_a_run_is_picked_unless_a_newer_took_its_place() -> None:
    old, new = run(1), run(2, created_at=at(1))
    assert pick(2, [old, new], SHA) == new
    assert shown(pick(1, [old, new], SHA)).endswith(  # type: ignore[arg-type]
        "is not the newest run of its workflow at this commit;"
        " [2](https://github.com/example/bench/actions/runs/2) is."
    )
    skipped = run(3, conclusion="skipped", created_at=at(2))
    assert pick(2, [old, new, skipped], SHA) == new
    assert pick(3, [old, new, skipped], SHA) == skipped
    assert shown(pick(9, [old], SHA)) == "`9` is no workflow run at `aaaaaaa`."  # type: ignore[arg-type]
