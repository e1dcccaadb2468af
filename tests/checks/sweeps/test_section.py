"""One section for all runs of a pull request."""

from dataclasses import replace

import pytest

from checks.decisions import Decision
from checks.render import Voice
from checks.results.model import Results
from checks.sweeps.reuse import Reuse
from checks.sweeps.section import Runs, Shown
from checks.text import text
from tests.checks.results.test_tables import points

from .test_reuse import GREEN, RED, RUN, SWEEPS

ASKED = Decision("unofficial", "9", "ann", "oak-fp8-b200-vllm", "b" * 40)
SKIPPED = replace(GREEN, id=3, conclusion="skipped")


def said(*shown: Shown, **more: object) -> str:
    return Runs(shown, SWEEPS, **more).markdown(Voice(), 9000)  # type: ignore[arg-type]


def test_a_sweep_and_what_became_of_its_jobs() -> None:
    run = replace(RUN, attempt=2)
    hostile = replace(RED, id=4, name="x](http://evil) <!-- @all -->")
    why = Reuse(text("it is still running"))
    assert said(Shown(run, (GREEN, RED, hostile, SKIPPED), None, why)) == (
        "**Runs**\n\n"
        "- ❌ [Sweep 7](https://x/runs/7) · attempt 2 · `aaaaaaa`"
        " · jobs: 4, passed 1, failed 2, skipped 1"
        " · [performance](https://inferencex.semianalysis.com/inference?unofficialRun=7)"
        " · [accuracy](https://inferencex.semianalysis.com/evaluation?unofficialRun=7)"
        " · not reusable: it is still running\n"
        "  [`single-node 8k1k / x`](https://x/job/1),"
        " [`x](http://evil) <! -- @all -->`](https://x/job/1)"
    )


def test_a_sweep_with_failed_jobs_is_not_called_reusable() -> None:
    assert (
        said(Shown(RUN, (GREEN, RED), reuse=Reuse(partial=True)))
        .split("\n")[2]
        .endswith(" · `/use 7` takes it without the results of its failed jobs")
    )
    green = replace(RUN, conclusion="success")
    assert said(Shown(green, (GREEN,))).endswith(" · reusable")


def test_what_keeps_every_run_from_being_reused_is_said_once() -> None:
    why = text("the label {label} makes its results unfit for a merge", label="evals-only")
    running = Shown(replace(RUN, status="queued", conclusion=None), ())
    other = Shown(RUN, (RED,), reuse=Reuse(text("no job of it succeeded")))
    once = "No sweep can be reused now: the label `evals-only` makes its results unfit for a merge."
    found = said(Shown(RUN, (GREEN,)), other, Shown(RUN, (GREEN,)), unfit=why)
    assert found.startswith(once)
    assert found.count("reus") == 2
    assert "No sweep" not in said(running, other, Shown(RUN, (GREEN,), ASKED), unfit=why)
    chosen = Decision("reuse", "run", "ann", "7", "a" * 40)
    found = said(Shown(RUN, (GREEN,)), unfit=why, chosen=chosen, reuse=Reuse(why))
    assert found.count("evals-only") == 1


def test_an_unofficial_run_is_shown_at_once_and_never_reusable() -> None:
    run = replace(RUN, id=9, url="https://x/runs/9", status="queued", conclusion=None)
    assert said(Shown(run, (), ASKED, head=ASKED.head)) == (
        "**Runs**\n\n"
        "- 🟡 [Unofficial run 9](https://x/runs/9) · `bbbbbbb` · `oak-fp8-b200-vllm` for `ann`"
        " · jobs: 0, passed 0, failed 0, skipped 0"
    )


def test_the_choice_is_kept_true() -> None:
    chosen = Decision("reuse", "run", "ann", "7", "a" * 40)
    assert said(chosen=chosen) == "Run `7` is chosen for reuse by `ann`."
    gone = text("its artifact {name} has expired", name="results_bmk")
    assert said(chosen=chosen, reuse=Reuse(partial=True)) == (
        "Run `7` is chosen for reuse by `ann`, without the results of its failed jobs."
    )
    assert said(chosen=chosen, reuse=Reuse(gone)) == (
        "⚠️ Run `7`, chosen by `ann` for reuse, cannot be reused any more:"
        " its artifact `results_bmk` has expired."
    )


