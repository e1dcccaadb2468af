"""For every command: what it needs, how it is said rightly and wrongly, and what comes of it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from bot.sandbox.state import PullRequest
from bot.sandbox.workflows import Run, Workflow
from tests.journeys.conftest import World
from tests.journeys.policies import FIRST, KEY, POLICY, recipe
from tests.journeys.test_commands import fingerprints, opened, say
from tests.journeys.test_review import DRAFT_ONLY
from tests.journeys.test_runs import JOBS, on_demand

CHECKLIST = "inferencex-e2e/docs/PR_REVIEW_CHECKLIST.md"
LABEL = "full-sweep-enabled"


@dataclass
class Stage:
    """A pull request with two findings, and what a command is about this time."""

    world: World
    pull: PullRequest
    sweep: Workflow
    dispatch: Workflow
    findings: list[str]
    run: Run | None = None
    before: int = 0
    turn: int = 0
    kinds: list[tuple[str, str]] = field(default_factory=list)

    def words(self, template: str) -> str:
        """Return a comment with the places of a template filled in."""
        run = self.run.id if self.run else 0
        return template.format(
            finding=self.findings[0], head=self.pull.head_sha, run=run, turn=self.turn
        )

    @property
    def dispatched(self) -> int:
        """How many unofficial runs there are."""
        return sum(run.workflow is self.dispatch for run in self.pull.repository.runs)


async def staged(world: World) -> Stage:
    """Open the pull request."""
    world.github.set_role("ann", "maintain")
    pull = await opened(world)
    world.github.make_label(world.name, LABEL)
    policy = POLICY + "sweeps: {retries: 1000, reuse-labels: []}\n"
    checklist = "I have reviewed:\n- [ ] it\n"
    world.repo.commit("main", {CHECKLIST: checklist, ".github/referee.yml": policy})
    await world.push("main")
    sweep = world.github.add_workflow(world.name, "run-sweep.yml", "Run Sweep", JOBS)
    return Stage(world, pull, sweep, on_demand(world), fingerprints(pull))


async def _nothing(_: Stage) -> None:
    """Need nothing."""


async def _counted(stage: Stage) -> None:
    """Make sure that the finding is counted."""
    await say(stage.world, stage.pull, f"/undismiss {stage.findings[0]}")


async def _dismissed(stage: Stage) -> None:
    await say(stage.world, stage.pull, f"/dismiss {stage.findings[0]} as shipped")


async def _flawed(stage: Stage) -> None:
    """Push something that can be fixed."""
    stage.world.repo.commit("pr", {FIRST: recipe("cedar-1p2d", f"{DRAFT_ONLY} # {stage.turn}")})
    await stage.world.push()
    stage.before = _commits(stage.pull)


async def _running(stage: Stage) -> None:
    if stage.run is not None and not stage.run.finished:
        await stage.world.github.finish_run(stage.run)
    stage.run = await stage.world.github.start_run(stage.pull, stage.sweep)


async def _failed(stage: Stage) -> None:
    await _running(stage)
    assert stage.run is not None
    await stage.world.github.finish_run(stage.run, {JOBS[0]: "failure"})
    await stage.world.quiet()


async def _swept(stage: Stage) -> None:
    await _running(stage)
    assert stage.run is not None
    stage.world.github.add_artifact(stage.run, "results_bmk", {"results.json": b"[]"})
    await stage.world.github.finish_run(stage.run)
    await stage.world.quiet()


async def _unlabelled(stage: Stage) -> None:
    await stage.world.github.remove_label(stage.pull, LABEL)
    await stage.world.quiet()
    stage.before = len(stage.pull.labellings)


async def _dispatches(stage: Stage) -> None:
    stage.before = stage.dispatched


def _commits(pull: PullRequest) -> int:
    return sum(push.pusher.login == "referee[bot]" for push in pull.pushes)


def _sticky(stage: Stage, words: str) -> bool:
    return stage.words(words) in stage.world.sticky(stage.pull)


def _attempts(stage: Stage) -> object:
    assert stage.run is not None
    return len(stage.run.attempts), stage.run.attempt.conclusion


@dataclass(frozen=True)
class Row:
    """One command.

    Args:
        good: what carries it out.
        bad: the same with an argument that it does not take.
        effect: what stands on GitHub because of it, apart from the answer.
        done: the effect when it was carried out once, or by two people at once.
        reaction: of success.
        prepare: makes what it is about, each time anew.
        twice: the effect when two people say it at once, where that is another one.

    """

    good: str
    bad: str
    effect: Callable[[Stage], object] = lambda _: None
    done: object = None
    reaction: str = "👍"
    prepare: Callable[[Stage], Awaitable[None]] = _nothing
    twice: Any = None


ROWS = {
    "cancel": Row("/cancel", "/cancel it", _attempts, (1, "cancelled"), "🚀", _running),
    "check": Row("/check", "/check it", reaction="🚀"),
    "dismiss": Row(
        "/dismiss {finding} as shipped",
        "/dismiss nothing",
        lambda stage: stage.world.sticky(stage.pull).count("<summary>Dismissed: 1</summary>"),
        1,
        prepare=_counted,
    ),
    "explain": Row("/explain changelog/pr-link", "/explain no/rule"),
    "fix": Row(
        "/fix", "/fix a b", lambda stage: _commits(stage.pull) - stage.before, 1, prepare=_flawed
    ),
    "help": Row("/help", "/help me"),
    "ok-to-sweep": Row("/ok-to-sweep {head}", "/ok-to-sweep it"),
    "override": Row(
        "/override review: reason {turn}",
        "/override nothing: x",
        lambda stage: _sticky(stage, ": `reason {turn}`"),
        True,
    ),
    "rerun": Row("/rerun", "/rerun a\u200bb", _attempts, (2, None), "🚀", _failed),
    "reuse-sweep-run": Row(
        "/reuse-sweep-run",
        "/reuse-sweep-run x",
        lambda stage: _sticky(stage, "Run `{run}` is chosen for reuse"),
        True,
        prepare=_swept,
    ),
    "signoff": Row("/signoff", "/signoff x"),
    "status": Row("/status", "/status x"),
    "sweep": Row(
        "/sweep full",
        "/sweep fully",
        lambda stage: [f"{it.on} {it.label.name}" for it in stage.pull.labellings[stage.before :]],
        [f"True {LABEL}"],
        prepare=_unlabelled,
    ),
    "undismiss": Row(
        "/undismiss {finding}",
        "/undismiss nothing",
        lambda stage: "Dismissed: " in stage.world.sticky(stage.pull),
        False,
        prepare=_dismissed,
    ),
    "unofficial": Row(
        f"/unofficial {KEY}",
        "/unofficial",
        lambda stage: stage.dispatched - stage.before,
        1,
        "🚀",
        _dispatches,
        twice=2,
    ),
    "verify": Row("/verify", "/verify it"),
    "use": Row(
        "/use {run}",
        "/use x",
        lambda stage: _sticky(stage, "Run `{run}` is chosen for reuse"),
        True,
        prepare=_swept,
    ),
}
