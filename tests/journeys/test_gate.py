"""The required status is never missing on a head, and nobody but us decides what it says."""

import asyncio
from functools import partial

import pytest

from bot.jobs.embedded import EmbeddedJobs
from bot.review import Reviewer
from bot.sandbox import faults
from bot.sandbox.state import PullRequest
from tests.journeys.conftest import World
from tests.journeys.policies import MASTER, master
from tests.journeys.signing import NUMBER, gate, opened, policy, prepared, pushed, sign
from tests.journeys.test_commands import check

LOOKING = (None, "Looking at what this commit changes …")
WAITING = ("action_required", "Waiting for a code owner's sign-off")
SIGNED = ("success", "Signed off")
README = {"README.md": "# Cedar\n"}
GIT = ("GET", "info/refs")


@pytest.fixture
def world(world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """A world where nobody waits long between attempts."""
    monkeypatch.setattr("bot.serve.EmbeddedJobs", partial(EmbeddedJobs, first_delay=0.01))
    return world


def first_words(world: World, pull: PullRequest) -> list[tuple[str, str]]:
    """Return name and status of what was said at the head, in its order."""
    posts = [each.body for each in world.github.writes if each.path.endswith("/check-runs")]
    return [(it["name"], it["status"]) for it in posts if it["head_sha"] == pull.head_sha]


async def test_the_first_head_after_a_restart_has_its_gate_at_once(world: World) -> None:
    await prepared(world)
    async with world.bot():
        pull = await opened(world)
    world.lose_database()
    async with world.bot():
        world.github.faults.add(("POST", "/graphql"), faults.status(502), times=3)
        await pushed(world, **README)
        order = [("signoff", "in_progress"), ("referee/review", "completed")]
        assert first_words(world, pull) == order
        assert gate(pull) == WAITING


async def test_a_new_head_does_not_wait_behind_reviews(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy, review = asyncio.Event(), Reviewer.review

    async def slow(*given: object) -> None:
        await busy.wait()
        await review(*given)  # type: ignore[arg-type]

    await prepared(world)
    async with world.bot():
        monkeypatch.setattr(Reviewer, "review", slow)
        number = await world.github.open_pull_request(world.name, "pr", "main", number=NUMBER)
        pull = world.github.pull_request(number)
        await world.until(lambda: gate(pull) == LOOKING)
        busy.set()
        await world.quiet()
        assert gate(pull) == WAITING


async def test_what_git_does_not_serve_opens_no_gate(world: World) -> None:
    await prepared(world)
    async with world.bot():
        pull = await opened(world)
        await sign(world, pull)
        fault = world.github.faults.add(GIT, faults.status(403), times=None)
        world.repo.commit("pr", README)
        head = world.repo.log("pr")[0]
        await world.github.push(world.name, "pr", head, source=world.repo.path)
        await world.until(lambda: gate(pull)[0] == "action_required")
        assert gate(pull)[1] == "This commit could not be judged"
        await world.until(lambda: len(pull.check_runs) == 2)
        assert check(pull) == "action_required"
        fault.left = 0
        await world.quiet()
        assert gate(pull) == SIGNED


async def test_a_twin_that_cannot_be_judged_says_nothing_at_the_gate(world: World) -> None:
    advice = {".github/referee.yml": policy() + "mode: advisory\n"}
    world.repo.repository.set_head("refs/heads/main")
    await prepared(world)
    async with world.bot():
        pull = await opened(world)
        world.repo.commit("old", advice, start="main")
        world.repo.branch("twin", "pr")
        for branch in ("old", "twin"):
            await world.push(branch)
        number = await world.github.open_pull_request(world.name, "twin", "old", number=900)
        await world.quiet()
        twin = world.github.pull_request(number)
        assert (twin.head_sha, gate(twin)) == (pull.head_sha, WAITING)
        world.github.faults.add(GIT, faults.status(403), times=None)
        await world.github.edit(twin, title="Another title")
        await world.quiet()  # it is admitted ten times, and given up
        assert (gate(twin), check(twin)) == (WAITING, "success")


async def test_a_second_pull_request_is_told_too_that_no_sign_off_is_needed(world: World) -> None:
    await prepared(world)
    world.repo.commit("second", {MASTER: master(8, 16, 64)}, start="main")
    await world.github.push(world.name, "second", "second", source=world.repo.path)
    async with world.bot():
        pulls = [await opened(world), await world.open("second")]
        assert [gate(each) for each in pulls] == [WAITING, WAITING]
        world.gates = frozenset()
        world.repo.commit(
            "main",
            {".github/referee.yml": policy().replace("sign-off:", "sign-off:\n  phrase: ''")},
        )
        await world.push("main")
        assert [gate(each)[0] for each in pulls] == ["success", "success"]


async def test_a_gate_that_has_another_name_by_now_is_opened_too(world: World) -> None:
    await prepared(world, **{".github/referee.yml": policy(more="  check: owners-agree\n")})
    async with world.bot():
        pull = await opened(world)
        (run,) = [run for run in pull.check_runs if run.name == "owners-agree"]
        assert run.conclusion == WAITING[0]
        world.gates = frozenset()
        world.repo.commit(
            "main",
            {".github/referee.yml": policy().replace("sign-off:", "sign-off:\n  phrase: ''")},
        )
        await world.push("main")
        assert run.conclusion == "success"


@pytest.mark.parametrize("by_status", [False, True], ids=["check", "status"])
@pytest.mark.parametrize("other", [False, True], ids=["retargeted", "another"])
async def test_what_was_said_for_a_milder_branch_is_taken_back_at_once(
    world: World, monkeypatch: pytest.MonkeyPatch, other: bool, by_status: bool
) -> None:
    strict = policy(more="  status: gate\n" if by_status else "")
    world.repo.repository.set_head("refs/heads/main")
    await prepared(world, **{".github/referee.yml": strict})
    world.repo.commit("mild", {".github/referee.yml": f"{strict}mode: advisory\n"}, start="main")
    world.repo.branch("twin", "pr")
    for branch in ("mild", "twin"):
        await world.github.push(world.name, branch, branch, source=world.repo.path)
    async with world.bot():
        number = await world.github.open_pull_request(world.name, "pr", "mild", number=NUMBER)
        await world.quiet()
        pull = world.github.pull_request(number)
        assert (gate(pull)[0], check(pull)) == ("neutral", "success")
        busy, review = asyncio.Event(), Reviewer.review

        async def slow(*given: object) -> None:
            await busy.wait()
            await review(*given)  # type: ignore[arg-type]

        monkeypatch.setattr(Reviewer, "review", slow)
        if other:
            await world.github.open_pull_request(world.name, "twin", "main", number=1_002)
        else:
            await world.github.edit(pull, base="main")
        await world.until(lambda: (gate(pull), check(pull)) == (LOOKING, None))
        assert not by_status or pull.statuses["gate"].state == "pending"
        busy.set()
        await world.quiet()
        judged = "failure" if other else "success"  # the changelog links the first
        assert (gate(pull), check(pull)) == (WAITING, judged)
    assert world.github.rejected == []


BY_STATUS = policy(more="  check: ''\n  status: codeowner-signoff\n")
NAMED = {".github/referee.yml": BY_STATUS}
SAID = (
    "The commit status `codeowner-signoff` of this commit was set by `mallory`, and not by Referee"
)


async def test_a_status_that_somebody_forges_is_written_over_at_once(world: World) -> None:
    await prepared(world, **NAMED)
    async with world.bot():
        pull = await opened(world)
        before = len(world.github.writes)
        await world.github.set_status(pull, "ci/build", "success", "mallory")
        await world.quiet()
        assert len(world.github.writes) == before
        await world.github.set_status(pull, "codeowner-signoff", "success", "mallory", SIGNED[1])
        await world.quiet()
        status = pull.statuses["codeowner-signoff"]
        assert (status.creator.login, status.state) == ("referee[bot]", "pending")
        (beside,) = [run for run in pull.check_runs if run.name == "codeowner-signoff"]
        assert beside.conclusion == "action_required"
        assert SAID in world.sticky(pull)
        await sign(world, pull)
        assert pull.statuses["codeowner-signoff"].state == beside.conclusion == "success"
        await pushed(world, **README)
        assert SAID not in world.sticky(pull)
        assert [run.name for run in pull.check_runs] == ["referee/review"]
    assert world.github.rejected == []


async def test_case_makes_no_other_name_of_a_status(world: World) -> None:
    await prepared(world, **NAMED)
    async with world.bot():
        pull = await opened(world)
        await world.github.set_status(pull, "CodeOwner-SignOff", "success", "mallory")
        await world.quiet()
        newest = pull.repository.statuses[-1]
        assert (newest.context, newest.state) == ("codeowner-signoff", "pending")
        assert SAID in world.sticky(pull)


async def test_what_is_forged_while_the_bot_is_away_is_written_over(world: World) -> None:
    await prepared(world, **NAMED)
    async with world.bot():
        pull = await opened(world)
    await world.github.set_status(pull, "codeowner-signoff", "success", "mallory")
    async with world.bot():
        await world.until(lambda: pull.statuses["codeowner-signoff"].state == "pending")


async def test_another_bot_that_insists_ends_in_a_check_run_and_no_loop(world: World) -> None:
    await prepared(world, **NAMED)
    async with world.bot():
        pull = await opened(world)
        name = "codeowner-signoff"
        for _ in range(12):
            await world.github.set_status(pull, name, "success", "robot[bot]", "All is well.")
            await world.quiet()
        every = [each.creator.login for each in pull.repository.statuses]
        assert every.count("referee[bot]") == 12  # two of the new head, and ten replies
        assert [run.conclusion for run in pull.check_runs if run.name == name] == [WAITING[0]]
        before = len(world.github.requests)
        await world.quiet()
        assert len(world.github.requests) == before


async def test_our_own_reports_are_no_news(world: World) -> None:
    await prepared(world, **NAMED)
    async with world.bot():
        pull = await opened(world)
        seen = sum(each.path.endswith(f"/pulls/{NUMBER}") for each in world.github.requests)
        status = next(d for d in world.github.deliveries if d.event == "status")
        await world.hook_again(status)
        await world.quiet()
        now = sum(each.path.endswith(f"/pulls/{NUMBER}") for each in world.github.requests)
        assert (seen, pull.statuses["codeowner-signoff"].state) == (now, "pending")


@pytest.mark.parametrize("name", ["signoff", "referee/review"])
async def test_another_app_with_a_check_run_of_our_name_is_named(world: World, name: str) -> None:
    await prepared(world)
    async with world.bot():
        pull = await opened(world)
        await world.github.report_as(pull, "github-actions", "build", "success")
        await world.quiet()
        assert "Not only Referee" not in world.sticky(pull)
        await world.github.report_as(pull, "github-actions", name, "success")
        await world.quiet()
        said = f"Not only Referee has a check run `{name}` at this commit, but `github-actions` too"
        assert said in world.sticky(pull)
        ours = [run for run in pull.check_runs if (run.name, run.suite.app_slug) == (name, "")]
        assert len(ours) == 1
        before = len(world.github.writes)
        await world.github.report_as(pull, "github-actions", name, "success")
        await world.quiet()
        assert len(world.github.writes) == before
