"""What runs measured is read from their artifacts, whatever those are."""

import asyncio
import json

import pytest
from aiohttp import web

from bot.sandbox import faults
from bot.sandbox.state import PullRequest
from bot.sandbox.workflows import Run, Workflow
from checks.markers import read_runs
from tests.checks.results.results import AGENTIC, FIXED, HARNESS, META, SCORE, zipped
from tests.journeys.conftest import World
from tests.journeys.test_commands import NUMBER, opened, say

JOBS = ("single-node 8k1k / c8", "eval / c8", "collect-results")
THRESHOLDS = {"inferencex-e2e/infx/evals/thresholds.yaml": "default: {gsm8k: 0.93}\n"}
BLOBS = ("GET", "^/blobs/")
POINTS = [{**FIXED, "conc": 8, "median_intvty": 90.0, "tput_per_gpu": 500.0}, FIXED]
ROW = "| `oak fp8 b200 vllm 8k1k` |"


def sweep(world: World) -> Workflow:
    known = world.github.repository(world.name).workflows.get("run-sweep.yml")
    return known or world.github.add_workflow(world.name, "run-sweep.yml", "Run Sweep", JOBS)


def leave(world: World, run: Run, name: str, content: object, file: str = "agg.json") -> None:
    world.github.add_artifact(run, name, {file: json.dumps(content).encode()})


async def measured(world: World, run: Run, points: object = POINTS) -> None:
    """End a run that collected what it measured."""
    leave(world, run, "results_bmk", points)
    await world.github.finish_run(run)
    await world.quiet()


def part(world: World, pull: PullRequest) -> str:
    found = read_runs(world.sticky(pull))
    assert found is not None
    return found.text


def rows(world: World, pull: PullRequest) -> list[str]:
    return [line for line in part(world, pull).split("\n") if line.startswith("| `")]


async def started(world: World) -> tuple[PullRequest, Run]:
    pull = await opened(world)
    world.repo.commit("main", THRESHOLDS)
    await world.push("main")
    return pull, await world.github.start_run(pull, sweep(world))


async def test_results_appear_when_a_run_is_over(world: World) -> None:
    async with world.bot():
        pull, run = await started(world)
        before = await world.github.start_run_on_main(sweep(world))
        await measured(world, before, [{**FIXED, "tput_per_gpu": 1000.25}])
        assert rows(world, pull) == []
        leave(world, run, "eval_results_all", [SCORE, {**SCORE, "conc": 8, "em_flexible": 0.9}])
        await measured(world, run)
        url = f"{world.github.url}/{world.name}/actions/runs/{before.id}"
        assert rows(world, pull) == [
            f"{ROW} 2 | 2 | 2,000 | 40.0 | [+100.0%]({url}) |",
            "| `gsm8k` | `oak fp8 b200 vllm 8k1k` | 2 | 90.0% ❌ | 93.0% |",
        ]
        shown = part(world, pull)
        assert f"Results of run {run.id}: points 2, curves 1, scores 2, of which too low 1" in shown
        assert "```mermaid" in shown
        writes = len(world.github.writes)
        await say(world, pull, "/check")
        assert shown == part(world, pull)
        reactions = [e for e in world.github.writes[writes:] if "reactions" not in e.path]
        assert reactions == [], "the same results are not written again"
    assert world.github.rejected == []


async def test_a_merge_stands_for_the_run_that_it_reuses(world: World) -> None:
    async with world.bot():
        pull, run = await started(world)
        await measured(world, run, [{**FIXED, "tput_per_gpu": 1000.25}])
        await world.github.add_label(pull, "full-sweep-fail-fast")
        assert await say(world, pull, f"/use {run.id}") == "👀👍"
        await world.github.merge(pull)
        merge = await world.github.start_run_on_main(sweep(world))
        await world.github.finish_run(merge)
        world.repo.commit("next", {"README.md": "# Cedar\n"}, start="main")
        await world.push("next")
        second = await world.open("next", number=NUMBER + 1)
        await measured(world, await world.github.start_run(second, sweep(world)))
        url = f"{world.github.url}/{world.name}/actions/runs/{run.id}"
        assert rows(world, second) == [f"{ROW} 2 | 2 | 2,000 | 40.0 | [+100.0%]({url}) |"]


