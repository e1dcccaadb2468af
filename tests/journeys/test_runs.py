"""Runs are started, followed, shown in one place, and chosen for reuse."""

import asyncio
import re
from typing import Any

import pytest
from aiohttp import web

from bot import dispatch
from bot.jobs.embedded import EmbeddedJobs
from bot.keys import CommentKey, Key, PullRequestKey
from bot.review import Reviewer
from bot.sandbox import faults
from bot.sandbox.state import PullRequest
from bot.sandbox.workflows import Run, Workflow
from bot.verdict import Ground
from checks.markers import read_runs
from tests.journeys.conftest import World
from tests.journeys.policies import KEY
from tests.journeys.test_commands import NUMBER, emoji, opened, say
from tests.journeys.test_review import third_conversation

JOBS = ("canary / c8", "single-node 8k1k / c8", "agentic / c16")
INPUTS = ("generate-cli-command", "test-name", "ref", "agentx-fast")
DISPATCHES = ("POST", "/dispatches$")


def runs(world: World, pull: PullRequest) -> list[str]:
    """Return the lines of the sticky comment about runs, addresses and ids left out."""
    part = read_runs(world.sticky(pull))
    assert part is not None
    found = part.text.partition("**Runs**")[2].split("\n\n")[1:2]
    lines = found[0].split("\n") if found else []
    return [re.sub(r"\]\([^)]*\)", "]", line) for line in lines]


def on_demand(world: World) -> Workflow:
    title = "e2e Test - {test-name}"
    return world.github.add_workflow(
        world.name, "e2e-tests.yml", "e2e", JOBS[:1], inputs=INPUTS, run_name=title
    )


def made(workflow: Workflow) -> list[Run]:
    """Return the runs of a workflow."""
    return [run for run in workflow.repository.runs if run.workflow is workflow]


async def swept(world: World, pull: PullRequest, **ends: str) -> Run:
    """Run a sweep of the head to its end."""
    workflow = world.github.add_workflow(world.name, "run-sweep.yml", "Run Sweep", JOBS)
    await world.github.add_label(pull, "full-sweep-fail-fast")
    run = await world.github.start_run(pull, workflow)
    world.github.add_artifact(run, "results_bmk", {"results.json": b"[]"})
    await world.github.finish_run(run, ends)
    await world.quiet()
    return run


