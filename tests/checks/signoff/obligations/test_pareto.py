"""Points on the frontier of each affected curve, as one passing run measured them."""

from dataclasses import replace

import pytest

from checks.signoff.registry import all_obligations
from tests.checks.signoff.facts import (
    CONFIG,
    CURVE,
    SINGLE,
    facts,
    job,
    judge,
    measured,
    proofs,
    said,
)

OTHER = "dsr1 fp8 b200 sglang agentic"
TWO = replace(CONFIG, curves=(CURVE, OTHER))


@pytest.mark.parametrize(("count", "wanted"), [(0, "fail"), (4, "fail"), (5, "pass"), (40, "pass")])
def test_five_points_are_enough(count: int, wanted: str) -> None:
    found = judge("pareto", facts(runs=(measured(frontier={CURVE: count}),)))
    assert found.result.value == wanted


def test_too_few_are_told_with_the_curve_and_what_to_do() -> None:
    found = judge("pareto", facts(runs=(measured(frontier={CURVE: 3}),)))
    assert said(found) == (
        "fail",
        (
            f"`{CURVE}` has 3 points on its frontier, 5 are wanted; measure more, or ask a"
            " maintainer for an exception."
        ),
    )
    assert proofs(found) == [f"`{CURVE}`: 3 of 5"]
    assert found.proofs[0].url.endswith("/actions/runs/100")


def test_every_curve_counts_on_its_own() -> None:
    runs = (measured(frontier={CURVE: 9, OTHER: 4}),)
    assert judge("pareto", facts(runs=runs, configs=(TWO,))).result.value == "fail"
    both = (measured(frontier={CURVE: 2, OTHER: 4}),)
    found = judge("pareto", facts(runs=both, configs=(TWO,)))
    assert "and 1 more curves have less than 5" in str(found.reason)
    assert proofs(found) == [f"`{CURVE}`: 2 of 5", f"`{OTHER}`: 4 of 5"]


def test_configs_of_one_curve_share_its_points() -> None:
    pair = (CONFIG, replace(CONFIG, key="other"))
    assert said(judge("pareto", facts(configs=pair))) == (
        "pass",
        "Curves: 1; each has 6 points or more.",
    )


def test_points_of_two_runs_are_not_added_up() -> None:
    runs = (measured(frontier={CURVE: 3}), measured(number=101, frontier={CURVE: 3}))
    assert judge("pareto", facts(runs=runs)).result.value == "fail"


@pytest.mark.parametrize("frontier", [None, {}, {OTHER: 9}])
def test_what_could_not_be_read_is_not_known(frontier: dict[str, int] | None) -> None:
    found = judge("pareto", facts(runs=(measured(frontier=frontier),)))
    assert said(found) == ("unknown", f"The measured points of `{CURVE}` could not be read.")
    assert proofs(found) == [f"`{CURVE}`: not read"]


def test_a_config_whose_curves_nobody_knows_is_not_known() -> None:
    blind = replace(CONFIG, key="blind", curves=())
    found = judge("pareto", facts(configs=(CONFIG, blind)))
    assert said(found) == ("unknown", "The measured points of `blind` could not be read.")


def test_new_points_of_an_old_curve_are_not_all_of_it() -> None:
    runs = (measured(frontier={CURVE: 2}),)
    found = judge("pareto", facts(runs=runs, append_only=True))
    assert found.result.value == "unknown"
    assert "those of before count too" in str(found.reason)
    enough = facts(append_only=True)
    assert judge("pareto", enough).result.value == "pass"


def test_without_a_passing_run_nothing_is_counted() -> None:
    for runs in ((), None, (measured("a" * 40, 100, job(SINGLE, "failure")),)):
        assert judge("pareto", facts(runs=runs)).result.value == "unknown"
    assert judge("pareto", facts(configs=())).result.value == "n/a"


def test_it_is_advice() -> None:
    (pareto,) = (each for each in all_obligations() if each.name == "pareto")
    assert pareto.advisory


def test_where_only_evaluations_are_asked_for_nothing_is_measured() -> None:
    quiet = replace(CONFIG, key="quiet", measured=False)
    alone = judge("pareto", facts(configs=(quiet,), runs=()))
    assert said(alone) == ("n/a", "The changelog asks for evaluations alone.")
    assert judge("pareto", facts(configs=(quiet, CONFIG), runs=())).result.value != "n/a"
