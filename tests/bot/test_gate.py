"""The gate of sign-offs is written only when it changes, within GitHub's limits."""

from typing import Any

import pytest

from bot.gate import report
from bot.published import read_check_runs
from bot.sandbox import faults
from checks.policy_types import SignOff
from checks.render import Voice
from checks.signoff.gate import Gate, looking, unjudged
from tests.bot.test_publish import NAME, Place, place

__all__ = ["place"]
CHECK, STATUS = SignOff(check="signoff"), SignOff(status="signoff")
SIGNED = Gate("success", "Signed off, carried from `abc1234`", "All is well.", "success")


async def tell(place: Place, wanted: Gate, policy: SignOff) -> int:
    url = f"/repos/{NAME}/pulls/{place.pull.number}"
    pull: Any = await place.client.getitem(url)
    there = await read_check_runs(place.client, pull, place.settings.app_id)
    return await report(place.client, NAME, place.pull.head_sha, policy, wanted, there)


@pytest.mark.parametrize("policy", [CHECK, STATUS], ids=["check", "status"])
async def test_the_same_result_is_written_once(place: Place, policy: SignOff) -> None:
    written = [await tell(place, SIGNED, policy) for _ in range(20)]
    assert written == [1, *[0] * 19]
    assert len(place.sent()) == 1


async def test_another_result_moves_the_same_check_run(place: Place) -> None:
    for wanted in (looking(Voice()), SIGNED, unjudged("git is away.", Voice(), advisory=False)):
        await tell(place, wanted, CHECK)
    (run,) = place.pull.check_runs
    assert (run.status, run.conclusion) == ("completed", "action_required")
    assert "git is away." in (run.summary or "")


@pytest.mark.parametrize("policy", [CHECK, STATUS], ids=["check", "status"])
async def test_that_somebody_looks_takes_no_result_away(place: Place, policy: SignOff) -> None:
    await tell(place, SIGNED, policy)
    assert await tell(place, looking(Voice()), policy) == 0


async def test_what_could_not_be_judged_shuts_no_gate_that_is_advice(place: Place) -> None:
    both = SignOff(check="signoff", status="signoff")
    assert await tell(place, unjudged("git is away.", Voice(), advisory=True), both) == 2
    assert place.pull.check_runs[-1].conclusion == "neutral"
    assert place.pull.statuses["signoff"].state == "success"


async def test_a_status_is_cut_by_characters_and_has_no_markup(place: Place) -> None:
    long = Gate("failure", f"Not met: `{'评' * 200}`", "…", "failure")
    assert await tell(place, long, STATUS) == 1
    said = place.pull.statuses["signoff"].description or ""
    assert (len(said), said[:11], said[-1]) == (140, "Not met: 评评", "…")
    assert await tell(place, long, STATUS) == 0


async def test_a_status_of_somebody_else_is_written_over(place: Place) -> None:
    await tell(place, Gate("failure", "Not met", "", "failure"), STATUS)
    other = place.pull.repository.statuses[0]
    place.pull.repository.statuses.append(
        type(other)(1, other.sha, "signoff", "success", "forged", None, other.creator, "")
    )
    assert await tell(place, Gate("failure", "Not met", "", "failure"), STATUS) == 1
    assert place.pull.statuses["signoff"].state == "failure"


@pytest.mark.parametrize(
    ("path", "status"), [("/statuses/", 422), ("/statuses/", 403), ("/check-runs$", 403)]
)
async def test_what_github_refuses_is_left_out(place: Place, path: str, status: int) -> None:
    both = SignOff(check="signoff", status="signoff")
    message = "Resource not accessible by integration"
    place.sandbox.faults.add(("POST", path), faults.status(status, message), times=9)
    assert await tell(place, SIGNED, both) == 1