@pytest.mark.parametrize(
    ("shown", "state"),
    [
        ((), "no sweep of `aaaaaaa` has begun."),
        ((Shown(replace(RUN, head_sha="b" * 40), ()),), "no sweep of `aaaaaaa` has begun."),
        ((Shown(RUN, (), ASKED),), "no sweep of `aaaaaaa` has begun."),
        ((Shown(replace(RUN, conclusion="skipped"), ()),), "no sweep of `aaaaaaa` has begun."),
        ((Shown(replace(RUN, status="queued"), ()),), "the sweep of `aaaaaaa` is waiting."),
        ((Shown(replace(RUN, status="in_progress"), ()),), "the sweep of `aaaaaaa` is running."),
        (
            (Shown(RUN, ()), Shown(replace(RUN, status="queued"), ())),
            "the sweep of `aaaaaaa` is over.",
        ),
        (
            (Shown(replace(RUN, head_sha="b" * 40), (), head="a" * 40),),
            "the sweep of `aaaaaaa` is over.",
        ),
    ],
)
def test_what_came_of_the_labels_is_said_as_it_is_now(shown: tuple[Shown, ...], state: str) -> None:
    labels = ("full-sweep-fail-fast", "all-evals")
    found = said(*shown, labels=labels, head="a" * 40).split("\n")[0]
    assert found == f"🏷️ `full-sweep-fail-fast`, `all-evals`: {state}"


def test_results_of_before_stay_until_they_are_read_again() -> None:
    results = Results(points((4, 300.4, 120.0)))
    before = Runs((Shown(RUN, (GREEN,), results=results),), SWEEPS)
    now = Runs((Shown(replace(RUN, id=8), ()), Shown(RUN, (GREEN, RED))), SWEEPS)
    assert [each.results for each in now.with_results_of(before).shown] == [None, results]
    again = Runs((Shown(replace(RUN, attempt=2), ()),), SWEEPS)
    assert [each.results for each in again.with_results_of(before).shown] == [None]


def test_a_new_run_stands_above_those_of_before_and_the_oldest_go() -> None:
    before = Runs(tuple(Shown(replace(RUN, id=n), ()) for n in range(20, 0, -1)), SWEEPS)
    now = before.with_new([Shown(replace(RUN, id=21), (), ASKED)])
    assert [each.run.id for each in now.shown] == [*range(21, 1, -1)]
    assert now.ids == {*range(2, 22)}


def test_nothing_to_say_is_nothing_and_much_is_cut() -> None:
    assert said() == ""
    many = [Shown(replace(RUN, id=n, url=f"https://x/runs/{n}"), (RED,) * 9) for n in range(99)]
    found = Runs(tuple(many), SWEEPS).markdown(Voice(), 4000)
    assert len(found) <= 4000
    assert "older runs" in found
    assert "and 4 more" in found


def test_a_run_on_another_commit_names_the_one_that_it_measures() -> None:
    assert "`bbbbbbb`" in said(Shown(RUN, (), head="b" * 40))


def test_results_follow_the_runs_in_the_room_that_is_left() -> None:
    many = Results(points((4, 300.4, 120.0), (16, 900, 70)))
    runs = [Shown(replace(RUN, id=n), (GREEN,), results=many) for n in range(6)]
    found = Runs(tuple(runs), SWEEPS).markdown(Voice(), 9000)
    assert found.startswith("**Runs**\n\n- ")
    assert [f"Results of run {n}:" in found for n in range(6)] == [True] * 3 + [False] * 3
    for room in (800, 2000, 3000):
        assert len(Runs(tuple(runs), SWEEPS).markdown(Voice(), room)) <= room
