"""How soon a run that a command dispatches shows in the comment, beside its limit."""

from __future__ import annotations

import asyncio
import logging
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import structlog

from bot.sandbox import Sandbox
from bot.sandbox.state import PullRequest
from tests.journeys.conftest import World
from tests.journeys.policies import KEY
from tests.journeys.test_commands import opened
from tests.journeys.test_runs import made, on_demand

LIMIT, TIMES = 1.0, 10


def main() -> None:
    """Print the seconds from the dispatch, and from the command, to the visible row."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_measure(Path(folder)))


async def _measure(folder: Path) -> None:
    print(f"a run that somebody asks for, {TIMES} times: until its row shows")
    async with Sandbox(folder / "sandbox") as sandbox:
        world = World(sandbox, folder)
        async with world.bot():
            pull = await opened(world)
            taken = [await _once(world, pull) for _ in range(TIMES + 1)][1:]
    for name, seconds in zip(("dispatch", "command"), zip(*taken, strict=True), strict=True):
        middle, worst = statistics.median(seconds), max(seconds)
        limit = f"   of {LIMIT} s" if name == "dispatch" else ""
        print(f"  from the {name}: median {middle:4.2f} s, worst {worst:4.2f} s{limit}")


async def _once(world: World, pull: PullRequest) -> tuple[float, float]:
    """Return the seconds from the dispatch and from the command."""
    workflow = on_demand(world)
    said = time.perf_counter()
    await world.github.comment(pull, f"/unofficial {KEY}", "maintainer")
    await _until(lambda: bool(made(workflow)))
    (run,) = made(workflow)
    dispatched = time.perf_counter()
    await _until(lambda: f"Unofficial run {run.id}" in world.sticky(pull))
    shown = time.perf_counter()
    await world.quiet()
    return shown - dispatched, shown - said


async def _until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110 - the condition has no event
            await asyncio.sleep(0.002)
