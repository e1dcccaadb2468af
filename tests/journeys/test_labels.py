"""The label that starts a sweep: when it is set by itself, and what people say about it."""

import asyncio
import re
from typing import Any

import pytest

from bot import labels
from bot.review import read_pull
from bot.sandbox import branches, faults
from bot.sandbox.state import PullRequest
from tests.journeys.conftest import World
from tests.journeys.policies import (
    CHANGELOG,
    CLEAN,
    FIRST,
    HISTORY,
    MASTER,
    POLICY,
    SECOND,
    entry,
    master,
    recipe,
)
from tests.journeys.test_commands import answers, say
from tests.journeys.test_review import DRAFT_ONLY

NUMBER = 1001
LABEL, FULL, OLD = "full-sweep-fail-fast", "full-sweep-enabled", "sweep-enabled"
SET = f"🏷️ `{LABEL}`: no sweep of the head has begun."
OVER = SET.replace("no sweep of the head has begun", "the sweep of the head is over")
MORE = {MASTER: master(8, 16, 32), CHANGELOG: HISTORY + entry(NUMBER, "Measure conc 32 too")}


def measurable(name: str, *decode: str) -> str:
    """Return a recipe that says its nodes, so that its points can be counted."""
    return re.sub(r"(workers: (\d))\n", r"\1\n    nodes: \2\n", recipe(name, *decode))


RECIPES = {FIRST: measurable("cedar-1p2d"), SECOND: measurable("cedar-2p1d")}


async def prepared(world: World, policy: str = POLICY, **files: str) -> None:
    """Make a repository with its labels, and a branch with one more point to measure."""
    world.repo.commit("main", {**CLEAN, **RECIPES, ".github/referee.yml": policy})
    world.repo.commit("pr", {**MORE, **files}, start="main")
    await world.github.add_repository(world.name, world.repo.path)
    for name in (LABEL, FULL, "evals-only"):
        world.github.make_label(world.name, name)
    world.github.set_role("maintainer", "maintain")


async def opened(world: World, **more: object) -> PullRequest:
    return await world.open(number=NUMBER, **more)


async def fork(world: World) -> PullRequest:
    """Open the pull request of somebody who may only read, from a fork."""
    await world.github.add_repository("stranger/bench", world.repo.path, installed=False)
    await fork_push(world)
    world.github.set_role("stranger", "read")
    return await opened(world, head_repo="stranger/bench", author="stranger")


async def fork_push(world: World) -> None:
    head = world.repo.log("pr")[0]
    await world.github.push("stranger/bench", "pr", head, source=world.repo.path, pusher="stranger")
    await world.quiet()


async def again(world: World) -> None:
    """Tell the bot once more all that it was told of pull requests."""
    for delivery in list(world.github.deliveries):
        if delivery.event == "pull_request":
            await world.hook_again(delivery)
    await world.quiet()


def on(pull: PullRequest) -> list[str]:
    return [label.name for label in pull.labels]


def events(pull: PullRequest) -> list[str]:
    """Return what happened to labels, and by whom."""
    return [f"{it.actor.login} {'+' if it.on else '-'}{it.label.name}" for it in pull.labellings]


def line(world: World, pull: PullRequest) -> str:
    """Return what the sticky comment says about the label; the head's id is left out."""
    found = [x for x in world.sticky(pull).split("\n") if x.startswith("🏷️")]
    assert len(found) < 2, "what is said of labels is said in one place"
    return "".join(found).replace(f"of `{pull.head_sha[:7]}`", "of the head")


def held(why: str) -> str:
    return f"🏷️ No sweep is asked for: {why}"


async def test_a_ready_pull_request_without_findings_gets_the_label_once(world: World) -> None:
    await prepared(world)
    async with world.bot():
        pull = await opened(world)
        assert events(pull) == [f"referee[bot] +{LABEL}"]
        assert line(world, pull) == SET
        before = len(world.github.writes)
        await again(world)
        assert len(world.github.writes) == before
        await world.github.add_label(pull, "documentation")
        await world.quiet()
    assert events(pull) == [f"referee[bot] +{LABEL}", "maintainer +documentation"]
    assert world.github.rejected == []


