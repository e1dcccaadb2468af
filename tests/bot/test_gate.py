"""The gate of sign-offs is written only when it changes, within GitHub's limits."""

from dataclasses import replace
from typing import Any

import pytest

from bot.gate import report
from bot.sandbox import faults
from bot.standing import read_standing
from checks.policy_types import SignOff
from checks.render import Voice
from checks.signoff.gate import Gate, looking, unjudged
from tests.bot.test_publish import NAME, Place, place

__all__ = ["place"]
CHECK, STATUS = SignOff(check="signoff"), SignOff(status="signoff")
BOTH = SignOff(check="signoff", status="gate")
NOT_MET = Gate("failure", "Not met", "", "failure")
SIGNED = Gate("success", "Signed off, carried from `abc1234`", "All is well.", "success")


async def tell(place: Place, wanted: Gate, policy: SignOff) -> int:
    url = f"/repos/{NAME}/pulls/{place.pull.number}"
    pull: Any = await place.client.getitem(url)
    there = await read_standing(place.client, pull, place.settings.app_id, policy)
    return await report(place.client, NAME, place.pull.head_sha, policy, wanted, there)


@pytest.mark.parametrize("policy", [CHECK, STATUS], ids=["check", "status"])
async def test_the_same_result_is_written_once(place: Place, policy: SignOff) -> None:
    written = [await tell(place, SIGNED, policy) for _ in range(20)]
    assert written == [1, *[0] * 19]
    assert len(place.sent()) == 1


async def test_1200_evaluations_with_one_result_are_one_write_of_each(place: Place) -> None:
    """GitHub takes 1,000 statuses of a context at a commit, and answers 422 to the next."""
    written = [await tell(place, SIGNED, BOTH)]
    pull: Any = await place.client.getitem(f"/repos/{NAME}/pulls/{place.pull.number}")
    there = await read_standing(place.client, pull, place.settings.app_id, BOTH)
    before = len(place.sandbox.requests)
    for _ in range(1_199):
        written.append(await report(place.client, NAME, place.pull.head_sha, BOTH, SIGNED, there))
    assert (sum(written), written[0]) == (2, 2)
    assert len(place.sandbox.requests) == before, "nothing is asked to find that out"
    assert len(place.pull.repository.statuses) == len(place.pull.check_runs) == 1


async def test_to_look_costs_one_request_for_each_name(place: Place) -> None:
    for _ in range(2):
        await tell(place, SIGNED, BOTH)
    before = len(place.sandbox.requests)
    await tell(place, SIGNED, BOTH)
    asked = place.sandbox.requests[before + 1 :]  # behind the pull request itself
    assert [each.path.rpartition("/")[2] for each in asked] == [*["check-runs"] * 3, "statuses"]
    assert sum(each.status == 304 for each in asked) == 4, "which GitHub does not charge for"


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


@pytest.mark.parametrize(
    "change", [{"conclusion": "neutral"}, {"title": "Signed off."}, {"summary": "More."}]
)
def test_whatever_is_shown_differently_is_written_anew(change: dict[str, Any]) -> None:
    gate = Gate("success", "Signed off", "All.", "success")
    assert replace(gate).identity == gate.identity
    assert replace(gate, **change).identity != gate.identity


def test_a_status_is_cut_by_characters_whatever_their_bytes() -> None:
    def told(count: int) -> str:
        return Gate("failure", "评" * count, "…", "failure").description

    assert told(140) == "评" * 140
    assert told(141) == "评" * 139 + "…"


async def test_a_status_of_somebody_else_is_written_over(place: Place) -> None:
    await tell(place, NOT_MET, STATUS)
    await place.sandbox.set_status(place.pull, "signoff", "success", "mallory", "Signed off")
    assert await tell(place, NOT_MET, STATUS) == 2
    assert place.pull.statuses["signoff"].creator.login == "referee[bot]"
    assert place.pull.statuses["signoff"].state == "failure"
    (run,) = place.pull.check_runs
    assert (run.name, run.conclusion) == ("signoff", "failure")
    assert await tell(place, NOT_MET, STATUS) == 0
    assert await tell(place, SIGNED, STATUS) == 2
    assert run.conclusion == "success"


