"""The run whose results the merge takes: chosen, and still good."""

from dataclasses import replace

from checks.text import text
from tests.checks.signoff.facts import (
    ARTIFACT,
    GONE,
    SINGLE,
    choice,
    facts,
    job,
    judge,
    measured,
    proofs,
    said,
)


def test_a_run_was_chosen() -> None:
    found = judge("reuse", facts())
    assert said(found) == ("pass", "`kim` chose run `100`.")
    assert [proof.url for proof in found.proofs] == ["https://x/2"]


def test_a_run_that_cannot_be_used_any_more() -> None:
    found = judge("reuse", facts(choice=choice(why_not=text("it left no artifacts"))))
    assert said(found) == ("fail", "Run `100` was chosen, but it left no artifacts.")
    assert proofs(found) == ["`kim` chose run `100`"]


def test_without_a_choice_the_command_is_given() -> None:
    found = judge("reuse", facts(choice=None))
    assert said(found) == (
        "fail",
        (
            "No run is chosen whose results the merge takes; a maintainer has to write"
            " `/reuse-sweep-run 100`."
        ),
    )


def test_only_a_run_that_can_be_taken_is_proposed() -> None:
    bad = (
        measured(GONE, 105),
        measured("a" * 40, 104, job(SINGLE, "failure")),
        measured("a" * 40, 103, job(SINGLE), job(f"{SINGLE} 2", "failure")),
    )
    none = judge("reuse", facts(choice=None, runs=bad))
    assert "when a sweep has passed" in str(none.reason)
    assert "`/reuse-sweep-run`" in str(none.reason)
    found = judge("reuse", facts(choice=None, runs=(*bad, measured(number=101))))
    assert "`/reuse-sweep-run 101`" in str(found.reason)
    assert "when a sweep has passed" in str(judge("reuse", facts(choice=None, runs=None)).reason)


def test_why_a_sweep_that_passed_is_no_use_is_said() -> None:
    start = "No run is chosen whose results the merge takes, and it cannot take those of run `100`:"
    gone = replace(measured(), artifacts=(replace(ARTIFACT, expired=True),))
    found = judge("reuse", facts(choice=None, runs=(gone,)))
    assert str(found.reason) == f"{start} its artifact `results_bmk` has expired."
    by_hand = replace(measured(), run=replace(measured().run, event="workflow_dispatch"))
    found = judge("reuse", facts(choice=None, runs=(by_hand,)))
    assert str(found.reason).startswith(f"{start} it was started by `workflow_dispatch`")
    found = judge("reuse", facts(choice=None, labels=("full-sweep-enabled", "agentx-fast")))
    assert str(found.reason).startswith(f"{start} the label `agentx-fast` makes its results unfit")
    found = judge("reuse", facts(choice=None, labels=()))
    assert str(found.reason).startswith(f"{start} the pull request has none of the labels")


def test_a_chosen_run_with_failed_jobs_is_remarked() -> None:
    found = judge("reuse", facts(choice=choice(partial=True)))
    assert said(found) == (
        "warn",
        "`kim` chose run `100`, of which jobs failed: the merge goes without their results.",
    )


def test_nothing_is_merged_with_results_when_nothing_is_affected() -> None:
    assert judge("reuse", facts(choice=None, configs=())).result.value == "n/a"
