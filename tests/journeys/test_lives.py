"""Whatever happens, in whatever order: at the end all is said, once, and nothing waits."""

import asyncio
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import pytest
import structlog

from bot import dispatch, github, serve
from bot.cli.sandbox import settings_for
from bot.github import GitHub
from bot.github.limits import Limits
from bot.jobs.embedded import EmbeddedJobs
from tests.journeys.conftest import World
from tests.journeys.lives import Life
from tests.journeys.test_commands import emoji
from tests.journeys.test_labels import FULL, LABEL

MANY, FEW = 12, 3
TROUBLE = re.compile(r"(GitHub\w+|AnswerTooLong|MirrorError|StaleMirrorError): ")


@pytest.fixture(autouse=True)
def in_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait only a little for more of a burst, and before something is tried again."""
    jobs = partial(EmbeddedJobs, first_delay=0.02, settle_seconds=0.05)
    monkeypatch.setattr(serve, "EmbeddedJobs", jobs)
    monkeypatch.setattr(serve, "GitHub", partial(GitHub, jitter=lambda: -0.48))
    monkeypatch.setattr(github, "Limits", partial(Limits, writes=((10_000, 60.0),)))
    monkeypatch.setattr(dispatch, "_PAUSE", 0.01)
    monkeypatch.setattr(serve, "LOG_SECONDS", 0.1)


@asynccontextmanager
async def started(world: World) -> AsyncIterator[None]:
    """Run the bot, which ends in the middle of whatever it does."""
    async with serve.running(settings_for(world.github, world.data_dir)) as port:
        world.github.webhook_url = f"http://127.0.0.1:{port}/webhook"
        yield
    world.github.webhook_url = None


@pytest.mark.parametrize("seed", [4, 5])
async def test_a_random_life_ends_well(world: World, seed: int) -> None:
    life = Life(world, seed)
    with structlog.testing.capture_logs() as log:
        async with started(world):
            await life.begin()
            await life.goes_on(MANY)
        await life.goes_on(FEW)  # while no bot runs
        async with started(world):
            await life.goes_on(MANY)
            await life.end()
            await looked(world, log)
    problems = [*_unheard(life), *_gates(life), *_labels(life), *_odd(log)]
    assert problems == [], life.trace
    assert await _forgotten(world) == [], life.trace


async def looked(world: World, log: list[Any]) -> None:
    """Wait until what was lost is fetched, and nothing is left to do."""
    before = _count(log, "log_read")
    await world.until(lambda: _count(log, "log_read") > before + 1)
    for _ in range(3):  # what it did last was told to it, too
        await world.github.settled()
        await world.until(lambda: world.waiting() == 0, seconds=60)


def _count(log: list[Any], event: str) -> int:
    return sum(line["event"] == event for line in log)


def _unheard(life: Life) -> list[str]:
    """Return the commands that were not seen, or did not end."""
    heard = re.compile("👀(🚀|👍|😕)+")
    return [
        f"{emoji(each)!r}: {each.body}" for each in life.said if not heard.fullmatch(emoji(each))
    ]


def _gates(life: Life) -> list[str]:
    """Return what the head lacks, or has not been told to the end."""
    newest = {run.name: run.conclusion for run in life.pull.check_runs}
    return [name for name in ("referee/review", "signoff") if newest.get(name) is None]


def _labels(life: Life) -> list[str]:
    """Return labels that exclude each other; no person sets both."""
    both = {label.name for label in life.pull.labels} >= {LABEL, FULL}
    return [f"{LABEL} and {FULL}"] if both else []


def _odd(log: list[Any]) -> list[str]:
    """Return what the log calls an error, and what failed for another reason than GitHub."""
    failed = [x for x in log if x["event"] == "job_failed" and not TROUBLE.match(x["error"])]
    return [str(each) for each in (*failed, *(x for x in log if x["log_level"] == "error"))]


async def _forgotten(world: World) -> list[str]:
    """Return what is written when a bot that knows nothing looks at what stands there."""
    world.lose_database()
    await asyncio.sleep(1 - time.time() % 1)  # what failed until now is no news to it
    before = len(world.github.writes)
    with structlog.testing.capture_logs() as log:
        async with started(world):
            await world.until(lambda: _count(log, "reviewed"))
            await looked(world, log)
    return [f"{e.method} {e.path} {str(e.body)[:300]}" for e in world.github.writes[before:]]