async def test_a_blocking_finding_holds_it_until_it_is_fixed_or_dismissed(world: World) -> None:
    await prepared(world, **{FIRST: measurable("cedar-1p2d", DRAFT_ONLY)})
    async with world.bot():
        pull = await opened(world)
        assert (on(pull), line(world, pull)) == ([], held("blocking findings: 1."))
        rule = "draft-model/kv-cache-below-target"
        assert await say(world, pull, f"/dismiss {rule} as shipped") == "👀👍"
        assert (on(pull), line(world, pull)) == ([LABEL], SET)
        await say(world, pull, "/sweep none")
        world.repo.commit("pr", {FIRST: measurable("cedar-1p2d")})
        await world.push()
        assert (on(pull), line(world, pull)) == ([LABEL], SET)


async def test_a_draft_waits(world: World) -> None:
    await prepared(world)
    async with world.bot():
        pull = await opened(world, draft=True)
        assert (on(pull), line(world, pull)) == ([], held("this is a draft."))
        await world.github.set_draft(pull, draft=False)
        await world.quiet()
        assert (on(pull), line(world, pull)) == ([LABEL], SET)


async def test_what_a_sweep_does_not_measure_gets_no_label_and_no_word(world: World) -> None:
    await prepared(world)
    world.repo.commit("docs", {"README.md": "# Cedar\n"}, start="main")
    async with world.bot():
        await world.push("docs")
        pull = await world.open("docs", number=NUMBER)
        assert (on(pull), line(world, pull)) == ([], "")


async def test_a_policy_that_only_advises_sets_no_label(world: World) -> None:
    await prepared(world, POLICY + "mode: advisory\n")
    async with world.bot():
        pull = await opened(world)
        only = held("the policy of this repository only advises.")
        assert (on(pull), line(world, pull)) == ([], only)
        allowed = POLICY + "mode: advisory\nlabels: {automatic-in-advisory: true}\n"
        world.repo.commit("main", {".github/referee.yml": allowed})
        await world.push("main")
        await say(world, pull, "/check")
        assert (on(pull), line(world, pull)) == ([LABEL], SET)


async def test_an_approval_of_a_fork_holds_for_one_commit(world: World) -> None:
    await prepared(world)
    async with world.bot():
        pull = await fork(world)
        first = pull.head_sha
        assert on(pull) == []
        assert line(world, pull) == held(
            "`stranger` has the role `read` here, and sweeps need `write`. A maintainer can say"
            f" `/ok-to-sweep {first}`."
        )
        command = f"/ok-to-sweep {first}"
        assert (await say(world, pull, command, "stranger")).startswith("👀😕 `stranger`")
        assert (
            await say(world, pull, command.upper().replace("OK-TO-SWEEP", "ok-to-sweep")) == "👀👍"
        )
        assert (on(pull), line(world, pull)) == ([LABEL], SET)

        world.repo.commit("pr", {"README.md": "# Cedar\n"})
        await fork_push(world)
        second = pull.head_sha
        assert on(pull) == []
        compare = f"{world.github.url}/{world.name}/compare/{first}...{second}"
        assert line(world, pull) == held(
            f"`maintainer` approved `{first[:7]}`, and the head is `{second[:7]}`. A maintainer"
            f" can say `/ok-to-sweep {second}`. [{first[:7]}...{second[:7]}]({compare})"
        )
        before = len(world.github.writes)
        await again(world)
        assert len(world.github.writes) == before

        assert await say(world, pull, f"/ok-to-sweep {first}") == (
            f"👀😕 You approved `{first[:7]}`, and the head is `{second[:7]}`. Look at what is new,"
            f" then say `/ok-to-sweep {second}`.\n\n{compare}"
        )
        assert on(pull) == []
        assert await say(world, pull, f"/ok-to-sweep {second}") == "👀👍"
        assert (on(pull), line(world, pull)) == ([LABEL], SET)
    assert events(pull) == [f"referee[bot] {it}{LABEL}" for it in "+-+"]
    assert world.github.rejected == []


