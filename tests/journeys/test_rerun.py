"""`/rerun` and `/cancel`: what GitHub is asked to do and what not, and what people read of it."""

import asyncio
import re
from datetime import timedelta

import pytest

from bot.sandbox import actions, faults
from bot.sandbox.state import PullRequest, stamp
from bot.sandbox.workflows import Run, Workflow
from tests.journeys.conftest import World
from tests.journeys.test_commands import NUMBER, answers, emoji, opened, say
from tests.journeys.test_crash import kill, served
from tests.journeys.test_review import third_conversation

SWEEP = "run-sweep.yml"
FP4 = "single-node 8k1k / p10 | cedar fp4 gb300 sgl TP4 c8"
FP8 = "single-node 8k1k / p10 | cedar fp8 gb300 sgl TP4 c8"
SHORT = "single-node 1k1k / p10 | cedar fp4 gb300 sgl TP4 c8"
COLLECT = "collect-results"
JOBS = (FP4, FP8, SHORT, COLLECT)
RERUN = ("POST", "/rerun")
PERMISSION = "GitHub does not let Referee do this: its App needs the permission"


def workflow(world: World, file: str = SWEEP, jobs: tuple[str, ...] = JOBS) -> Workflow:
    name = file.removesuffix(".yml").replace("-", " ").title()
    inputs = ("ref",) if file == "e2e-tests.yml" else None
    return world.github.add_workflow(world.name, file, name, jobs, inputs=inputs)


async def swept(world: World, pull: PullRequest, **conclusions: str) -> Run:
    """Run a sweep to its end; `fp4="failure"` says how a job ends."""
    names = {"fp4": FP4, "fp8": FP8, "short": SHORT, "collect": COLLECT}
    known = pull.repository.workflows.get(SWEEP) or workflow(world)
    run = await world.github.start_run(pull, known)
    ends = {names[name]: conclusion for name, conclusion in conclusions.items()}
    await world.github.finish_run(run, ends)
    return run


def calls(world: World) -> list[str]:
    """Return the requests that run something again or cancel it, without the repository."""
    path = re.compile(r".*/actions/(.*(?:rerun|rerun-failed-jobs|cancel))")
    found = [(e, path.fullmatch(e.path)) for e in world.github.writes]
    return [f"{match[1]} {e.status}" for e, match in found if match]


def link(world: World, run: Run) -> str:
    url = f"{world.github.url}/{world.name}/actions/runs/{run.id}"
    return f"[{run.id}]({url}) of `{run.workflow.name}`"


