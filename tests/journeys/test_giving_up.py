"""What fails for good is admitted where it was asked for, and never holds up the rest for good."""

from functools import partial

import pytest

from bot.jobs.embedded import EmbeddedJobs
from bot.sandbox import faults
from tests.journeys.conftest import World, counts, reviews
from tests.journeys.test_commands import answers, check, emoji, opened, say
from tests.journeys.test_labels import FULL, NUMBER, on, prepared
from tests.journeys.test_labels import opened as measured

ROLES = ("GET", "/collaborators/.*/permission$")
ADVICE = "That is no mistake of yours. Nothing more is tried; say it again to have it tried again."


@pytest.fixture
def world(world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """A world where nobody waits long between attempts."""
    monkeypatch.setattr("bot.serve.EmbeddedJobs", partial(EmbeddedJobs, first_delay=0.01))
    return world


async def test_a_command_that_fails_for_good_is_admitted(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        fault = world.github.faults.add(ROLES, faults.status(422, "No roles today"), times=None)
        said = await world.github.comment(pull, "/check\n/status\n/nothing", "maintainer")
        await world.github.comment(pull, "/help", "maintainer")
        await world.quiet()
        assert (emoji(said), fault.hits) == ("👀😕", 10)
        first, second = answers(pull)
        assert first.startswith("Referee could not carry out `/check`, `/status`: ")
        assert "422 No roles today" in first
        assert "collaborators/maintainer/permission" in first
        assert first.endswith(ADVICE)
        assert second.startswith("Referee could not carry out `/help`: ")
        fault.left = 0
        assert await say(world, pull, "/check") == "👀🚀"
        await world.github.redeliver(world.github.deliveries[-1])
        await world.quiet()
    assert len(answers(pull)) == 2


async def test_a_bot_is_not_told_so(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        world.github.faults.add(("GET", "/pulls/1001$"), faults.status(422), times=None)
        world.github.state.account("robot[bot]", "Bot")
        said = await world.github.comment(pull, "/help", "robot[bot]")
        await world.quiet()
    assert (emoji(said), answers(pull)) == ("", [])


async def test_a_review_that_cannot_be_said_is_admitted_in_its_check_run(world: World) -> None:
    async with world.bot():
        fault = world.github.faults.add(
            ("POST", "/issues/1001/comments$"), faults.unprocessable("Comments are off"), times=None
        )
        pull = await opened(world)
        assert (check(pull), len(pull.check_runs), fault.hits) == ("action_required", 1, 10)
        assert "Nothing could be checked: `GitHub refused POST" in str(pull.check_runs[0].summary)
        await world.github.edit(pull, title="Another title")
        await world.quiet()
        assert (len(pull.check_runs), fault.hits) == (1, 20)
        fault.left = 0
        await world.github.edit(pull, title="A third title")
        await world.quiet()
        assert check(pull) == "failure"
        assert counts(world.sticky(pull)).startswith("2 open")


async def test_what_nobody_can_be_told_is_not_dropped_meanwhile(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        for code, why in ((401, "Bad credentials"), (403, "Your IP address is not permitted")):
            world.github.faults.add((".*", "."), faults.status(code, why), times=8)
            said = await world.github.comment(pull, "/help", "maintainer")
            await world.quiet()
            assert emoji(said) == "👀👍"
    assert len(answers(pull)) == 2


async def test_a_locked_conversation_keeps_no_verdict_and_no_command_from_the_head(
    world: World,
) -> None:
    why = "Unable to create comment because issue is locked."
    said_there = "/(comments|comments/\\d+|reviews|reactions|replies)$"
    async with world.bot():
        lock = faults.status(403, why)
        fault = world.github.faults.add(("POST|PATCH", said_there), lock, times=None)
        pull = await opened(world)
        assert (check(pull), len(pull.check_runs)) == ("failure", 1)
        assert "the conversation is locked" in str(pull.check_runs[0].summary)
        assert len(pull.check_runs[0].annotations) == 2
        await world.github.comment(pull, "/override review: the cluster waits", "maintainer")
        await world.quiet()
        assert check(pull) == "neutral"
        hits = fault.hits
        await world.github.edit(pull, title="Another title")
        await world.quiet()
        assert (len(pull.check_runs), fault.hits - hits) == (2, 1)
        fault.left = 0
        await world.github.edit(pull, title="A third title")
        await world.quiet()
        assert (check(pull), len(reviews(pull))) == ("neutral", 1)
        assert "locked" not in str(pull.check_runs[-1].summary)
    assert counts(world.sticky(pull)).startswith("2 open")


async def test_an_archived_repository_is_left_alone(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        pull.repository.archived = True
        before = len(world.github.requests)
        await world.github.edit(pull, title="Another title")
        said = await world.github.comment(pull, "/check", "maintainer")
        await world.quiet()
    async with world.bot():
        pass
    assert (emoji(said), answers(pull)) == ("", [])
    tried = [each for each in world.github.requests[before:] if each.method != "GET"]
    assert {each.path.rpartition("/")[2] for each in tried} <= {"access_tokens", "reactions"}
    assert len(tried) <= 4


async def test_commands_of_two_comments_are_carried_out_in_their_order(world: World) -> None:
    await prepared(world)
    async with world.bot():
        pull = await measured(world, draft=True)
        world.github.faults.add(("POST", f"/issues/{NUMBER}/labels$"), faults.delayed(0.2))
        for body in ("/sweep full", "/sweep none", "/sweep full", "/sweep none"):
            await world.github.comment(pull, body, "maintainer")
        await world.quiet()
        assert on(pull) == []
        assert answers(pull) == [f"Set: `{FULL}`.", f"Taken off: `{FULL}`."] * 2