@pytest.mark.parametrize("digits", [0, 7, 39])
async def test_only_a_full_sha_tells_which_commit_was_looked_at(world: World, digits: int) -> None:
    await prepared(world)
    async with world.bot():
        pull = await fork(world)
        head, base = pull.head_sha, world.repo.log("main")[0]
        compare = f"{world.github.url}/{world.name}/compare/{base}...{head}"
        assert await say(world, pull, f"/ok-to-sweep {head[:digits]}") == (
            f"👀😕 Look at the commit `{head[:7]}`, then name it: `/ok-to-sweep {head}`"
            f"\n\n{compare}"
        )
        assert on(pull) == []


async def test_a_commit_that_was_reviewed_before_is_not_approved_by_moving_back(
    world: World,
) -> None:
    await prepared(world)
    async with world.bot():
        pull = await fork(world)
        bad = pull.head_sha
        world.repo.commit("pr", {"README.md": "# Cedar\n"})
        await fork_push(world)
        seen = pull.head_sha
        world.github.webhook_url, url = None, world.github.webhook_url
        bare = await world.github.comment(pull, "/ok-to-sweep", "maintainer")
        named = await world.github.comment(pull, f"/ok-to-sweep {seen}", "maintainer")
        await world.github.push(
            "stranger/bench", "pr", bad, source=world.repo.path, pusher="stranger"
        )
        world.github.webhook_url = url
        for said in (bare, named):
            await tell(world, said.id)
        assert (pull.head_sha, on(pull)) == (bad, [])
        assert [f"/ok-to-sweep {bad}" in each for each in answers(pull)] == [True, True]


async def tell(world: World, comment: int) -> None:
    """Let the delivery about a comment arrive that was lost."""
    told = [d for d in world.github.deliveries if d.event == "issue_comment"]
    await world.github.redeliver(next(d for d in told if d.payload["comment"]["id"] == comment))
    await world.quiet()


async def test_what_a_person_took_off_stays_off_until_the_next_push(world: World) -> None:
    await prepared(world)
    async with world.bot():
        pull = await opened(world)
        await world.github.remove_label(pull, LABEL)
        await world.quiet()
        off = held("`maintainer` took the label off at this commit; `/sweep` sets it.")
        assert (on(pull), line(world, pull)) == ([], off)
        await say(world, pull, "/check")
        await world.github.add_label(pull, "documentation")
        await world.quiet()
        assert (on(pull), line(world, pull)) == (["documentation"], off)
        world.repo.commit("pr", {"README.md": "# Cedar\n"})
        await world.push()
        assert (on(pull), line(world, pull)) == (["documentation", LABEL], SET)
    assert world.github.rejected == []


async def test_a_running_sweep_holds_every_label(world: World) -> None:
    await prepared(world)
    sweep = world.github.add_workflow(world.name, "run-sweep.yml", "Sweep", ["a", "b"])
    async with world.bot():
        pull = await opened(world, draft=True)
        run = await world.github.start_run(pull, sweep)
        page = f"{world.github.url}/{world.name}/actions/runs/{run.id}"
        await world.github.set_draft(pull, draft=False)
        await world.quiet()
        why = held(f"a sweep is running, and a label would cancel it. <{page}>")
        assert (on(pull), line(world, pull)) == ([], why)
        assert await say(world, pull, "/sweep full") == (
            "👀😕 A sweep is running, and changing labels would cancel it; `/cancel` does that."
            f"\n\n{page}"
        )
        await world.github.finish_run(run)
        await world.quiet()
        assert (on(pull), line(world, pull)) == ([LABEL], OVER)


