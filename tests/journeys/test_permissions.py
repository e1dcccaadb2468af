"""What the App may not do is said where that is possible, and everything else goes on."""

from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from bot.sandbox.permissions import Needs
from bot.sandbox.state import PullRequest
from checks.permissions import allows, lacking, wanted
from tests.journeys import signing
from tests.journeys.conftest import DISCLOSED, World, reviews
from tests.journeys.policies import FIRST, KEY, recipe
from tests.journeys.test_commands import NUMBER, answers, emoji
from tests.journeys.test_review import third_conversation
from tests.journeys.test_runs import on_demand, swept

COMMANDS = ("/rerun", "/cancel", f"/unofficial {KEY}", "/sweep full", "/status", "/fix", "/help")


@pytest.fixture(autouse=True)
def log() -> Iterator[list[Any]]:
    with structlog.testing.capture_logs() as lines:
        yield lines


def permit(world: World, name: str, level: str | None) -> None:
    """Let every installation have this permission at this level only."""
    granted = world.github.state.app.permissions
    del granted[name]
    if level is not None:
        granted[name] = level


async def prepared(world: World) -> None:
    """Make the repository, so that the App is installed before the bot starts."""
    third_conversation(world)
    world.github.set_role("maintainer", "maintain")
    await world.github.add_repository(world.name, world.repo.path)
    world.github.make_label(world.name, "full-sweep-enabled")


async def life(world: World) -> PullRequest:
    """Open a pull request, sweep it, say every command that writes, and push one fix."""
    number = await world.github.open_pull_request(
        world.name, "pr", "main", body=DISCLOSED, number=NUMBER
    )
    await world.quiet()
    pull = world.github.pull_request(number)
    on_demand(world)
    await swept(world, pull, **{"canary / c8": "failure"})
    for command in COMMANDS:
        await world.github.comment(pull, command)
        await world.quiet()
    if pull.threads:
        await world.github.reply(pull.threads[0], "/explain no/rule")
    await world.github.review(pull, "/explain no/rule")
    await world.quiet()
    world.repo.commit("pr", {FIRST: recipe("cedar-1p2d")})
    await world.github.push(world.name, "pr", world.repo.log("pr")[0], source=world.repo.path)
    await world.quiet()
    return pull


def said(pull: PullRequest) -> str:
    """Return all that we said about the pull request, wherever."""
    ours = [c.body for c in pull.comments if c.author.login == "referee[bot]"]
    return "\n".join([*ours, *answers(pull), *(str(run.summary) for run in pull.check_runs)])


def achieved(pull: PullRequest) -> set[str]:
    """Return what of all that was wanted came about."""
    sticky = "".join(c.body for c in pull.comments if c.body.startswith("<!-- referee:sticky"))
    commands = [c for c in pull.comments if c.body in COMMANDS]
    sweep, *others = sorted(pull.repository.runs, key=lambda run: run.workflow.file, reverse=True)
    found = {
        "reviewed": "\n1 open: " in sticky,
        "inline": bool(reviews(pull)),
        "resolved": any(thread.resolved for thread in pull.threads),
        "gated": [run.name for run in pull.check_runs].count("referee/review") > 0,
        "committed": any(push.pusher.login == "referee[bot]" for push in pull.pushes),
        "ran again": len(sweep.attempts) == 2,
        "dispatched": len(others) == 1,
        "labelled": [label.name for label in pull.labels] == ["full-sweep-enabled"],
        "acknowledged": all(emoji(c).startswith("👀") for c in commands),
        "answered": len(answers(pull)) > 2,
    }
    return {name for name, so in found.items() if so}


ALL = {"reviewed", "inline", "resolved", "gated", "committed", "ran again", "dispatched"} | {
    "labelled",
    "acknowledged",
    "answered",
}
BY_SIGN_OFF = {"members", "statuses"}
BY_COMMAND = {"committed", "ran again", "dispatched", "labelled", "acknowledged"}
LOST: dict[tuple[str, str | None], set[str]] = {
    ("actions", None): {"ran again", "dispatched", "labelled"},
    ("actions", "read"): {"ran again", "dispatched"},
    ("checks", None): {"gated"},
    ("checks", "read"): {"gated"},
    ("contents", None): {"reviewed", "inline", "resolved", *BY_COMMAND} - {"acknowledged"},
    ("contents", "read"): {"committed", "resolved"},
    ("issues", None): {*BY_COMMAND, "answered"},
    ("issues", "read"): {"acknowledged"},
    ("pull_requests", None): ALL - {"acknowledged", "answered"},
    ("pull_requests", "read"): {"inline", "resolved"},
}


@pytest.mark.parametrize(("name", "level"), LOST)
async def test_a_missing_permission_is_named_and_the_rest_goes_on(
    world: World, log: list[Any], name: str, level: str | None
) -> None:
    permit(world, name, level)
    await prepared(world)
    async with world.bot():
        pull = await life(world)
    needed = sorted(lacking({**wanted(), name: level or "none"}))
    (told, *_) = [line for line in log if line["event"] == "permissions_lacking"]
    assert told["permissions"] == needed
    assert needed[0] in said(pull)
    assert achieved(pull) == ALL - LOST[name, level]
    failed = [line for line in log if line["event"] == "job_failed" or "exc_info" in line]
    assert failed == []
    assert [line for line in log if line["log_level"] == "error"] == []


async def test_the_app_asks_for_no_more_than_it_uses(world: World, log: list[Any]) -> None:
    """Lowering any permission by one level takes something away that the bot does."""
    await prepared(world)
    async with world.bot():
        pull = await life(world)
        assert pull.repository.installation is not None
        used = pull.repository.installation.used
    assert achieved(pull) == ALL
    assert [line for line in log if line["event"] == "permissions_lacking"] == []
    levels = {name: level for name, level in wanted().items() if name not in BY_SIGN_OFF}
    for name, level in levels.items():
        lowered = {**wanted(), name: "read" if level == "write" else "none"}
        assert any(not _suffices(lowered, needs) for needs in used if needs), name
    assert set(LOST) == {(name, None) for name in levels} - {("metadata", None)} | {
        (name, "read") for name, level in levels.items() if level == "write"
    }


@pytest.mark.parametrize("level", [None, "read"])
async def test_a_commit_status_that_may_not_be_set_is_named(
    world: World, log: list[Any], level: str | None
) -> None:
    permit(world, "statuses", level)
    named = signing.policy(more="  status: codeowner-signoff\n")
    await signing.prepared(world, **{".github/referee.yml": named})
    async with world.bot():
        pull = await signing.opened(world)
        assert "- `statuses=write`: The commit status about the sign-off" in world.sticky(pull)
        assert signing.gate(pull)[0] == "action_required"
        world.repo.commit("main", {".github/referee.yml": signing.policy()})
        await world.push("main")
        await world.github.comment(pull, "/check")
        await world.quiet()
        assert "statuses=write" not in world.sticky(pull), "it is not needed"
    assert pull.statuses == {}
    assert [line for line in log if line["event"] == "job_failed"] == []


def _suffices(granted: dict[str, str], needs: Needs) -> bool:
    return any(allows(granted, need) for need in needs)
