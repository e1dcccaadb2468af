"""The whole life of a pull request: what its one comment says at every step, to the byte."""

import json
import re
from difflib import unified_diff

from bot.sandbox.state import PullRequest
from bot.sandbox.workflows import Run, Workflow
from tests.checks.results.results import NODES
from tests.goldens import assert_golden
from tests.journeys.conftest import World
from tests.journeys.policies import FIRST, KEY
from tests.journeys.signing import ALWAYS, NUMBER, policy, prepared, sign
from tests.journeys.test_commands import say
from tests.journeys.test_labels import LABEL, measurable
from tests.journeys.test_review import DRAFT_ONLY
from tests.journeys.test_runs import on_demand

SWEEP_JOBS = (
    "setup",
    "multi-node 8k1k / c8",
    "multi-node 8k1k / c16",
    "multi-node 8k1k / c32",
    "collect-results",
)
POINT = {
    **NODES,
    "hw": "gb300",
    "model": "cedar-ai/Cedar-200B-FP4",
    "infmax_model_prefix": "cedar",
    "precision": "fp4",
    "spec_decoding": "mtp",
    "image": "lmsysorg/sglang:v0.9.9-cu130",
}


class Life:
    """One pull request, and what its comment said at each step."""

    def __init__(self, world: World, pull: PullRequest) -> None:
        self.world, self.pull = world, pull
        self._first = (pull.base_sha, pull.head_sha)
        self.steps: list[str] = []
        self._before: list[str] = []
        self._answered = 0

    def step(self, title: str, *, whole: bool = False) -> None:
        """Note what stands there now, or what changed in it since the step before."""
        now = self._now()
        new = unified_diff(self._before, now, n=0, lineterm="")
        changed = [line for line in new if not line.startswith(("---", "+++", "@@"))]
        self._before = now
        parts = (f"# {title}\n", *(now if whole else changed), "", *self._answers())
        self.steps.append("\n".join(parts))

    def _answers(self) -> list[str]:
        """Return what was answered to commands since the step before."""
        ours = [c.body for c in self.pull.comments if c.author.login == "referee[bot]"]
        answers = [body for body in ours if body.startswith("<!-- referee:answer")]
        new, self._answered = answers[self._answered :], len(answers)
        return [f"{_quoted(body)}\n" for body in new]

    def _now(self) -> list[str]:
        """Return the lines of the comment, the newest checks and the labels."""
        checks = {run.name: f"{run.conclusion}: {run.title}" for run in self.pull.check_runs}
        parts = [
            re.sub(r"<!--.*?-->\n?", "", self.world.sticky(self.pull), flags=re.DOTALL).rstrip(),
            *(f"`{name}` {said}" for name, said in sorted(checks.items())),
            f"Labels: {', '.join(label.name for label in self.pull.labels) or '–'}",
        ]
        return "\n\n".join(parts).split("\n")

    def text(self) -> str:
        """Return all steps, with addresses, commits and ids that are the same every time."""
        said = "\n".join(self.steps)
        said = said.replace(self.world.github.url, "https://github.test")
        pushed = [push.commit for push in self.pull.pushes]
        known = dict.fromkeys([*self._first, *pushed, self.pull.merge_sha or "-" * 40])
        for number, sha in enumerate(known):
            said = re.sub(rf"\b{sha[:7]}([0-9a-f]{{33}})?\b", f"commit{number}", said)
        for number, run in enumerate(self.pull.repository.runs, 1):
            said = re.sub(rf"\b{run.id}\b", f"run{number}", said)
            for job in [job for attempt in run.attempts for job in attempt.jobs]:
                said = said.replace(f"/job/{job.id}", "/job/0")
        said = re.sub(r"#issuecomment-\d+", "#issuecomment-0", said)
        return re.sub(r"\n{3,}", "\n\n", said)


def _quoted(answer: str) -> str:
    """Return an answer as the conversation has it below a command."""
    return "\n".join(f"> {line}".rstrip() for line in answer.partition("-->\n")[2].split("\n"))


async def born(world: World) -> Life:
    """Open the pull request with one finding that a suggestion can fix."""
    duties = policy(*ALWAYS, "validation", "pareto", "reuse")
    await prepared(world, **{".github/referee.yml": duties})
    world.repo.commit("pr", {FIRST: measurable("cedar-1p2d", DRAFT_ONLY)})
    await world.push()
    for name in (LABEL, "full-sweep-enabled"):
        world.github.make_label(world.name, name)
    return Life(world, await world.open(number=NUMBER, title="Measure Cedar at concurrency 32"))


def workflows(world: World) -> tuple[Workflow, Workflow]:
    """Return what sweeps when a label is set, and what measures on demand."""
    sweep = world.github.add_workflow(
        world.name, "run-sweep.yml", "Run Sweep", SWEEP_JOBS, labels=[LABEL]
    )
    return sweep, on_demand(world)


def _point(concurrency: int) -> dict[str, object]:
    speed = 400 / concurrency
    times = {"median_tpot": 1 / speed, "median_ttft": 1 / speed, "median_e2el": 1025 / speed}
    rates = {"tput_per_gpu": 90.0 * concurrency, "output_tput_per_gpu": 10.0 * concurrency}
    return {**POINT, "conc": concurrency, "median_intvty": speed, **times, **rates}


async def measured(world: World, run: Run) -> None:
    """Let a run end well and leave what it measured."""
    points = [_point(concurrency) for concurrency in (4, 8, 16, 32, 64)]
    world.github.add_artifact(run, "results_bmk", {"agg.json": json.dumps(points).encode()})
    await world.github.finish_run(run)
    await world.quiet()


async def test_the_whole_life_to_the_byte(world: World) -> None:
    async with world.bot():
        life = await born(world)
        (sweep, dispatch), pull = workflows(world), life.pull
        life.step("Opened with a finding", whole=True)

        await world.github.apply_suggestion(pull.threads[0].comments[0], "author")
        await world.quiet()
        life.step("Fixed by its suggestion, labelled, and the sweep has begun")

        (run,) = [run for run in pull.repository.runs if run.workflow is sweep]
        await world.github.finish_run(run, {SWEEP_JOBS[2]: "failure"})
        await world.quiet()
        life.step("A job of the sweep failed")

        assert (await say(world, pull, "/rerun failed")).startswith("👀🚀")
        life.step("The failed job runs again")
        await measured(world, run)
        life.step("Swept")

        assert await say(world, pull, f"/unofficial {KEY} --conc 4 64", "nina") == "👀🚀"
        life.step("An unofficial run is dispatched")
        (unofficial,) = [run for run in pull.repository.runs if run.workflow is dispatch]
        await measured(world, unofficial)
        life.step("The unofficial run has results")

        assert await say(world, pull, f"/use {run.id}") == "👀👍"
        life.step("The run is chosen for reuse")

        await say(world, pull, "/signoff", "nina")
        await sign(world, pull)
        life.step("Signed off", whole=True)

        await world.github.merge(pull, "nina")
        await world.quiet()
        life.step("Merged")
    assert_golden("whole_life.md", life.text())
    assert world.github.rejected == []