async def test_sweeps_of_each_kind_are_asked_for(world: World) -> None:
    await prepared(world)
    sweep = world.github.add_workflow(
        world.name, "run-sweep.yml", "Sweep", ["a"], labels=[LABEL, FULL]
    )
    async with world.bot():
        pull = await opened(world)
        (run,) = pull.repository.runs
        page = f"{world.github.url}/{world.name}/actions/runs/{run.id}"
        assert await say(world, pull, "/sweep fail-fast") == (
            f"👀👍 Set already: `{LABEL}`. The sweep:\n\n{page}"
        )
        await world.github.finish_run(run)
        assert await say(world, pull, "/sweep full") == (
            f"👀👍 Taken off: `{LABEL}`. Set: `{FULL}`."
        )
        assert (run.workflow, on(pull)) == (sweep, [FULL])
        await world.github.finish_run(pull.repository.runs[-1])
        assert await say(world, pull, "/sweep evals") == (
            f"👀👍 Taken off: `{FULL}`. Set: `{LABEL}`, `evals-only`."
        )
        await world.github.finish_run(pull.repository.runs[-1])
        assert await say(world, pull, "/sweep trim") == (
            f"👀😕 The repository has no label `{OLD}`."
        )
        assert (await say(world, pull, "/sweep all")).startswith("👀😕 `all`, argument 1, is wrong")
        assert await say(world, pull, "/sweep none") == (
            f"👀👍 Taken off: `{LABEL}`, `evals-only`."
        )
        assert await say(world, pull, "/sweep none") == "👀👍 No label asks for a sweep."
        none = held("`maintainer` wants none of this commit; `/sweep` asks for one.")
        assert (on(pull), line(world, pull)) == ([], none)
        assert await say(world, pull, "/sweep") == f"👀👍 Set: `{LABEL}`."
        assert line(world, pull) == SET.replace("no sweep", "the sweep").replace(
            "has begun", "is waiting"
        )
        await world.github.remove_label(pull, LABEL)
        await world.quiet()
        assert on(pull) == []


async def test_a_label_that_started_nothing_is_set_once_more(world: World) -> None:
    await prepared(world)
    async with world.bot():
        pull = await opened(world)
        assert await say(world, pull, "/sweep") == f"👀👍 Set already: `{LABEL}`."
        labels._changed.clear()  # a minute later
        again = f"👀👍 Set already, and no sweep came of it; set again: `{LABEL}`."
        assert await say(world, pull, "/sweep") == again
    assert events(pull) == [f"referee[bot] {it}{LABEL}" for it in "+-+"]


async def test_two_labels_of_a_group_are_explained(world: World) -> None:
    await prepared(world)
    async with world.bot():
        pull = await opened(world)
        await world.github.add_label(pull, FULL)
        await world.quiet()
        both = f"🏷️ No sweep starts: of `{LABEL}`, `{FULL}` only one may be set."
        assert line(world, pull) == both
        assert await say(world, pull, "/sweep full") == f"👀👍 Taken off: `{LABEL}`."
        assert line(world, pull) == SET.replace(LABEL, FULL)


async def test_a_misspelt_label_is_explained(world: World) -> None:
    await prepared(world)
    async with world.bot():
        pull = await opened(world, draft=True)
        await world.github.add_label(pull, "full-sweep-enable")
        await world.github.set_draft(pull, draft=False)
        await world.quiet()
        assert (on(pull), line(world, pull)) == (
            ["full-sweep-enable"],
            held(f"the label `full-sweep-enable` starts nothing; did you mean `{FULL}`?"),
        )


@pytest.mark.parametrize(
    ("match", "action"),
    [
        (("POST", "/labels$"), faults.status(502)),
        (("POST", "/labels$"), faults.answer_lost()),
        (("GET", "/permission$"), faults.status(500)),
        (("GET", "/actions/runs"), faults.status(503)),
        (("GET", "bench/labels"), faults.status(500)),
        (("POST", "/graphql"), faults.status(502)),
    ],
    ids=lambda value: value[1] if isinstance(value, tuple) else "",
)
async def test_a_failing_github_delays_a_label_and_repeats_nothing(
    world: World, match: tuple[str, str], action: faults.Action
) -> None:
    await prepared(world)
    async with world.bot():
        world.github.faults.add(match, action)
        pull = await opened(world)
    assert events(pull) == [f"referee[bot] +{LABEL}"]
    assert line(world, pull) == SET