async def test_words_of_ours_in_a_mouth_of_others_are_not_ours(place: Place) -> None:
    description = SIGNED.description
    await place.sandbox.set_status(place.pull, "signoff", "success", "mallory", description)
    assert await tell(place, SIGNED, STATUS) == 2
    assert place.pull.statuses["signoff"].creator.login == "referee[bot]"


async def test_looking_writes_over_what_others_say(place: Place) -> None:
    await place.sandbox.set_status(place.pull, "signoff", "success", "mallory")
    assert await tell(place, looking(Voice()), STATUS) == 2
    assert place.pull.statuses["signoff"].state == "pending"


async def test_ours_is_found_below_many_others(place: Place) -> None:
    await tell(place, SIGNED, STATUS)
    for number in range(120):
        await place.sandbox.set_status(place.pull, f"ci/{number}", "success", "mallory")
    assert await tell(place, SIGNED, STATUS) == 0


async def test_a_status_that_differs_by_case_alone_is_written_over(place: Place) -> None:
    """GitHub tells contexts apart whatever their case: the newest of both counts."""
    await tell(place, NOT_MET, STATUS)
    await place.sandbox.set_status(place.pull, "SignOff", "success", "mallory", "Signed off")
    assert await tell(place, NOT_MET, STATUS) == 2
    assert place.pull.repository.statuses[-1].creator.login == "referee[bot]"
    assert await tell(place, NOT_MET, STATUS) == 0


async def test_ours_is_found_below_many_jobs_of_its_name(place: Place) -> None:
    for _ in range(120):
        await place.sandbox.report_as(place.pull, "github-actions", "signoff", "success")
    await tell(place, SIGNED, CHECK)
    assert await tell(place, SIGNED, CHECK) == 0


async def test_a_check_run_of_a_deleted_app_is_somebody_elses(place: Place) -> None:
    await tell(place, SIGNED, CHECK)
    await place.sandbox.report_as(place.pull, "robot", "signoff", "success")
    place.pull.repository.check_suites[-1].app_id = 0
    pull: Any = await place.client.getitem(f"/repos/{NAME}/pulls/{place.pull.number}")
    there = await read_standing(place.client, pull, place.settings.app_id, CHECK)
    assert (list(there.checks), there.apps) == (["signoff"], {"signoff": ("",)})


async def test_two_that_write_over_each_other_come_to_an_end(place: Place) -> None:
    rounds = []
    for _ in range(15):
        await place.sandbox.set_status(place.pull, "signoff", "success", "robot[bot]")
        rounds.append(await tell(place, NOT_MET, STATUS))
    assert rounds == [2, *[1] * 9, *[0] * 5]
    (run,) = place.pull.check_runs
    assert run.conclusion == "failure", "which has to pass too, and only we can write it"


async def test_a_status_that_cannot_be_set_any_more_has_a_check_run_instead(place: Place) -> None:
    fault = place.sandbox.faults.add(("POST", "/statuses/"), faults.status(422), times=None)
    assert await tell(place, NOT_MET, STATUS) == 1
    assert await tell(place, NOT_MET, STATUS) == 0
    (run,) = place.pull.check_runs
    assert (fault.hits, run.name, run.conclusion) == (2, "signoff", "failure")


@pytest.mark.parametrize(
    ("path", "status", "written"),
    [("/statuses/", 422, 2), ("/statuses/", 403, 2), ("/check-runs$", 403, 1)],
)
async def test_what_github_refuses_is_left_out(
    place: Place, path: str, status: int, written: int
) -> None:
    both = SignOff(check="signoff", status="another")
    message = "Resource not accessible by integration"
    place.sandbox.faults.add(("POST", path), faults.status(status, message), times=9)
    assert await tell(place, SIGNED, both) == written