async def test_failed_jobs_run_again_whatever_the_run_concluded(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        run = await world.github.start_run(pull, workflow(world))
        await world.github.end_job(run, FP4, "failure")
        await world.github.end_job(run, FP8)
        await world.github.cancel_run(run)
        assert run.attempt.conclusion == "cancelled"
        assert await say(world, pull, "/rerun") == (
            f"👀🚀 At `{pull.head_sha[:7]}`:\n\n"
            f"- {link(world, run)} runs again as attempt 2; jobs: 3.\n"
            f"- `{FP4}`: `failure`\n- `{SHORT}`: `cancelled`\n- `{COLLECT}`: `cancelled`"
        )
        assert calls(world) == [f"runs/{run.id}/rerun-failed-jobs 201"]
        assert run.attempt.actor.login == "referee[bot]"
        assert [job.status for job in run.attempt.jobs] == [
            "queued",
            "completed",
            "queued",
            "queued",
        ]
    assert world.github.rejected == []


async def test_nothing_failed(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        assert await say(world, pull, "/rerun failed") == (
            f"👀😕 There is no workflow run at `{pull.head_sha[:7]}`."
        )
        await swept(world, pull)
        assert await say(world, pull, "/rerun failed") == (
            f"👀😕 No job failed in the newest runs at `{pull.head_sha[:7]}`."
        )
        assert calls(world) == []


async def test_an_older_failed_run_is_left_alone_while_a_newer_runs(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        old = await swept(world, pull, fp4="failure")
        new = await world.github.start_run(pull, old.workflow)
        running = (
            f"{link(world, new)} is still running (attempt 1, started by `author`);"
            " it was left alone."
        )
        for command in ("/rerun", "/rerun all", f"/rerun {new.id}", f"/rerun {FP4}"):
            assert await say(world, pull, command) == f"👀😕 {running}"
        assert await say(world, pull, f"/rerun {old.id}") == (
            f"👀😕 {link(world, old)} is not the newest run of its workflow at this commit;"
            f" {link(world, new).partition(' ')[0]} is."
        )
        assert calls(world) == []
        lint = await world.github.start_run(pull, workflow(world, "lint.yml", ("lint",)))
        await world.github.finish_run(lint, {"lint": "failure"})
        assert await say(world, pull, "/rerun") == (
            f"👀🚀 At `{pull.head_sha[:7]}`:\n\n"
            f"- {link(world, lint)} runs again as attempt 2; jobs: 1.\n- `lint`: `failure`\n"
            f"- {running}"
        )
        assert calls(world) == [f"runs/{lint.id}/rerun-failed-jobs 201"]


async def test_a_run_in_which_nothing_ran_hides_no_sweep(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        run = await swept(world, pull, fp4="failure")
        ignored = await world.github.start_run(pull, run.workflow)
        await world.github.finish_run(ignored, dict.fromkeys(JOBS, "skipped"))
        assert (await say(world, pull, "/rerun")).startswith("👀🚀")
        assert calls(world) == [f"runs/{run.id}/rerun-failed-jobs 201"]


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        (
            "old",
            (
                "is older than 30 days, after which GitHub runs nothing again; push, or start a new"
                " run."
            ),
        ),
        ("worn", "was attempted 50 times, and GitHub takes no more; push, or start a new run."),
        ("logs", "The logs of"),
        ("running", "is still running (attempt 50, started by `referee[bot]`)"),
    ],
)
async def test_what_github_would_refuse_is_told_and_not_tried(
    world: World, trouble: str, words: str
) -> None:
    async with world.bot():
        pull = await opened(world)
        run = await swept(world, pull, fp4="failure")
        if trouble == "old":
            run.created_at = stamp(world.github.state.clock() - timedelta(days=31).total_seconds())
        if trouble in ("worn", "running"):
            run.attempt.number = 50
        if trouble == "running":
            run.attempt.status, run.attempt.conclusion = "in_progress", None
            run.attempt.actor = world.github.state.app.bot
        if trouble == "logs":
            world.github.expire_logs(run)
        found = await say(world, pull, "/rerun failed")
        assert found.startswith("👀😕 ")
        assert words in found
        assert calls(world) == []


async def test_jobs_by_glob_byte_for_byte(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        run = await swept(world, pull, fp4="failure", fp8="failure", short="failure")
        assert await say(world, pull, "/rerun single-node*8k1k*fp4*") == (
            f"👀🚀 At `{pull.head_sha[:7]}`:\n\n"
            f"- {link(world, run)} runs again as attempt 2; jobs: 1.\n- `{FP4}`: `failure`"
        )
        job = run.attempts[0].jobs[0]
        assert calls(world) == [f"jobs/{job.id}/rerun 201"]
        await world.github.finish_run(run)
        assert await say(world, pull, "/rerun single-node*") == (
            f"👀🚀 At `{pull.head_sha[:7]}`:\n\n"
            f"- {link(world, run)} runs again as attempt 3; jobs: 2.\n"
            f"- `{FP8}`: `failure`\n- `{SHORT}`: `failure`"
        )
        assert calls(world)[1:] == [f"runs/{run.id}/rerun-failed-jobs 201"], "they are all"


async def test_of_several_jobs_that_are_not_all_one_begins(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        run = await swept(world, pull, fp4="failure", fp8="failure", short="failure")
        assert await say(world, pull, "/rerun *8k1k*") == (
            f"👀🚀 At `{pull.head_sha[:7]}`:\n\n"
            f"- {link(world, run)} runs again as attempt 2; jobs: 1.\n- `{FP4}`: `failure`\n"
            "- GitHub runs one job again at a time; jobs that wait: 1. When this attempt is over,"
            " say it again, or say `/rerun failed` for all that failed.\n"
            f"- `{FP8}`"
        )


async def test_a_green_job_runs_again_when_it_is_named(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        run = await swept(world, pull)
        assert await say(world, pull, "/rerun single*") == (
            f"👀😕 None of the 3 jobs of {link(world, run)} that are meant failed, and GitHub runs"
            " others again one at a time: name one of them.\n\n"
            f"- `{FP4}`\n- `{FP8}`\n- `{SHORT}`"
        )
        assert await say(world, pull, "/rerun P10*") == (
            f"👀😕 No job of the newest runs at `{pull.head_sha[:7]}` has a name like `P10*`.\n\n"
            f"- `{FP4}`\n- `{FP8}`\n- `{SHORT}`\n- `{COLLECT}`"
        )
        assert calls(world) == []
        assert (await say(world, pull, f"/rerun {SHORT}")).startswith("👀🚀")
        assert calls(world) == [f"jobs/{run.attempts[0].jobs[2].id}/rerun 201"]


async def test_all_or_one_run(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        run = await swept(world, pull)
        assert (await say(world, pull, "/rerun all")).startswith("👀🚀")
        await world.github.finish_run(run, {FP8: "timed_out"})
        assert (await say(world, pull, f"/rerun {run.id}")).startswith("👀🚀")
        await world.github.finish_run(run)
        url = f"https://github.com/{world.name}/actions/runs/{run.id}/job/5"
        assert (await say(world, pull, f"/rerun {url}")).startswith("👀🚀")
        assert calls(world) == [
            f"runs/{run.id}/rerun 201",
            f"runs/{run.id}/rerun-failed-jobs 201",
            f"runs/{run.id}/rerun 201",
        ]
        assert await say(world, pull, "/rerun 5") == (
            f"👀😕 `5` is no workflow run at `{pull.head_sha[:7]}`."
        )
        assert await say(world, pull, "/rerun failed please") == (
            "👀😕 `please`, argument 2, is wrong: nothing more is expected here. Usage:"
            " `/rerun [failed|all|<run id>|<job glob>]`."
        )


async def test_a_budget_ends_and_shows_its_history(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        run = await swept(world, pull, fp4="failure")
        for conclusion in ("timed_out", "failure", "cancelled"):
            assert (await say(world, pull, "/rerun")).startswith("👀🚀")
            await world.github.finish_run(run, {FP4: conclusion})
        assert await say(world, pull, "/rerun") == (
            f"👀😕 {link(world, run)} was left alone: at this commit a job may be run again 3"
            " times, and that is used up for 1 of its jobs. Name others by a glob, or push.\n\n"
            f"- `{FP4}`: `failure`, `timed_out`, `failure`, `cancelled`"
        )
        assert len(calls(world)) == 3
        newer = await swept(world, pull, fp4="failure", fp8="failure")
        assert (await say(world, pull, f"/rerun {FP4}")).startswith(
            f"👀😕 {link(world, newer)} was left alone"
        ), "of this head, in whatever run"
        assert await say(world, pull, f"/rerun {FP8}") == (
            f"👀🚀 At `{pull.head_sha[:7]}`:\n\n"
            f"- {link(world, newer)} runs again as attempt 2; jobs: 1.\n"
            f"- `{FP8}`: `success`, `failure`"
        )
        world.repo.commit("pr", {"README.md": "# Cedar\n"})
        await world.push()
        await swept(world, pull, fp4="failure")
        assert (await say(world, pull, "/rerun")).startswith("👀🚀"), "a push begins anew"


async def test_runs_of_forks_are_those_of_their_branch(world: World) -> None:
    async with world.bot():
        ours = await opened(world)
        for owner in ("one", "two"):
            await world.github.add_repository(f"{owner}/bench", world.repo.path, installed=False)
        first = await world.open(head_repo="one/bench")
        second = await world.open(head_repo="two/bench")
        assert first.head_sha == second.head_sha == ours.head_sha
        workflow(world)
        runs = [await swept(world, pull, fp4="failure") for pull in (first, second, ours)]
        assert (await say(world, second, "/rerun")).startswith("👀🚀")
        assert calls(world) == [f"runs/{runs[1].id}/rerun-failed-jobs 201"]


async def test_who_may_not_spends_nothing(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        await swept(world, pull, fp4="failure")
        world.github.set_role("stranger", "read")
        assert (await say(world, pull, "/rerun", "stranger")).startswith("👀😕 `stranger` may not")
        assert (await say(world, pull, "/cancel", "stranger")).startswith("👀😕 `stranger` may not")
        for near in ("/rerunn", "/rerun-all"):
            told = f"👀😕 There is no command `{near}`; did you mean `/rerun`? Nothing was done."
            assert await say(world, pull, near) == told
        assert calls(world) == []


@pytest.mark.parametrize("granted", [None, "read"])
async def test_without_the_permission_it_says_so_and_does_the_rest(
    world: World, granted: str | None
) -> None:
    async with world.bot():
        pull = await opened(world)
        run = await swept(world, pull, fp4="failure")
        running = await world.github.start_run(pull, workflow(world, "e2e-tests.yml"))
        installation = pull.repository.installation
        assert installation is not None
        kept = {k: v for k, v in installation.permissions.items() if k != "actions"}
        installation.permissions = kept | ({"actions": granted} if granted else {})
        needed = "actions=write" if granted else "actions=read"
        assert await say(world, pull, "/rerun\n/cancel\n/check") == (
            f"👀😕🚀 **`/rerun`**\n\n{PERMISSION} `{needed}`.\n\n"
            f"**`/cancel`**\n\n{PERMISSION} `{needed}`."
        )
        assert len(run.attempts) == 1
        assert not running.finished


async def test_a_refusal_in_the_middle_stops_nothing_else(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        run = await swept(world, pull, fp4="failure")
        lint = await world.github.start_run(pull, workflow(world, "lint.yml", ("lint",)))
        await world.github.finish_run(lint, {"lint": "failure"})
        world.github.faults.add(RERUN, faults.status(403, "This workflow run cannot be retried"))
        found = await say(world, pull, "/rerun")
        assert f"- {link(world, run)} runs again as attempt 2" in found
        assert (
            f"- GitHub refused to run {link(world, lint)} again: `GitHub refused POST"
            f" /api/v3/repos/{world.name}/actions/runs/{lint.id}/rerun-failed-jobs: 403 This"
            " workflow run cannot be retried"
        ) in found
        assert found.startswith("👀🚀")


@pytest.mark.parametrize(
    "action",
    [faults.status(502), faults.answer_lost(), faults.reset()],
    ids=["502", "lost", "reset"],
)
async def test_a_failure_in_the_middle_is_tried_again_and_starts_each_run_once(
    world: World, action: faults.Action
) -> None:
    async with world.bot():
        pull = await opened(world)
        run = await swept(world, pull, fp4="failure")
        lint = await world.github.start_run(pull, workflow(world, "lint.yml", ("lint",)))
        await world.github.finish_run(lint, {"lint": "failure"})
        world.github.faults.add((RERUN[0], f"/{run.id}/rerun"), action)
        found = await say(world, pull, "/rerun")
        assert found.startswith("👀🚀 ")
        assert [len(each.attempts) for each in (run, lint)] == [2, 2]
        assert f"- {link(world, lint)} runs again as attempt 2, started by `referee[bot]`." in found
        assert len(answers(pull)) == 1


async def test_a_run_that_ended_again_before_we_came_back_is_not_started_once_more(
    world: World,
) -> None:
    async with world.bot():
        pull = await opened(world)
        run = await swept(world, pull, fp4="failure")

        async def end() -> None:
            await world.github.finish_run(run, {FP4: "failure"})

        async def lose(request: object, proceed: faults.Proceed) -> object:
            await proceed()
            await end()
            return faults.abort(request)  # type: ignore[arg-type]

        world.github.faults.add(RERUN, lose)  # type: ignore[arg-type]
        found = await say(world, pull, "/rerun")
        assert f"- {link(world, run)} runs again as attempt 2, started by" in found
        assert len(run.attempts) == 2


async def test_a_crash_around_the_start_leaves_exactly_one(world: World) -> None:
    world.github.set_role("maintainer", "maintain")
    third_conversation(world)
    await world.github.add_repository(world.name, world.repo.path)
    async with served(world) as process:
        await world.github.open_pull_request(world.name, "pr", "main", number=NUMBER)
        pull = world.github.pull_request(NUMBER)
        await world.until(lambda: pull.check_runs)
        await world.quiet()
        run = await swept(world, pull, fp4="failure")
        world.github.faults.add(RERUN, faults.after(lambda: kill(process)))
        said = await world.github.comment(pull, "/rerun")
        await asyncio.wait_for(process.wait(), 20)
    async with served(world):
        await world.until(lambda: answers(pull))
        await world.quiet()
    assert len(run.attempts) == 2
    assert emoji(said) == "👀🚀"
    assert len(answers(pull)) == 1


async def test_said_twice_and_by_two_people_at_once(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        run = await swept(world, pull, fp4="failure")
        world.github.set_role("writer", "write")
        world.github.faults.repeat_deliveries(event="issue_comment")
        both = await asyncio.gather(
            world.github.comment(pull, "/rerun"), world.github.comment(pull, "/rerun", "writer")
        )
        await world.github.redeliver(
            next(d for d in world.github.deliveries if d.event == "issue_comment")
        )
        await world.quiet()
        assert len(run.attempts) == 2
        assert len(answers(pull)) == 2
        assert sum(emoji(said).startswith("👀") for said in both) == 2
        assert any(emoji(said) == "👀🚀" for said in both)
        for answer in answers(pull):
            assert "runs again as attempt 2" in answer or "is still running (attempt 2" in answer


async def test_somebody_who_is_faster_is_named(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        run = await swept(world, pull, fp4="failure")
        someone = world.github.state.account("someone")

        def press() -> None:
            actions.rerun(world.github.site, run, lambda job: job.name == FP4, someone)

        world.github.faults.add(RERUN, faults.before(press))
        assert await say(world, pull, "/rerun") == (
            f"👀🚀 At `{pull.head_sha[:7]}`:\n\n"
            f"- {link(world, run)} runs again as attempt 2, started by `someone`."
        )
        assert len(run.attempts) == 2


async def test_what_measures_is_cancelled_also_for_earlier_pushes(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        sweep = workflow(world)
        other = workflow(world, "lint.yml", ("lint",))
        old = await world.github.start_run(pull, sweep)
        world.repo.commit("pr", {"README.md": "# Cedar\n"})
        await world.push()
        new = await world.github.start_run(pull, workflow(world, "e2e-tests.yml"))
        await world.github.begin_jobs(new)
        lint = await world.github.start_run(pull, other)
        assert await say(world, pull, "/cancel", "author") == (
            f"👀🚀 Being cancelled:\n\n- {link(world, old)}, attempt 1\n"
            f"- {link(world, new)}, attempt 1"
        )
        assert calls(world) == [f"runs/{old.id}/cancel 202", f"runs/{new.id}/cancel 202"]
        assert [run.finished for run in (old, new, lint)] == [True, True, False]
        assert await say(world, pull, "/cancel") == (
            "👀😕 No sweep and no unofficial run of this pull request is running."
        )
        assert (await say(world, pull, "/cancel now")).startswith(
            "👀😕 `now`, argument 1, is wrong"
        )
        assert len(calls(world)) == 2


@pytest.mark.parametrize("trouble", ["ended", "refused", "lost", "502"])
async def test_cancelling_when_github_fails(world: World, trouble: str) -> None:
    async with world.bot():
        pull = await opened(world)
        run = await world.github.start_run(pull, workflow(world))

        async def end() -> None:
            await world.github.finish_run(run)

        action = {
            "ended": faults.before(end),
            "refused": faults.status(403, "Not today"),
            "lost": faults.answer_lost(),
            "502": faults.status(502),
        }[trouble]
        world.github.faults.add(("POST", "/cancel$"), action)
        found, nothing = await say(world, pull, "/cancel"), "👀😕 Nothing is being cancelled:\n\n"
        words = {
            "ended": f"{nothing}- {link(world, run)} had ended already.",
            "refused": f"{nothing}- GitHub refused to cancel {link(world, run)}: ",
            "lost": "👀👍",
            "502": f"👀🚀 Being cancelled:\n\n- {link(world, run)}, attempt 1",
        }
        assert found.startswith(words[trouble])