async def test_a_sweep_is_followed_in_one_section(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        workflow = world.github.add_workflow(world.name, "run-sweep.yml", "Run Sweep", JOBS)
        run = await world.github.start_run(pull, workflow)
        await world.quiet()
        head = f"`{pull.head_sha[:7]}`"
        assert runs(world, pull) == [
            f"- 🟡 [Sweep {run.id}] · {head} · jobs: 3, passed 0, failed 0, skipped 0"
        ]
        await world.github.finish_run(run, {JOBS[1]: "failure", JOBS[2]: "skipped"})
        await world.quiet()
        line, failing = runs(world, pull)
        assert line == (
            f"- ❌ [Sweep {run.id}] · {head} · jobs: 3, passed 1, failed 1, skipped 1"
            " · [performance] · [accuracy]"
        )
        assert "No sweep can be reused now: the pull request has none of" in world.sticky(pull)
        assert failing == "  [`single-node 8k1k / c8`]"
    assert world.github.rejected == []


async def test_news_of_jobs_cost_no_review(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    reviewed: list[object] = []
    review = Reviewer.review

    async def counted(self: Reviewer, key: PullRequestKey) -> None:
        reviewed.append(key)
        await review(self, key)

    monkeypatch.setattr(Reviewer, "review", counted)
    async with world.bot():
        pull = await opened(world)
        workflow = world.github.add_workflow(world.name, "run-sweep.yml", "Run Sweep", JOBS)
        run = await world.github.start_run(pull, workflow)
        await world.quiet()
        before = len(reviewed)
        for job, total in zip(JOBS[:2], ("passed 1", "passed 2"), strict=True):
            await world.github.begin_jobs(run, job)
            await world.github.end_job(run, job)
            await world.quiet()
            assert total in runs(world, pull)[0]
        assert len(reviewed) == before
        await world.github.finish_run(run)
        await world.quiet()
        ended = len(reviewed) - before
        assert 1 <= ended <= 2, "for a label or a sign-off that waited for its end"
        assert "✅" in runs(world, pull)[0]
        assert world.sticky(pull).count("<!-- referee:runs -->") == 1


async def test_a_review_and_a_look_at_runs_lose_nothing_of_each_other(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        run = await swept(world, pull)
        for number in range(3):
            world.repo.commit("pr", {"README.md": f"# Cedar {number}\n"})
            pushed = world.push()
            said = say(world, pull, f"/use {run.id}")
            await asyncio.gather(pushed, said)
        assert f"Compared `{pull.head_sha[:7]}`" in world.sticky(pull)
        assert f"Run `{run.id}` is chosen for reuse" in world.sticky(pull)


async def test_an_unofficial_run_shows_at_once(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        workflow = on_demand(world)
        assert await say(world, pull, f"/unofficial {KEY[:-4]}* --conc 4 8") == "👀🚀"
        (run,) = made(workflow)
        assert run.inputs["ref"] == pull.head_sha
        assert run.inputs["generate-cli-command"] == (
            "test-config --config-files inferencex-e2e/configs/nvidia-master.yaml"
            f" --config-keys {KEY} --conc 4 8 --no-evals"
        )
        assert runs(world, pull)[0].startswith(
            f"- 🟡 [Unofficial run {run.id}] · `{pull.head_sha[:7]}` · `{KEY}` for `maintainer`"
        )


async def test_a_run_waits_for_no_burst_of_deliveries_to_show(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world.bot():
        pull = await opened(world)
        on_demand(world)
        due = EmbeddedJobs._due

        def much_later(jobs: EmbeddedJobs, key: Key) -> float:
            return due(jobs, key) + (0 if isinstance(key, CommentKey) else 3600)

        monkeypatch.setattr(EmbeddedJobs, "_due", much_later)
        await world.github.comment(pull, f"/unofficial {KEY}", "maintainer")
        await world.until(lambda: "Unofficial run" in world.sticky(pull))
        monkeypatch.undo()
        for delivery in list(world.github.deliveries):
            if delivery.event.startswith("workflow_"):
                await world.hook_again(delivery)
        await say(world, pull, "/check")


async def test_a_run_waits_for_no_git_to_show(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched, ground = asyncio.Event(), Reviewer.ground

    async def later(self: Reviewer, client: Any, key: Any, pull: Any) -> Ground:
        await fetched.wait()
        return await ground(self, client, key, pull)

    async with world.bot():
        pull = await opened(world)
        on_demand(world)
        monkeypatch.setattr(Reviewer, "ground", later)
        await world.github.comment(pull, f"/unofficial {KEY}", "maintainer")
        await world.until(lambda: "Unofficial run" in world.sticky(pull))
        soon = runs(world, pull)
        fetched.set()
        await world.quiet()
        assert len(soon) == 1
        assert runs(world, pull) == soon


async def without_details(request: web.Request, proceed: faults.Proceed) -> web.Response:
    """Dispatch, and answer nothing, as GitHub did until 2026 and its servers still do."""
    del request
    await proceed()
    return web.Response(status=204)


@pytest.mark.parametrize("details", ["given", "unknown field", "ignored"])
async def test_equal_dispatches_at_once_are_two_runs(world: World, details: str) -> None:
    """https://github.com/cli/cli/issues/4001: two callers that polled got each other's run."""
    world.github.state.returns_run_details = details != "unknown field"
    if details == "ignored":
        world.github.faults.add(DISPATCHES, without_details, times=None)
    async with world.bot():
        pull = await opened(world)
        workflow = on_demand(world)
        world.github.set_role("ann", "write")
        said = await asyncio.gather(
            world.github.comment(pull, f"/unofficial {KEY}"),
            world.github.comment(pull, f"/unofficial {KEY}", "ann"),
        )
        await world.quiet()
        assert [emoji(each) for each in said] == ["👀🚀", "👀🚀"]
        assert len(made(workflow)) == 2
        shown = "\n".join(runs(world, pull))
        assert all(f"[Unofficial run {run.id}]" in shown for run in made(workflow))
        assert {line.split(" for ")[1].split(" ")[0] for line in runs(world, pull)} == {
            "`maintainer`",
            "`ann`",
        }


async def test_one_comment_may_ask_for_the_same_twice(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dispatch, "_PAUSE", 0.01)
    world.github.state.returns_run_details = False
    async with world.bot():
        pull = await opened(world)
        workflow = on_demand(world)
        world.github.faults.add(DISPATCHES, faults.answer_lost())
        assert await say(world, pull, f"/unofficial {KEY}\n" * 2) == "👀🚀"
        assert len(made(workflow)) == 2
        shown = "\n".join(runs(world, pull))
        assert all(f"[Unofficial run {run.id}]" in shown for run in made(workflow))


async def test_a_dispatch_told_twice_is_one_run(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        workflow = on_demand(world)
        await world.github.comment(pull, f"/unofficial {KEY}")
        told = [d for d in world.github.deliveries if d.event == "issue_comment"][-1]
        await world.hook_again(told)
        await world.quiet()
        assert len(made(workflow)) == 1


async def test_what_cannot_be_dispatched_is_said(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        assert (await say(world, pull, f"/unofficial {KEY}")).startswith("👀😕 GitHub refused: ")
        workflow = on_demand(world)
        assert await say(world, pull, "/unofficial cedar-fp4-gb300-dynamo-sglang-mpt") == (
            f"👀😕 No config key is like `cedar-fp4-gb300-dynamo-sglang-mpt`; did you mean `{KEY}`?"
        )
        assert (await say(world, pull, "/unofficial")).startswith("👀😕 Argument 1 is missing")
        world.github.faults.add(DISPATCHES, faults.answer_lost())
        assert await say(world, pull, f"/unofficial {KEY}") == "👀🚀"
        assert len(made(workflow)) == 1


async def test_a_run_that_github_shows_late_is_not_dispatched_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def nothing_yet(_: web.Request, __: faults.Proceed) -> web.Response:
        return web.json_response({"total_count": 0, "workflow_runs": []})

    monkeypatch.setattr(dispatch, "_PAUSE", 0.01)
    async with world.bot():
        pull = await opened(world)
        workflow = on_demand(world)
        world.github.faults.add(DISPATCHES, faults.answer_lost())
        late = world.github.faults.add(("GET", "/workflows/.*/runs"), nothing_yet, 2)
        assert await say(world, pull, f"/unofficial {KEY}") == "👀🚀"
        assert (late.hits, len(made(workflow))) == (2, 1)


async def test_an_approval_of_a_fork_survives_a_lost_database(world: World) -> None:
    third_conversation(world)
    world.github.set_role("maintainer", "maintain")
    await fork_of(world)
    async with world.bot():
        pull = await world.open(number=NUMBER, head_repo="stranger/bench", author="stranger")
        workflow = on_demand(world)
        refusal = await say(world, pull, f"/unofficial {KEY}")
        assert refusal.endswith(f"a maintainer has to say `/ok-to-sweep {pull.head_sha}` first.")
        assert await say(world, pull, f"/ok-to-sweep {pull.head_sha}") == "👀👍"
    world.lose_database()
    async with world.bot():
        assert await say(world, pull, f"/unofficial {KEY}") == "👀🚀"
        assert len(made(workflow)) == 1


async def fork_of(world: World) -> None:
    """Give a stranger a fork with the pull request's branch."""
    head = world.repo.log("pr")[0]
    await world.github.add_repository("stranger/bench", world.repo.path, installed=False)
    await world.github.push("stranger/bench", "pr", head, source=world.repo.path, pusher="stranger")


async def test_a_sweep_of_a_fork_is_found_by_its_title(world: World) -> None:
    third_conversation(world)
    await fork_of(world)
    async with world.bot():
        pull = await world.open(number=NUMBER, head_repo="stranger/bench", author="stranger")
        workflow = on_demand(world)
        titles = (
            f"External PR #{NUMBER} @ {pull.head_sha[:12]}",
            f"External PR #{NUMBER} @ {'0' * 12}",
            f"External PR #{NUMBER + 1} @ {pull.head_sha[:12]}",
        )
        swept = [
            await world.github.start_run_on_main(workflow, {"test-name": name}) for name in titles
        ]
        await world.quiet()
        (row,) = runs(world, pull)
        assert row.startswith(
            f"- 🟡 [Dispatched sweep {swept[0].id}] · `{pull.head_sha[:7]}` · jobs: 1"
        )
        await world.github.finish_run(swept[0])
        await world.quiet()
        (row,) = runs(world, pull)
        assert row.startswith(
            f"- ✅ [Dispatched sweep {swept[0].id}] · `{pull.head_sha[:7]}` · jobs: 1"
        )
        assert "not reusable: it was started by `workflow_dispatch`" in row


async def test_status_shows_the_runs(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        run = await swept(world, pull)
        found = await say(world, pull, "/status")
        assert f"**Runs**\n\n- ✅ [Sweep {run.id}](" in found


async def test_a_run_is_chosen_for_reuse_and_the_choice_kept_true(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        run = await swept(world, pull)
        assert await say(world, pull, "/use 424242") == (
            "👀😕 Run `424242` cannot be reused: this repository has no such run."
        )
        assert await say(world, pull, f"/use {run.id}") == "👀👍"
        assert f"Run `{run.id}` is chosen for reuse by `maintainer`." in world.sticky(pull)
        world.github.expire_artifacts(run)
        await say(world, pull, "/check")
        assert "its artifact `results_bmk` has expired." in world.sticky(pull)
        assert await say(world, pull, "/reuse-sweep-run") == (
            "👀😕 No sweep of this pull request's commits has succeeded and can be reused;"
            " `/use <run id>` takes one of which jobs failed."
        )


async def test_a_label_that_makes_a_chosen_run_unfit_is_a_finding(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        run = await swept(world, pull)
        assert await say(world, pull, f"/use {run.id}") == "👀👍"
        await world.github.add_label(pull, "evals-only")
        await say(world, pull, "/check")
        assert "A label and the run that is to be reused exclude each other" in world.sticky(pull)


async def test_without_an_id_the_newest_run_that_can_be_reused_is_chosen(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        run = await swept(world, pull)
        inert = "```\n/reuse-sweep-run 5\n```\n<!-- \n/reuse-sweep-run 6\n-->\n"
        found = await say(world, pull, f"{inert}\n/reuse-sweep-run\n\n222")
        assert found == "👀👍"
        assert f"Run `{run.id}` is chosen for reuse" in world.sticky(pull)


async def test_a_label_that_keeps_every_run_from_being_reused_is_named(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        await swept(world, pull)
        await world.github.add_label(pull, "evals-only")
        assert await say(world, pull, "/reuse-sweep-run") == (
            "👀😕 No sweep can be reused now: the label `evals-only` makes its results unfit for a"
            " merge."
        )


async def test_a_sweep_of_which_jobs_failed_is_chosen_by_its_id_alone(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        green = await swept(world, pull)
        world.repo.commit("pr", {"README.md": "# Cedar\n"})
        await world.push()
        red = await swept(world, pull, **{JOBS[1]: "failure"})
        assert runs(world, pull)[0].endswith(
            f"`/use {red.id}` takes it without the results of its failed jobs"
        )
        assert await say(world, pull, "/reuse-sweep-run") == "👀👍"
        assert f"Run `{green.id}` is chosen for reuse by `maintainer`." in world.sticky(pull)
        assert await say(world, pull, f"/use {red.id}") == (
            f"👀👍 Jobs of run `{red.id}` failed: the merge goes without their results."
        )
        assert (
            f"Run `{red.id}` is chosen for reuse by `maintainer`, without the results of its failed"
            " jobs."
        ) in world.sticky(pull)
        world.repo.commit("pr", {"README.md": "# Cedar again\n"})
        await world.push()
        assert [row for row in runs(world, pull) if f"Sweep {red.id}" in row], "it is chosen"
        await world.github.remove_label(pull, "full-sweep-fail-fast")
        await world.quiet()
        assert "cannot be reused any more: the pull request has none of" in world.sticky(pull)


async def test_without_the_permission_it_says_so_and_goes_on(world: World) -> None:
    del world.github.state.app.permissions["actions"]
    async with world.bot():
        pull = await opened(world)
        assert "Runs cannot be shown: the App lacks the permission" in world.sticky(pull)
        assert len(pull.threads) == 2
        found = await say(world, pull, "/use 5")
        assert found.endswith("its App needs the permission `actions=read`.")
