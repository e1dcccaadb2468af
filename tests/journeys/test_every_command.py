"""Every command, whatever happens to it: a command without its row in the table fails here."""

import re
from functools import partial

import pytest

from bot import dispatch, github, serve
from bot.github import GitHub
from bot.github.limits import Limits
from bot.jobs.embedded import EmbeddedJobs
from bot.sandbox import faults
from bot.sandbox.state import IssueComment
from checks.commands.registry import all_commands
from tests.journeys.conftest import World
from tests.journeys.every_command import ROWS, Row, Stage, staged
from tests.journeys.test_commands import answers, emoji

TROUBLES = {
    "502": faults.status(502),
    "limit": faults.secondary_limit(0),
    "lost": faults.answer_lost(),
}

# What every command and every review asks for is made to fail for one command only.
TRIED_WHOLE = "dismiss"
EVERYWHERE = re.compile(
    r"/(access_tokens|reactions|comments|comments/.*|pulls/1001|check-runs|permission|graphql)\$"
)


@pytest.fixture(autouse=True)
def in_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait only a little before something is tried again."""
    monkeypatch.setattr(serve, "EmbeddedJobs", partial(EmbeddedJobs, first_delay=0.02))
    monkeypatch.setattr(serve, "GitHub", partial(GitHub, jitter=lambda: -0.48))
    monkeypatch.setattr(github, "Limits", partial(Limits, writes=((10_000, 60.0),)))
    monkeypatch.setattr(dispatch, "_PAUSE", 0.01)


async def once(stage: Stage, row: Row, *authors: str) -> list[IssueComment]:
    """Say a command when all is prepared, everybody at once; note what it asked GitHub for."""
    stage.turn += 1
    await row.prepare(stage)
    words, since = stage.words(row.good), len(stage.world.github.requests)
    said = [await stage.world.github.comment(stage.pull, words, author) for author in authors]
    await stage.world.quiet()
    stage.kinds = asked(stage.world, since)
    return said


def test_every_command_has_its_row() -> None:
    assert ROWS.keys() == all_commands().keys()


@pytest.mark.parametrize("name", sorted(all_commands()))
async def test_whatever_happens_it_is_done_once_and_answered_once(world: World, name: str) -> None:
    row = ROWS[name]
    async with world.bot():
        stage = await staged(world)
        await _refused(stage, row, name)
        await _two_people_at_once(stage, row)
        await _told_again(stage, row)
        assert world.github.rejected == []
        own = [
            kind for kind in stage.kinds if name == TRIED_WHOLE or not EVERYWHERE.search(kind[1])
        ]
        for kind in own:
            for trouble in TROUBLES if kind[0] != "GET" else ["502"]:
                await _one_failure(stage, row, kind, trouble)


async def _refused(stage: Stage, row: Row, name: str) -> None:
    """Somebody without a role, and somebody with a wrong argument, only get an answer."""
    world = stage.world
    world.github.set_role("stranger", "none")
    await row.prepare(stage)
    before, writes = row.effect(stage), len(world.github.writes)
    may_not = await world.github.comment(stage.pull, stage.words(row.good), "stranger")
    wrong = await world.github.comment(stage.pull, stage.words(row.bad))
    await world.quiet()
    assert emoji(may_not) == emoji(wrong) == "👀😕"
    said = "".join(answers(stage.pull)[-2:])
    assert f"`stranger` may not use `/{name}`: it needs the role `" in said
    assert re.search(r"[Aa]rgument \d", said)
    assert row.effect(stage) == before
    made = [it.path for it in world.github.writes[writes:] if it.method == "POST"]
    assert len(made) == 6, "two reactions and one answer to each"


async def _told_again(stage: Stage, row: Row) -> None:
    """Deliveries that come again change nothing."""
    world = stage.world
    (said,) = await once(stage, row, "maintainer")
    assert emoji(said) == f"👀{row.reaction}"
    assert row.effect(stage) == row.done
    there, writes = answers(stage.pull), len(world.github.writes)
    told = [d for d in world.github.deliveries if d.event == "issue_comment"][-1]
    await world.github.redeliver(told)
    await world.hook_again(told)
    await world.quiet()
    assert (row.effect(stage), answers(stage.pull)) == (row.done, there)
    assert len(world.github.writes) == writes


async def _two_people_at_once(stage: Stage, row: Row) -> None:
    """Both are answered, and what one of them wanted is not done twice."""
    said = await once(stage, row, "maintainer", "ann")
    assert all(emoji(each)[:1] == "👀" and len(emoji(each)) > 1 for each in said)
    assert row.reaction in emoji(said[0]) + emoji(said[1])
    assert row.effect(stage) == (row.done if row.twice is None else row.twice)


async def _one_failure(stage: Stage, row: Row, kind: tuple[str, str], trouble: str) -> None:
    """The first request of a kind fails in some way."""
    world, what = stage.world, f"{kind} {trouble}"
    stage.turn += 1
    await row.prepare(stage)
    there, fault = len(answers(stage.pull)), world.github.faults.add(kind, TROUBLES[trouble])
    said = await world.github.comment(stage.pull, stage.words(row.good))
    await world.quiet()
    world.github.faults.clear()
    assert fault.hits == 1 or kind[0] == "GET", what  # what is known is not always asked again
    assert row.effect(stage) == row.done, what
    # After an answer that was lost, what was asked for may be there already.
    assert emoji(said) in {f"👀{row.reaction}", "👀👍"}, what
    assert len(answers(stage.pull)) - there <= 1, what


def asked(world: World, since: int) -> list[tuple[str, str]]:
    """Return the kinds of requests to the API since then, as faults match them."""
    found = [(it.method, _general(it.path) + "$") for it in world.github.requests[since:]]
    return list(dict.fromkeys(found))


def _general(path: str) -> str:
    """Return a pattern with any id and any commit for those of a path."""
    pattern = re.sub(r"\b(comments|runs|jobs|artifacts|check-runs)/\d+", r"\1/\\d+", path)
    return re.sub(r"[0-9a-f]{40}", "[0-9a-f]{40}", pattern)
