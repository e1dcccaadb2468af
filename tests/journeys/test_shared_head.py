"""Two pull requests with one head share its check runs, and the milder does not open the gate."""

from bot.sandbox.state import PullRequest
from tests.journeys.conftest import World
from tests.journeys.policies import CLEAN
from tests.journeys.test_commands import check, say
from tests.journeys.test_review import third_conversation

MILD = {**CLEAN, ".github/referee.yml": "extends: inferencex\nmode: advisory\n"}
SHARED = "⚖️ GitHub keeps check runs by commit. `#1001` has the same head, and its verdict stands"


async def aside(world: World, number: int) -> PullRequest:
    """Open a pull request of the same commit into a branch whose policy only advises."""
    world.repo.commit("old", MILD, start="main")
    world.repo.branch("twin", "pr")
    for branch in ("old", "twin"):
        await world.push(branch)
    await world.github.open_pull_request(world.name, "twin", "old", number=number)
    await world.quiet()
    return world.github.pull_request(number)


async def test_a_milder_twin_does_not_open_the_gate(world: World) -> None:
    third_conversation(world)
    world.repo.repository.set_head("refs/heads/main")
    async with world.bot():
        pull = await world.open(number=1001)
        twin = await aside(world, 900)
        assert (twin.head_sha, check(pull), check(twin)) == (pull.head_sha, "failure", "failure")
        await say(world, twin, "/check")
        assert check(pull) == "failure"
        assert SHARED in world.sticky(twin)
        assert "⚖️" not in world.sticky(pull)
        before = len(world.github.writes)
        await world.github.edit(twin, title="Another title")
        await world.quiet()
        assert len(world.github.writes) == before
        await world.github.close(pull)
        await world.quiet()
        assert check(twin) == "neutral"
        assert "⚖️" not in world.sticky(twin)
    assert world.github.rejected == []


async def test_a_stricter_twin_shuts_it_again(world: World) -> None:
    third_conversation(world)
    world.repo.repository.set_head("refs/heads/main")
    await world.github.add_repository(world.name, world.repo.path)
    async with world.bot():
        twin = await aside(world, 900)
        assert check(twin) == "neutral"
        pull = await world.open(number=1001)
        assert check(pull) == "failure"
        await say(world, twin, "/check")
        assert check(pull) == "failure"
        world.repo.commit("twin", {"README.md": "# Cedar\n"})
        await world.push("twin")
        assert check(twin) == "neutral"
        assert "⚖️" not in world.sticky(twin)
