"""What changes on the target branch is said on the pull requests that it decides about."""

from tests.journeys.conftest import World
from tests.journeys.policies import POLICY
from tests.journeys.test_commands import check, opened

POLICY_FILE = ".github/referee.yml"
OFF = POLICY + "rules: {draft-model/kv-cache-below-target: {enabled: false}}\n"


async def test_a_new_policy_holds_for_open_pull_requests_at_once(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        assert check(pull) == "failure"
        world.repo.commit("main", {POLICY_FILE: OFF})
        await world.push("main")
        assert check(pull) == "success"
        world.repo.commit("main", {POLICY_FILE: None})
        await world.push("main")
        assert check(pull) != "success"
    assert world.github.rejected == []


async def test_what_does_not_decide_makes_no_review(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        await world.quiet()
        before = reads(world)
        world.repo.commit("main", {"README.md": "# Cedar\n"})
        await world.push("main")
        world.repo.branch("other", "main")
        world.repo.commit("other", {POLICY_FILE: OFF})
        await world.push("other")
        assert reads(world) == before
        assert check(pull) == "failure"


def reads(world: World) -> int:
    """Return how often the bot looked at the pull request."""
    return sum(each.path.endswith("/pulls/1001") for each in world.github.requests)


async def test_a_branch_that_is_replaced_by_force_is_looked_at(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        world.repo.commit("fresh", {POLICY_FILE: OFF}, start="main")
        world.repo.commit("main", {"README.md": "# Cedar\n"})
        await world.push("main")
        assert check(pull) == "failure"
        new = world.repo.log("fresh")[0]
        await world.github.push(world.name, "main", new, source=world.repo.path)
        await world.quiet()
        assert check(pull) == "success"
