"""How soon, and with how many requests, a sign-off is judged: cold, and when nothing is new."""

from __future__ import annotations

import asyncio
import json
import logging
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import structlog

from bot.sandbox import Sandbox
from bot.sandbox.exchange import Exchange
from bot.sandbox.state import PullRequest
from tests.journeys.conftest import World
from tests.journeys.signing import filled, gate, policy, prepared

SECONDS, COLD, WARM = 5.0, 25, 6
COMMITS, JOBS, ARTIFACTS = 50, 200, 20
# To get a token is no part of a verdict.
_NOT_COUNTED = ("/app/", "/installation/")


def main() -> None:
    """Print the seconds and requests of a verdict beside their limits."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_measure(Path(folder)))


async def _measure(folder: Path) -> None:
    print(f"sign-off: {COMMITS} commits, a sweep with {JOBS} jobs and {ARTIFACTS} artifacts")
    async with Sandbox(folder / "sandbox") as sandbox:
        world = World(sandbox, folder)
        pull = await _pull_request(world)
        begun = len(sandbox.requests)
        async with world.bot():
            await world.until(lambda: gate(pull)[0])
            assert gate(pull)[0] == "success", gate(pull)
            await world.quiet()
            _show("cold", sandbox.requests[begun:], COLD)
            begun = len(sandbox.requests)
            await sandbox.add_label(pull, "documentation")
            await world.quiet()
            _show("warm", sandbox.requests[begun:], WARM)
            start = time.perf_counter()
            await sandbox.edit_review(pull.reviews[0], filled("nobody"), "nina")
            await world.until(lambda: gate(pull)[0] != "success")
            taken = time.perf_counter() - start
            print(f"  from the delivery to the verdict: {taken:4.1f} s   of {SECONDS} s")


async def _pull_request(world: World) -> PullRequest:
    """Open a pull request, measure it, and let a review sign it, while the bot is away."""
    await prepared(
        world, **{".github/referee.yml": policy("owner", "latest-template", "validation")}
    )
    for number in range(COMMITS - 1):
        world.repo.commit("pr", {"README.md": f"# Cedar {number}\n"})
    head = world.repo.log("pr")[0]
    await world.github.push(world.name, "pr", head, source=world.repo.path)
    jobs = [f"multi-node 8k1k / p{n} | cedar" for n in range(JOBS - 1)]
    sweep = world.github.add_workflow(
        world.name, "run-sweep.yml", "Sweep", [*jobs, "multi-node eval / cedar"]
    )
    number = await world.github.open_pull_request(
        world.name, "pr", "main", body="No AI used.", number=1001, labels=["full-sweep-fail-fast"]
    )
    pull = world.github.pull_request(number)
    run = await world.github.start_run(pull, sweep)
    for each in range(ARTIFACTS - 1):
        world.github.add_artifact(run, f"server_logs_{each}", {"log.txt": b"quiet"})
    world.github.add_artifact(run, "eval_results_all", {"results.json": _scores()})
    await world.github.finish_run(run)
    await world.github.review(pull, filled(), "nina")
    return pull


def _scores() -> bytes:
    return json.dumps([]).encode()


def _show(what: str, traffic: Sequence[Exchange], limit: int) -> None:
    """Print the requests up to the verdict; the runs are followed after it."""
    counted = [each for each in traffic if not _path(each).startswith(_NOT_COUNTED)]
    reviews = [n for n, each in enumerate(counted) if _path(each).endswith("/pulls/1001")]
    gates = [n for n, each in enumerate(counted) if each.writes and _is_gate(each)]
    last = gates[0] + 1 if gates else [*reviews, len(counted)][1]
    own = counted[:last]
    free = sum(each.status == 304 for each in own)
    print(f"  {what}: {len(own):3} requests ({free} of them free of charge)   of {limit}")
    for path, count in Counter(f"{e.method} {_path(e)}" for e in own).items():
        print(f"      {count} × {path}")


def _is_gate(each: Exchange) -> bool:
    """Tell whether it moves the gate that was shut before; the review's check run is made anew."""
    return each.method == "PATCH" and "/check-runs/" in each.path


def _path(each: Exchange) -> str:
    return each.path


if __name__ == "__main__":
    main()
