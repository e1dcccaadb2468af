"""The buttons of the check run: one commit for a press, and never silence where none is made."""

import asyncio
from collections.abc import Callable

import pytest

from bot import sample
from bot.sandbox import faults
from bot.sandbox.state import PullRequest
from bot.sandbox.suites import CheckRun
from tests.journeys.conftest import DISCLOSED, World, counts, reviews
from tests.journeys.policies import FIRST, POLICY, SECOND, recipe
from tests.journeys.test_crash import kill, served
from tests.journeys.test_review import third_conversation

NUMBER = 1001
COMMIT = ("POST", "/graphql$")
REFUSED = (
    "GitHub did not take the commit: `Resource not accessible by integration`. The App needs the"
    " permission to write contents, and the rules of the branch must let it commit; then press"
    " again."
)
OFF = POLICY + "rules:\n  draft-model/kv-cache-below-target:\n    enabled: false\n"


def button(pull: PullRequest) -> CheckRun:
    """Return the review's check run, which has the buttons."""
    return [run for run in pull.check_runs if run.name == "referee/review"][-1]


def answers(pull: PullRequest) -> list[str]:
    """Return what was answered at the head to presses that changed nothing."""
    runs = [run for run in pull.check_runs if run.name == "referee/fix"]
    assert all((run.conclusion, run.actions) == ("neutral", []) for run in runs)
    assert all(run.title == "Nothing was committed" for run in runs)
    return [str(run.summary) for run in runs]


def commits(pull: PullRequest) -> list[str]:
    """Return who made the commits that the pull request got since it was opened."""
    git = pull.repository.git
    return [git.objects[push.commit].author.name for push in pull.pushes]


async def press(world: World, pull: PullRequest, user: str = "maintainer") -> None:
    await world.github.press_check_run_button(button(pull), "fix", user)
    await world.quiet()


async def opened(world: World) -> PullRequest:
    third_conversation(world)
    return await world.open(number=NUMBER)


async def test_a_press_fixes_all_that_is_mechanical_in_one_commit(sample_world: World) -> None:
    world = sample_world
    async with world.bot():
        number = await world.github.open_pull_request(
            world.name, sample.BRANCH, "main", sample.TITLE, sample.BODY, number=sample.NUMBER
        )
        await world.quiet()
        pull = world.github.pull_request(number)
        before = pull.head_sha
        found = int(counts(world.sticky(pull)).split()[0])
        await press(world, pull)
        git = pull.repository.git
        made = git.objects[pull.head_sha]
        assert [str(parent) for parent in made.parent_ids] == [before]
        assert commits(pull) == ["referee[bot]"]
        assert made.message.startswith("Apply Referee's fixes\n\nAsked by maintainer.\n\n- ")
        said = counts(world.sticky(pull))
        left, fixed = int(said.split()[0]), int(said.split("· ")[1].split()[0])
        assert 0 < left < found
        assert found == left + fixed
        assert [b["identifier"] for b in button(pull).actions] == ["rerun"]
        assert sum(thread.resolved for thread in pull.threads) > 0
        assert answers(pull) == []
    assert world.github.rejected == []


