"""What happens to workflow runs is seen on the pull request that they are about."""

import pytest

from bot.sandbox.state import PullRequest
from tests.journeys.conftest import World
from tests.journeys.test_review import third_conversation

JOBS = [f"single-node 8k1k / p1 | cedar fp4 gb300 TP4 c{number}" for number in range(100)]


def looks(world: World, pull: PullRequest) -> int:
    """Return how often the bot read the pull request, as each review does once at its start."""
    path = f"/repos/{pull.repository.full_name}/pulls/{pull.number}"
    return sum(e.method == "GET" and e.path == path for e in world.github.requests)


async def test_hundreds_of_jobs_make_few_reviews(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.serve.JOB_NEWS_SECONDS", 0.6)
    third_conversation(world)
    async with world.bot():
        pull = await world.open()
        sweep = world.github.add_workflow(world.name, "run-sweep.yml", "Run Sweep", JOBS)
        before, writes = looks(world, pull), len(world.github.writes)
        run = await world.github.start_run(pull, sweep)
        await world.github.begin_jobs(run)
        await world.quiet()
        assert 1 <= looks(world, pull) - before <= 6, "300 deliveries"
        before = looks(world, pull)
        await world.github.finish_run(run)
        await world.quiet()
        assert 1 <= looks(world, pull) - before <= 6
        assert len(world.github.writes) == writes
    assert world.github.rejected == []


async def test_a_run_of_a_fork_is_about_the_fork_whose_branch_it_is(world: World) -> None:
    """GitHub names no pull request, and both forks have a branch of that name."""
    third_conversation(world)
    async with world.bot():
        ours = await world.open()
        for owner in ("one", "two"):
            fork = f"{owner}/bench"
            await world.github.add_repository(fork, world.repo.path, installed=False)
        world.repo.commit("pr", {"README.md": "# Another\n"})
        await world.github.push("two/bench", "pr", world.repo.log("pr")[0], source=world.repo.path)
        first = await world.open(head_repo="one/bench")
        second = await world.open(head_repo="two/bench")
        assert first.head_sha != second.head_sha
        sweep = world.github.add_workflow(world.name, "lint.yml", "Lint", ["lint"])
        before = [looks(world, pull) for pull in (ours, first, second)]
        await world.github.start_run(second, sweep, [])
        await world.quiet()
        after = [looks(world, pull) for pull in (ours, first, second)]
        assert [b - a for a, b in zip(before, after, strict=True)] == [0, 0, 1]