async def test_two_people_at_once_end_with_one_label(world: World) -> None:
    await prepared(world)
    world.github.set_role("second", "write")
    async with world.bot():
        pull = await opened(world)
        await say(world, pull, "/sweep none")
        await asyncio.gather(
            world.github.comment(pull, "/sweep full"),
            world.github.comment(pull, "/sweep fail-fast", "second"),
        )
        await world.quiet()
        assert len(on(pull)) == 1
        assert line(world, pull) == SET.replace(LABEL, on(pull)[0])


async def test_a_writer_cannot_lead_an_unapproved_fork_past_the_approval(world: World) -> None:
    await prepared(world)
    world.github.set_role("writer", "write")
    async with world.bot():
        pull = await fork(world)
        assert await say(world, pull, "/sweep", "writer") == (
            f"👀😕 `stranger` may not start sweeps, and `{pull.head_sha[:7]}` is not approved. A"
            f" maintainer can say `/ok-to-sweep {pull.head_sha}`."
        )
        assert on(pull) == []


async def test_a_head_that_moves_after_the_approval_was_looked_up_gets_no_label(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await prepared(world, POLICY + "labels: {automatic: ''}\n")
    async with world.bot():
        pull = await fork(world)
        seen = pull.head_sha
        assert await say(world, pull, f"/ok-to-sweep {seen}") == "👀👍"
        source, by = world.github.repository("stranger/bench"), pull.author
        later = world.repo.commit("pr", {"README.md": "# Cedar\n"})
        await branches.bring(source, later, world.repo.path)

        async def after_a_push(*where: Any) -> Any:
            await branches.push(world.github.site, source, "pr", later, by)
            return await read_pull(*where)

        monkeypatch.setattr("bot.commands.sweep.read_pull", after_a_push)
        assert await say(world, pull, "/sweep full") == (
            f"👀😕 The head moved from `{seen[:7]}` to `{later[:7]}` in the meantime, so no"
            " label was changed; say `/sweep` once more."
        )
        assert (pull.head_sha, on(pull)) == (later, [])


@pytest.mark.parametrize(
    ("match", "why"),
    [
        (("POST", "/labels$"), "🏷️ GitHub does not let Referee change labels at this"),
        (
            ("GET", "/collaborators/author/permission$"),
            held("GitHub does not tell the role of `author`."),
        ),
        (("GET", "/actions/runs"), held("GitHub does not tell Referee of labels or of workflow")),
    ],
)
async def test_without_a_permission_the_rest_goes_on(
    world: World, match: tuple[str, str], why: str
) -> None:
    await prepared(world)
    async with world.bot():
        world.github.faults.add(match, faults.status(403), times=100)
        pull = await opened(world)
        assert line(world, pull).startswith(why)
        assert (on(pull), pull.check_runs[-1].conclusion) == ([], "success")
        before = world.sticky(pull)
        await say(world, pull, "/check")
        assert world.sticky(pull) == before


async def test_a_change_of_labels_that_github_refuses_is_tried_once_at_a_head(
    world: World,
) -> None:
    await prepared(world)
    async with world.bot():
        fault = world.github.faults.add(("POST", "/labels$"), faults.status(403), times=None)
        pull = await opened(world)
        for _ in range(2):
            await say(world, pull, "/check")
        assert (fault.hits, on(pull)) == (1, [])
        assert line(world, pull) == (
            "🏷️ GitHub does not let Referee change labels at this commit; `/sweep` tries again."
        )
        world.repo.commit("pr", {"README.md": "# Cedar\n"})
        await world.push()
        assert fault.hits == 2
        fault.left = 0
        assert await say(world, pull, "/sweep") == f"👀👍 Set: `{LABEL}`."
        assert line(world, pull) == SET


async def test_an_override_of_the_review_lets_the_label_be_set(world: World) -> None:
    await prepared(world, **{FIRST: measurable("cedar-1p2d", DRAFT_ONLY)})
    async with world.bot():
        pull = await opened(world)
        assert on(pull) == []
        assert await say(world, pull, "/override review: it is meant so") == "👀👍"
        assert (on(pull), line(world, pull)) == ([LABEL], SET)
