"""kill -9 at any point between the delivery and the last write leaves exactly one review."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.sandbox import faults
from tests.journeys.conftest import DISCLOSED, World, counts, reviews
from tests.journeys.test_review import third_conversation
from tests.kit import ROOT

NUMBER = 1001
REQUESTS_OF_A_REVIEW = 12  # nine to the API, three to git
ANY = ("GET|POST|PATCH", ".")


@asynccontextmanager
async def served(world: World, command: str = "serve") -> AsyncIterator[asyncio.subprocess.Process]:
    """Run `referee serve`, or `referee run`, in a process group of its own."""
    key = world.folder / "app.pem"
    key.write_text(world.github.private_key_pem)
    environ = {
        "PATH": os.environ["PATH"],
        "REFEREE_APP_ID": str(world.github.app_id),
        "REFEREE_PRIVATE_KEY_FILE": str(key),
        "REFEREE_WEBHOOK_SECRETS": world.github.webhook_secret,
        "REFEREE_GITHUB_URL": world.github.url,
        "REFEREE_DATA_DIR": str(world.data_dir),
        "REFEREE_PORT": "0",
        "REFEREE_WORKERS": "1",
    }
    with (world.folder / "log").open("ab") as log:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bot", command, cwd=ROOT, env=environ, start_new_session=True,
            stdout=log, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
    assert process.stderr is not None
    try:
        line = (await process.stderr.readline()).decode()
        while "Referee serves" not in line:
            assert line, "the bot ended before it served"
            line = (await process.stderr.readline()).decode()
        world.github.webhook_url = line.split()[2]
        drain = asyncio.create_task(process.stderr.read())
        yield process
        drain.cancel()
    finally:
        kill(process)
        await process.wait()


def kill(process: asyncio.subprocess.Process) -> None:
    """Kill the bot and all that it started, as a power cut does."""
    if process.returncode is None:
        os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.parametrize("when", [faults.before, faults.after], ids=["before", "after"])
@pytest.mark.parametrize("request_", range(REQUESTS_OF_A_REVIEW))
async def test_a_crash_at_any_point_neither_loses_nor_repeats(
    world: World, request_: int, when: Callable[[Callable[[], None]], faults.Action]
) -> None:
    third_conversation(world)
    await world.github.add_repository(world.name, world.repo.path)
    async with served(world) as process:
        await world.until(lambda: any("repositories" in e.path for e in world.github.requests))
        if request_:
            world.github.faults.add(ANY, faults.delayed(0), times=request_)
        world.github.faults.add(ANY, when(lambda: kill(process)))
        await world.github.open_pull_request(
            world.name, "pr", "main", body=DISCLOSED, number=NUMBER
        )
        await asyncio.wait_for(process.wait(), 20)
    world.github.faults.clear()
    pull = world.github.pull_request(NUMBER)
    async with served(world):
        await world.until(lambda: pull.check_runs)
        await world.quiet()
    assert len(reviews(pull)) == 1
    assert len(pull.threads) == 2
    assert counts(world.sticky(pull)).startswith("2 open: 2 new")
    assert pull.check_runs[-1].conclusion == "failure"
    assert world.github.rejected == []


async def test_a_token_is_nowhere_on_disk_and_in_no_log(world: World) -> None:
    third_conversation(world)
    await world.github.add_repository(world.name, world.repo.path)
    async with served(world):
        await world.github.open_pull_request(
            world.name, "pr", "main", body=DISCLOSED, number=NUMBER
        )
        await world.until(lambda: world.github.pull_request(NUMBER).check_runs)
    answers = [e.answer for e in world.github.requests if e.path.endswith("/access_tokens")]
    tokens = [answer["token"].encode() for answer in answers]
    assert tokens
    assert holding(tokens, world.data_dir) == []
    assert holding(tokens, world.folder / "log") == []


def holding(tokens: list[bytes], place: Path) -> list[Path]:
    """Return the files at or below a place that hold one of the tokens."""
    files = [place] if place.is_file() else [p for p in place.rglob("*") if p.is_file()]
    assert files
    return [path for path in files if any(token in path.read_bytes() for token in tokens)]


async def test_run_with_credentials_serves_github(world: World) -> None:
    third_conversation(world)
    await world.github.add_repository(world.name, world.repo.path)
    async with served(world, "run"):
        await world.github.open_pull_request(
            world.name, "pr", "main", body=DISCLOSED, number=NUMBER
        )
        await world.until(lambda: world.github.pull_request(NUMBER).check_runs)
    assert len(reviews(world.github.pull_request(NUMBER))) == 1


async def test_it_stops_cleanly_when_asked(world: World) -> None:
    third_conversation(world)
    await world.github.add_repository(world.name, world.repo.path)
    async with served(world) as process:
        await world.github.open_pull_request(
            world.name, "pr", "main", body=DISCLOSED, number=NUMBER
        )
        process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(process.wait(), 20) == 0
