"""What GitHub could not bring is fetched from its log, and done once."""

import asyncio
import time

from bot.sandbox import faults
from bot.serve import LOG_SECONDS
from tests.journeys.conftest import TIMERS, World, counts
from tests.journeys.policies import FIRST, recipe
from tests.journeys.test_commands import answers, emoji, opened, say

LOG = ("GET", "^/app/hook/deliveries$")


def looks(world: World) -> int:
    """Return how often the log was read."""
    return [each.path for each in world.github.requests].count("/app/hook/deliveries")


async def next_look(world: World) -> None:
    """Let the time pass until the log is read again, and wait for what comes of it."""
    before = looks(world)
    await world.until(lambda: world.later.sleeping == TIMERS)
    world.later.advance(LOG_SECONDS)
    await world.until(lambda: looks(world) > before and world.later.sleeping == TIMERS)
    await world.quiet()


async def test_what_came_while_no_server_ran_is_done_once(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
    world.github.webhook_url = None
    one = await world.github.comment(pull, "/dismiss 0000000 no", "maintainer")
    two = await world.github.comment(pull, "/explain changelog/pr-link", "maintainer")
    world.repo.commit("pr", {FIRST: recipe("cedar-1p2d")})
    await world.github.push(world.name, "pr", world.repo.log("pr")[0], source=world.repo.path)
    failed = [it for it in world.github.deliveries if it.status_code == 502]
    assert {"issue_comment", "pull_request"} <= {it.event for it in failed}
    async with world.bot():
        await world.until(lambda: len(answers(pull)) == 2)
        await world.quiet()
        assert (emoji(one), emoji(two)) == ("👀😕", "👀👍")
        assert answers(pull)[0].startswith(f"No finding at `{pull.head_sha[:7]}` is called")
        assert counts(world.sticky(pull)).startswith("1 open")
        writes = len(world.github.writes)
        for delivery in failed:
            await world.github.redeliver(delivery)
        await world.quiet()
        assert len(world.github.writes) == writes
    async with world.bot():
        await world.until(lambda: looks(world) == 2)
        await world.quiet()
        assert len(world.github.writes) == writes
    assert world.github.rejected == []


async def test_a_log_that_cannot_be_read_is_read_at_the_next_time(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
    world.github.webhook_url = None
    said = await world.github.comment(pull, "/help", "maintainer")
    fault = world.github.faults.add(LOG, faults.status(404))
    whole = world.github.faults.add(("GET", "^/app/hook/deliveries/"), faults.status(404))
    async with world.bot():
        await world.until(lambda: fault.hits == 1)
        await next_look(world)
        assert (whole.hits, answers(pull)) == (1, [])
        await next_look(world)
        assert len(answers(pull)) == 1
    assert (fault.hits, whole.hits, emoji(said)) == (1, 1, "👀👍")


async def test_a_delivery_that_github_has_lost_too_holds_up_no_other(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
    world.github.webhook_url = None
    lost = await world.github.comment(pull, "/help", "maintainer")
    said = await world.github.comment(pull, "/help", "maintainer")
    first = [it for it in world.github.deliveries if it.event == "issue_comment"][-2]
    log = f"^/app/hook/deliveries/{first.id}$"
    world.github.faults.add(("GET", log), faults.status(404), times=None)
    async with world.bot():
        await world.until(lambda: emoji(said) == "👀👍")
    assert (len(answers(pull)), emoji(lost)) == (1, "")


async def test_a_new_store_repeats_no_command_of_the_past(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
    world.github.webhook_url = None
    said = await world.github.comment(pull, "/help", "maintainer")
    world.lose_database()
    await asyncio.sleep(1 - time.time() % 1)  # GitHub's times are whole seconds
    async with world.bot():
        await say(world, pull, "/check")
        for _ in range(3):
            await next_look(world)
        assert (emoji(said), answers(pull)) == ("", [])


async def test_a_delivery_that_is_lost_while_the_server_runs_is_fetched(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        world.github.faults.lose_deliveries(event="issue_comment")
        said = await world.github.comment(pull, "/help", "maintainer")
        await next_look(world)
        assert (emoji(said), len(answers(pull))) == ("👀👍", 1)