async def test_pressing_twice_or_together_makes_one_commit(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        run = button(pull)
        for user in ("maintainer", "maintainer", "author"):
            await world.github.press_check_run_button(run, "fix", user)
        presses = [d for d in world.github.deliveries if d.action == "requested_action"]
        await world.github.redeliver(presses[0])
        await world.quiet()
        assert commits(pull) == ["referee[bot]"]
        for delivery in presses:  # late, and with another GUID, as from a second hook
            world.github.site.outbox.send(
                delivery.event, delivery.payload, pull.repository, pull.author
            )
        await world.quiet()
    assert commits(pull) == ["referee[bot]"]
    assert answers(pull) == []
    assert counts(world.sticky(pull)).startswith("0 open")
    assert world.github.rejected == []


async def test_a_lost_answer_makes_no_second_commit(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        lost = world.github.faults.add(COMMIT, faults.answer_lost())
        await press(world, pull)
    assert lost.hits == 1
    assert commits(pull) == ["referee[bot]"]
    assert answers(pull) == []


@pytest.mark.parametrize(
    "moment", [("GET", f"/pulls/{NUMBER}$"), COMMIT], ids=["before the job", "before the commit"]
)
@pytest.mark.parametrize("fixed", [False, True], ids=["something is left", "nothing is left"])
async def test_a_head_that_moves_first_is_left_alone(
    world: World, moment: tuple[str, str], fixed: bool
) -> None:
    async with world.bot():
        pull = await opened(world)
        pressed = pull.head_sha
        files = {FIRST: recipe("cedar-1p2d")} | ({SECOND: recipe("cedar-2p1d")} if fixed else {})
        head = world.repo.commit("pr", files)

        async def move() -> None:
            await world.github.push(world.name, "pr", head, source=world.repo.path)

        world.github.faults.add(moment, faults.before(move))
        await press(world, pull)
        assert (pull.head_sha, commits(pull)) == (head, ["Test"])
        said = (
            f"The fixes for `{pressed[:7]}` were asked for, but `{head[:7]}` was pushed before they"
            " were made. Press the button again for those that are left."
        )
        assert answers(pull) == ([] if fixed else [said])
        if not fixed:
            await press(world, pull)
            assert commits(pull) == ["Test", "referee[bot]"]
    assert counts(world.sticky(pull)).startswith("0 open")


async def test_who_may_not_write_commits_nothing(world: World) -> None:
    """GitHub does not show the button to them; they may have lost the right since they pressed."""
    async with world.bot():
        pull = await opened(world)
        world.github.set_role("stranger", "read")
        before = len(world.github.writes)
        for _ in range(2):
            await press(world, pull, "stranger")
        assert commits(pull) == []
        assert answers(pull) == ["`stranger` may not write to this repository."]
        assert len(world.github.writes) == before + 1
        await press(world, pull, "author")
        assert commits(pull) == ["referee[bot]"]
        assert answers(pull) == []


async def test_a_press_by_an_account_that_is_gone_commits_nothing(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        world.github.faults.add(("GET", "/permission$"), faults.status(404, "ghost is not a user"))
        await press(world, pull, "ghost")
    assert (commits(pull), len(answers(pull))) == ([], 1)


async def test_a_fork_gets_no_button(world: World) -> None:
    third_conversation(world)
    async with world.bot():
        await world.github.add_repository(world.name, world.repo.path)
        await world.github.add_repository("stranger/bench", world.repo.path, installed=False)
        pull = await world.open(number=NUMBER, head_repo="stranger/bench")
        assert [b["identifier"] for b in button(pull).actions] == ["rerun"]
        with pytest.raises(LookupError, match="not 'fix'"):
            await press(world, pull)


async def test_an_app_that_may_not_commit_says_so_once_and_can_be_allowed(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        installation = pull.repository.installation
        assert installation is not None
        granted = installation.permissions
        installation.permissions = {**granted, "contents": "read"}
        await press(world, pull)
        assert answers(pull) == [REFUSED]
        runs = len(pull.check_runs)
        await press(world, pull)
        await world.github.edit(pull, body="Another body; no AI used")
        await world.quiet()
        assert (len(pull.check_runs), commits(pull)) == (runs, [])
        installation.permissions = granted
        await press(world, pull)
        assert commits(pull) == ["referee[bot]"]
        assert answers(pull) == []


async def test_a_press_whose_fixes_are_gone_says_so(world: World) -> None:
    """The policy changed on the target branch, which tells nobody until the next review."""
    async with world.bot():
        pull = await opened(world)
        off = world.repo.commit("main", {".github/referee.yml": OFF})
        await world.github.push(world.name, "main", off, source=world.repo.path)
        await press(world, pull)
    assert commits(pull) == []
    assert answers(pull) == ["No finding can be fixed mechanically any more."]


async def test_a_press_on_a_closed_pull_request_does_nothing(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        before = len(world.github.writes)

        async def close() -> None:
            await world.github.close(pull)

        world.github.faults.add(("GET", f"/pulls/{NUMBER}$"), faults.before(close))
        await press(world, pull)
        assert (commits(pull), answers(pull)) == ([], [])
        (ending,) = world.github.writes[before:]
        assert ending.path.startswith(f"/repos/{world.name}/issues/comments/")


@pytest.mark.parametrize("when", [faults.before, faults.after], ids=["before", "after"])
async def test_a_crash_around_the_commit_leaves_exactly_one(
    world: World, when: Callable[[Callable[[], None]], faults.Action]
) -> None:
    third_conversation(world)
    await world.github.add_repository(world.name, world.repo.path)
    async with served(world) as process:
        await world.github.open_pull_request(
            world.name, "pr", "main", body=DISCLOSED, number=NUMBER
        )
        pull = world.github.pull_request(NUMBER)
        await world.until(lambda: pull.check_runs)
        await world.quiet()
        world.github.faults.add(COMMIT, when(lambda: kill(process)))
        await world.github.press_check_run_button(button(pull), "fix")
        await asyncio.wait_for(process.wait(), 20)
    async with served(world):
        await world.until(lambda: counts(world.sticky(pull)).startswith("0 open"))
        await world.quiet()
    assert commits(pull) == ["referee[bot]"]
    assert answers(pull) == []
    assert len(reviews(pull)) == 1
    assert world.github.rejected == []


async def test_rerun_reviews_again_and_writes_nothing(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        reads, writes = len(world.github.requests), len(world.github.writes)
        await world.github.press_check_run_button(button(pull), "rerun")
        await world.quiet()
        assert len(world.github.writes) == writes
        assert any(e.path.endswith("/check-runs") for e in world.github.requests[reads:])


@pytest.mark.parametrize("gone", ["uninstalled", "suspended", "deleted"])
@pytest.mark.parametrize("what", ["fix", "rerun"])
async def test_what_is_out_of_reach_is_not_tried_for_ever(
    world: World, gone: str, what: str
) -> None:
    async with world.bot():
        pull = await opened(world)
        owner = pull.repository.owner.login
        actions = {
            "uninstalled": faults.before(lambda: world.github.uninstall(owner)),
            "suspended": faults.before(lambda: world.github.suspend(owner)),
            "deleted": faults.status(404, "Not Found"),
        }
        writes = len(world.github.writes)
        fault = world.github.faults.add(("GET", f"/pulls/{NUMBER}$"), actions[gone], times=None)
        await world.github.press_check_run_button(button(pull), what)
        await world.quiet()
        # A review and a look at the runs each try once.
        assert 1 <= fault.hits <= (2 if what == "rerun" else 1)
        assert len(world.github.writes) == writes
