"""What the one comment says in each state of a pull request and of its sweep, to the byte."""

from bot.sandbox.workflows import Run
from tests.goldens import assert_golden
from tests.journeys.conftest import World
from tests.journeys.policies import KEY
from tests.journeys.test_commands import say
from tests.journeys.test_labels import LABEL, opened, prepared
from tests.journeys.test_runs import on_demand
from tests.journeys.test_whole_life import Life

JOBS = ("single-node 8k1k / c8", "single-node 8k1k / c16")


async def swept(world: World, life: Life) -> Run:
    """Let a sweep wait, run and fail."""
    sweep = world.github.add_workflow(world.name, "run-sweep.yml", "Run Sweep", JOBS)
    run = await world.github.start_run(life.pull, sweep)
    world.github.add_artifact(run, "results_bmk", {"results.json": b"[]"})
    await world.quiet()
    life.step("The sweep waits")
    await world.github.begin_jobs(run, *JOBS)
    await world.quiet()
    life.step("It runs")
    await world.github.end_job(run, JOBS[0], "failure")
    await world.quiet()
    life.step("A job has failed, another one runs")
    await world.github.finish_run(run)
    await world.quiet()
    life.step("The sweep is over")
    return run


async def test_each_state_to_the_byte(world: World) -> None:
    await prepared(world)
    async with world.bot():
        pull = await opened(world, draft=True, title="Measure Cedar at concurrency 32")
        life = Life(world, pull)
        life.step("A draft", whole=True)
        await world.github.set_draft(pull, draft=False)
        await world.quiet()
        life.step("Ready, and the label is set")
        run = await swept(world, life)
        await say(world, pull, f"/use {run.id}")
        life.step("The sweep is chosen")
        await world.github.remove_label(pull, LABEL)
        await world.quiet()
        life.step("Somebody took the label off")
        world.repo.commit("pr", {"README.md": "# Cedar\n"})
        await world.push()
        life.step("Another commit is pushed, and the label is set")
        on_demand(world)
        await say(world, pull, f"/unofficial {KEY}")
        life.step("An unofficial run waits")
        await world.github.close(pull)
        await world.quiet()
        life.step("Closed", whole=True)
        await world.github.finish_run(pull.repository.runs[-1])
        await world.quiet()
        life.step("Its run ends after that")
        await world.github.reopen(pull)
        await world.quiet()
        life.step("Opened again")
        await world.github.merge(pull, "nina")
        await world.quiet()
        life.step("Merged", whole=True)
        before = len(world.github.writes)
        await world.github.add_label(pull, "documentation")
        await world.quiet()
        assert len(world.github.writes) == before
    assert_golden("states.md", life.text())
    assert world.github.rejected == []