async def test_what_jobs_left_is_read_where_a_run_collected_nothing(world: World) -> None:
    async with world.bot():
        pull, run = await started(world)
        leave(world, run, "bmk_oak_c8", {**FIXED, "conc": 8})
        leave(world, run, "bmk_oak_c64", FIXED)
        leave(world, run, "bmk_agentic_oak_c8", AGENTIC)
        leave(world, run, "eval_server_logs_oak", ["no score"])
        files = {"meta_env.json": META, "results_1.json": HARNESS}
        content = {name: json.dumps(found).encode() for name, found in files.items()}
        world.github.add_artifact(run, "eval_oak", content)
        await world.quiet()
        assert rows(world, pull) == [], "a run that goes on may collect them yet"
        await world.github.finish_run(run, {JOBS[2]: "failure"})
        await world.quiet()
        assert [row.partition(" | ")[2] for row in rows(world, pull)] == [
            "2 | 1 | 2,000 | 40.0 | – |",
            "1 | 1 | 9,000 | 70.0 | – |",
            "`oak fp8 b200 vllm 8k1k` | 1 | 94.0% ✅ | 93.0% |",
        ]
        assert "⚠️" not in part(world, pull)


async def test_an_attempt_that_measures_again_replaces_the_figures(world: World) -> None:
    async with world.bot():
        pull, run = await started(world)
        await measured(world, run)
        assert "| 2,000 |" in rows(world, pull)[0]
        await say(world, pull, f"/rerun {run.id}")
        assert "| 2,000 |" in rows(world, pull)[0], "until there are newer ones"
        await measured(world, run, [{**FIXED, "tput_per_gpu": 3000}])
        assert rows(world, pull) == [f"{ROW} 1 | 1 | 3,000 | 40.0 | – |"]


@pytest.mark.parametrize(
    ("archive", "said"),
    [
        (b"<html>", "it is no zip archive that can be read: `File is not a zip file`"),
        (zipped(("a.json", b" " * 9_000_000)), "it is larger than 8000000 bytes unpacked"),
        (zipped(("a.json", b"[" * 90_000)), "`a.json` could not be read: it is nested too deeply"),
        (bytes(5_000_000), "it is larger than 4000000 bytes"),
    ],
)
async def test_a_hostile_artifact_is_a_sentence(world: World, archive: bytes, said: str) -> None:
    async with world.bot():
        pull, run = await started(world)
        world.github.add_archive(run, "results_bmk", archive)
        leave(world, run, "eval_results_all", [SCORE])
        await world.github.finish_run(run)
        await world.quiet()
        assert f"- ⚠️ artifact `results_bmk`: {said}" in part(world, pull)
        assert len(rows(world, pull)) == 1, "and hides no other one"


async def test_what_expired_is_said(world: World) -> None:
    async with world.bot():
        pull, run = await started(world)
        leave(world, run, "results_bmk", POINTS)
        world.github.expire_artifacts(run)
        await world.github.finish_run(run)
        await world.quiet()
        assert "- ⚠️ artifact `results_bmk`: it has expired" in part(world, pull)
        assert f"[Sweep {run.id}]" in part(world, pull)


@pytest.mark.parametrize("status", [410, 404])
async def test_what_expires_under_our_eyes_is_said(world: World, status: int) -> None:
    async with world.bot():
        pull, run = await started(world)
        world.github.faults.add(("GET", "/artifacts/[0-9]+/zip"), faults.status(status), 9)
        await measured(world, run)
        assert "- ⚠️ artifact `results_bmk`: it has expired" in part(world, pull)


async def test_runs_are_shown_while_their_results_come(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = asyncio.Event()

    async def gated(_: web.Request, proceed: faults.Proceed) -> web.Response:
        await gate.wait()
        return await proceed()

    monkeypatch.setattr("bot.follow._PATIENCE", 0.05)
    async with world.bot():
        pull, run = await started(world)
        world.github.faults.add(BLOBS, gated, None)
        leave(world, run, "results_bmk", POINTS)
        await world.github.finish_run(run)
        await world.until(lambda: f"✅ [Sweep {run.id}]" in part(world, pull))
        assert rows(world, pull) == []
        gate.set()
        await world.quiet()
        assert rows(world, pull) == [f"{ROW} 2 | 2 | 2,000 | 40.0 | – |"]


async def test_when_github_fails_runs_are_shown_and_results_later(world: World) -> None:
    async with world.bot():
        pull, run = await started(world)
        failing = world.github.faults.add(BLOBS, faults.status(502), 1)
        leave(world, run, "results_bmk", POINTS)
        await world.github.finish_run(run)
        await world.until(lambda: failing.hits)
        await world.until(lambda: "Referee tries again" in part(world, pull))
        assert f"✅ [Sweep {run.id}]" in part(world, pull)
        await world.quiet()
        assert "Referee tries again" not in part(world, pull)
        assert rows(world, pull) == [f"{ROW} 2 | 2 | 2,000 | 40.0 | – |"]
