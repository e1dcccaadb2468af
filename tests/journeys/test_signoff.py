"""What a code owner signs, and what becomes of it until the merge."""

import pytest
import structlog

from bot.recorded import read_record
from bot.sandbox import faults
from bot.sandbox.state import PullRequest
from tests.goldens import assert_golden
from tests.journeys.conftest import World
from tests.journeys.policies import CHANGELOG, FIRST, HISTORY, MASTER, SECOND, entry, master, recipe
from tests.journeys.signing import (
    CODEOWNERS,
    FORM,
    NUMBER,
    OWNERS,
    PAGE,
    filled,
    gate,
    heads,
    opened,
    policy,
    prepared,
    pushed,
    sign,
    verdict,
)
from tests.journeys.test_commands import emoji, say
from tests.journeys.test_labels import RECIPES

WAITING = ("action_required", "Waiting for a code owner's sign-off")
SIGNED = ("success", "Signed off")
README = {"README.md": "# Cedar\n"}
MORE = {MASTER: master(8, 16, 32, 64)}


def assessments(pull: PullRequest) -> list[str]:
    return [c.body for c in pull.comments if c.body.startswith("<!-- referee:assessment")]


def reminders(pull: PullRequest) -> list[str]:
    return [c.body for c in pull.comments if c.body.startswith("<!-- referee:reminder")]


async def test_an_owner_signs(world: World) -> None:
    await prepared(world)
    async with world.bot():
        pull = await opened(world)
        assert gate(pull) == WAITING
        verdict(pull, "waiting")
        await sign(world, pull)
        assert gate(pull) == SIGNED
        verdict(pull, "signed")
    assert world.github.rejected == []


async def test_nothing_new_is_written_however_often_it_is_judged(world: World) -> None:
    await prepared(world)
    async with world.bot():
        pull = await opened(world)
        said = await sign(world, pull)
        before = len(world.github.writes)
        for _ in range(3):
            await say(world, pull, "/verify", "stranger")
        await world.github.edit_comment(said, filled().replace("\n", "\n\n"), "nina")
        await world.quiet()
        written = [each.path for each in world.github.writes[before:]]
        assert [path for path in written if "reactions" not in path] == []
        assert gate(pull) == SIGNED


async def test_a_push_of_other_files_carries_it_over(world: World) -> None:
    await prepared(world)
    async with world.bot():
        pull = await opened(world)
        await sign(world, pull)
        await pushed(world, **README)
        assert gate(pull) == SIGNED
        verdict(pull, "pushed_unrelated")
        await pushed(world, **{FIRST: RECIPES[FIRST] + "# more\n"})
        assert gate(pull)[0] == "failure"
        verdict(pull, "pushed_related")


async def test_a_push_of_what_was_signed_reopens_it(world: World) -> None:
    await prepared(world)
    async with world.bot():
        pull = await opened(world)
        await sign(world, pull)
        await pushed(world, **MORE)
        assert gate(pull)[0] == "failure"
        verdict(pull, "reopened")
        await sign(world, pull, "nadia")
        assert gate(pull) == SIGNED
        verdict(pull, "second_signer")


async def test_merging_main_carries_it_over(world: World) -> None:
    await prepared(world)
    async with world.bot():
        pull = await opened(world)
        await sign(world, pull)
        world.repo.commit("main", {**README, SECOND: RECIPES[SECOND] + "# other\n"})
        await world.push("main")
        world.repo.merge("pr", "main")
        await world.push()
        assert gate(pull) == ("success", f"Signed off, carried from `{heads(pull)[0][:7]}`")
        verdict(pull, "carried")


async def test_an_edit_by_somebody_else_voids_it(world: World) -> None:
    await prepared(world)
    async with world.bot():
        pull = await opened(world)
        said = await sign(world, pull, body=filled().replace("[x]", "[ ]", 1))
        assert gate(pull)[0] == "failure"
        verdict(pull, "unticked")
        await world.github.edit_comment(said, filled(), "author")
        await world.quiet()
        assert gate(pull) == WAITING
        verdict(pull, "edited_by_other")
        await world.github.edit_comment(said, filled() + " ", "nina")
        await world.quiet()
        assert gate(pull) == WAITING


async def test_an_edit_by_its_author_is_said_anew(world: World) -> None:
    await prepared(world)
    async with world.bot():
        pull = await opened(world)
        said = await sign(world, pull, body=filled().replace("[x]", "[ ]", 1))
        await pushed(world, **MORE)
        await world.github.edit_comment(said, filled(), "nina")
        await world.quiet()
        assert gate(pull) == SIGNED
        verdict(pull, "edited_by_author")


async def test_a_sign_off_that_is_deleted_counts_no_more(world: World) -> None:
    await prepared(world)
    async with world.bot():
        pull = await opened(world)
        said = await sign(world, pull)
        await world.github.delete_comment(said, "nina")
        await world.quiet()
        assert gate(pull) == WAITING


@pytest.mark.parametrize("place", ["review", "inline"])
async def test_a_review_is_bound_to_its_own_commit(world: World, place: str) -> None:
    await prepared(world)
    async with world.bot():
        pull = await opened(world)
        if place == "inline":
            await world.github.comment_at(pull, MASTER, 14, filled(), "nina")
        else:
            await world.github.review(pull, filled(), "nina")
        await world.quiet()
        assert gate(pull) == SIGNED
        await pushed(world, **MORE)
        assert gate(pull)[0] == "failure"


async def test_whoever_verifies_own_words_binds_them_to_the_newest_commit(world: World) -> None:
    await prepared(world)
    async with world.bot():
        pull = await opened(world)
        said = await sign(world, pull)
        await pushed(world, **MORE)
        assert gate(pull)[0] == "failure"
        assert await say(world, pull, "/verify", "author") == "👀👍"
        assert await say(world, pull, f"/verify {world.github.url}/x#issuecomment-{said.id}") == (
            "👀👍"
        )
        assert gate(pull)[0] == "failure"
        assert await say(world, pull, "/verify", "nina") == "👀👍"
        assert gate(pull) == SIGNED
        await pushed(world, **{MASTER: master(8, 16, 32, 128)})
        assert gate(pull)[0] == "failure"


async def test_a_lost_database_costs_no_sign_off(world: World) -> None:
    await prepared(world)
    async with world.bot():
        pull = await opened(world)
        await sign(world, pull)
    world.lose_database()
    async with world.bot():
        await pushed(world, **README)
        assert gate(pull)[0] == "success"
        await pushed(world, **MORE)
        assert gate(pull)[0] == "failure"


async def test_what_strangers_say_changes_nothing(world: World) -> None:
    await prepared(world)
    async with world.bot():
        pull = await opened(world)
        verdict_text = pull.check_runs[-1].summary or ""
        for body in (filled("mallory"), filled(), f"<!-- referee:sticky -->\n{verdict_text}"):
            await world.github.comment(pull, body, "mallory")
        await world.quiet()
        assert gate(pull) == WAITING
        verdict(pull, "strangers")


async def test_a_template_that_changes_on_main_reopens_it(world: World) -> None:
    await prepared(world)
    async with world.bot():
        pull = await opened(world)
        await sign(world, pull)
        newer = FORM.replace("nothing deprecated here", "nothing deprecated or retired here")
        await pushed(world, "main", **{PAGE: f"# How to sign\n\n```\n{newer}\n```\n"})
        assert gate(pull)[0] == "failure"
        verdict(pull, "stale_template")


async def test_owners_that_change_on_main_change_who_has_to_sign(world: World) -> None:
    await prepared(world)
    async with world.bot():
        pull = await opened(world)
        await sign(world, pull)
        newer = CODEOWNERS.replace(f"/{CHANGELOG} @nina @otto", f"/{CHANGELOG} @otto")
        await pushed(world, "main", **{OWNERS: newer})
        assert gate(pull)[0] == "failure"
        verdict(pull, "other_owners")
        await sign(world, pull, "otto")
        assert gate(pull) == SIGNED


async def test_nobody_has_to_sign_what_the_core_owns(world: World) -> None:
    await prepared(world)
    world.repo.commit("docs", README, start="main")
    await world.github.push(world.name, "docs", "docs", source=world.repo.path)
    async with world.bot():
        pull = await world.open("docs")
        assert gate(pull) == ("success", "No sign-off is needed")


async def test_a_gate_that_is_taken_away_stays_open(world: World) -> None:
    await prepared(world)
    async with world.bot():
        pull = await opened(world)
        assert gate(pull) == WAITING
        world.repo.commit("main", {OWNERS: None, PAGE: None})
        world.gates = frozenset()
        await world.push("main")
        assert gate(pull) == ("success", "No sign-off is needed")
        await pushed(world, **MORE)
        assert gate(pull) == (None, "")


async def test_a_team_that_cannot_be_read_is_said_to_be(world: World) -> None:
    await prepared(world)
    del world.github.state.teams["example/nvidia"]
    async with world.bot():
        pull = await opened(world)
        await sign(world, pull, "nadia")
        assert gate(pull) == WAITING
        verdict(pull, "unreadable_team")
        await sign(world, pull)
        assert gate(pull) == SIGNED


async def test_a_draft_and_a_fork_are_judged_alike(world: World) -> None:
    await prepared(world)
    await world.github.add_repository("stranger/bench", world.repo.path, installed=False)
    await world.github.push("stranger/bench", "pr", "pr", source=world.repo.path)
    async with world.bot():
        pull = await opened(world, head_repo="stranger/bench", author="stranger", draft=True)
        assert gate(pull) == WAITING
        verdict(pull, "draft_of_a_fork")
        await sign(world, pull)
        assert gate(pull) == SIGNED
        await world.github.set_draft(pull, draft=False)
        await world.quiet()
        assert gate(pull) == SIGNED
        verdict(pull, "ready_of_a_fork")


async def test_a_maintainer_opens_the_gate_for_one_commit(world: World) -> None:
    await prepared(world)
    async with world.bot():
        pull = await opened(world)
        assert await say(world, pull, "/override signoff: the owner is away") == "👀👍"
        assert gate(pull)[0] == "neutral"
        verdict(pull, "overridden")
        await pushed(world, **README)
        assert gate(pull) == WAITING


async def test_a_maintainer_lets_one_obligation_pass(world: World) -> None:
    await prepared(world, **{".github/referee.yml": policy("owner", "validation")})
    async with world.bot():
        pull = await opened(world)
        assert await say(world, pull, "/override signoff:validation: no machine is left") == "👀👍"
        assert gate(pull) == WAITING
        await sign(world, pull)
        assert gate(pull) == ("neutral", "Signed off, overridden: Sweep passed")
        verdict(pull, "partly_overridden")
        refused = await say(world, pull, "/override signoff:validation: x", "otto")
        assert refused.startswith("👀😕")
        await pushed(world, **README)
        assert gate(pull)[0] == "failure"


async def test_a_push_behind_an_override_is_not_let_through(world: World) -> None:
    await prepared(world)
    async with world.bot():
        pull = await opened(world)
    said = await world.github.comment(pull, "/override signoff: the owner is away")
    then = pull.head_sha
    world.repo.commit("pr", README)
    await world.github.push(world.name, "pr", "pr", source=world.repo.path)
    async with world.bot():
        await world.until(lambda: len(emoji(said)) == 2)
        await world.quiet()
        assert gate(pull) == WAITING
        answer = f"You approved `{then[:7]}`, and the head is `{pull.head_sha[:7]}`."
        assert any(answer in each.body for each in pull.comments)
        assert await say(world, pull, "/override signoff: the owner is away") == "👀👍"
        assert gate(pull)[0] == "neutral"


@pytest.mark.parametrize(
    ("match", "action"),
    [
        (("POST", "/graphql"), faults.status(502)),
        (("GET", "/actions/runs"), faults.status(503)),
        (("GET", "/teams/nvidia/members"), faults.status(500)),
        (("POST", "/check-runs"), faults.status(502)),
        (("PATCH", "/check-runs"), faults.answer_lost()),
    ],
    ids=lambda value: value[1] if isinstance(value, tuple) else "",
)
async def test_a_failing_github_delays_the_verdict_and_repeats_nothing(
    world: World, match: tuple[str, str], action: faults.Action
) -> None:
    await prepared(world)
    async with world.bot():
        pull = await opened(world)
        world.github.faults.add(match, action)
        await sign(world, pull)
        await pushed(world, **README)
        assert gate(pull)[0] == "success"
        verdict(pull, "after_trouble")
    runs = [run for run in pull.check_runs if run.name == "signoff"]
    assert len(runs) == 1


async def test_the_verdict_as_a_commit_status(world: World) -> None:
    only = policy(more="  check: ''\n  status: codeowner-signoff\n")
    await prepared(world, **{".github/referee.yml": only})
    async with world.bot():
        pull = await opened(world)
        status = pull.statuses["codeowner-signoff"]
        assert (status.state, status.description) == ("pending", WAITING[1])
        await sign(world, pull)
        await say(world, pull, "/verify", "stranger")
        await pushed(world, **README)
        status = pull.statuses["codeowner-signoff"]
        assert status.state == "success"
        assert [each.state for each in pull.repository.statuses] == [
            *("pending", "pending", "success", "pending", "success"),
        ]
        assert [run for run in pull.check_runs if run.name != "referee/review"] == []


async def test_an_advisory_sign_off_never_blocks(world: World) -> None:
    await prepared(world, **{".github/referee.yml": policy(more="  mode: advisory\n")})
    async with world.bot():
        pull = await opened(world)
        assert gate(pull) == ("neutral", WAITING[1])


async def test_what_strangers_sign_costs_no_write(world: World) -> None:
    await prepared(world)
    async with world.bot():
        pull = await opened(world)
        await sign(world, pull)
        before = len(world.github.writes)
        await sign(world, pull, "mallory", filled("mallory"))
        assert len(world.github.writes) == before


async def test_each_assessment_has_a_comment_of_its_own(world: World) -> None:
    each = policy("architecture", "owner", more="  comment: each\n")
    await prepared(world, **{".github/referee.yml": each})
    async with world.bot():
        pull = await opened(world)
        assert assessments(pull) == []
        await sign(world, pull, "mallory")
        assert assessments(pull) == []
        await sign(world, pull)
        (first,) = assessments(pull)
        assert "@nina" not in first
        await pushed(world, **MORE)
        assert assessments(pull)[0] == first
        assert assessments(pull)[1].split("\n")[1] == "@nina"
        await say(world, pull, "/verify", "stranger")
        await sign(world, pull, "mallory", filled("mallory", "Once more."))
        assert len(assessments(pull)) == 2
        ours = [c.body for c in pull.comments if c.author.login == "referee[bot]"]
        assert "Sign-off" not in ours[0]


async def test_contributors_are_reminded_once(world: World) -> None:
    more = policy().replace("reminder: false", "reminder: true") + "languages: [en, zh]\n"
    await prepared(world, **{".github/referee.yml": more})
    async with world.bot():
        pull = await opened(world, draft=True)
        assert reminders(pull) == []
        await world.github.set_draft(pull, draft=False)
        await world.quiet()
        (said,) = reminders(pull)
        assert_golden("signoff/reminder.md", said + "\n")
        await pushed(world, **MORE)
        await world.github.delete_comment(pull.comments[-1], "author")
        await pushed(world, **README)
        assert reminders(pull) == []


async def test_a_sweep_that_turns_green_after_the_sign_off(world: World) -> None:
    await prepared(world, **{".github/referee.yml": policy("validation")})
    sweep = world.github.add_workflow(
        world.name, "run-sweep.yml", "Sweep", ["multi-node 8k1k / p1 | cedar"]
    )
    async with world.bot():
        pull = await opened(world)
        await sign(world, pull)
        assert gate(pull)[0] == "failure"
        verdict(pull, "no_sweep")
        run = await world.github.start_run(pull, sweep)
        await world.quiet()
        await world.github.finish_run(run)
        await world.quiet()
        assert gate(pull) == SIGNED
        verdict(pull, "sweep_green")


async def test_a_recipe_that_is_merged_later(world: World) -> None:
    upstream = "upstream/recipes"
    more = f"  recipes: {{sglang: ['{world.github.url}/{upstream}/']}}\n"
    await prepared(world, **{".github/referee.yml": policy("recipe", more=more)})
    await world.github.add_repository(upstream, world.repo.path, installed=False)
    number = await world.github.open_pull_request(upstream, "pr", "main")
    url = f"{world.github.url}/{upstream}/pull/{number}"
    async with world.bot():
        pull = await opened(world)
        await sign(world, pull, body=filled(details=f"Recipe: {url}"))
        verdict(pull, "recipe_open")
        assert gate(pull)[0] == "failure"
        await world.github.merge(world.github.pull_request(number, upstream), method="merge")
        await world.hour()  # it is another repository's, of which nobody tells
        assert gate(pull)[0] != "failure"
        await world.hour()
    verdict(pull, "recipe_merged")
    said = [c.body for c in pull.comments if c.body.startswith("<!-- referee:recipe")]
    assert [each.split("\n")[1] for each in said] == [
        f"The recipe `{url}` is merged. Nothing is missing any more."
    ]


@pytest.mark.parametrize("readable", [True, False], ids=["readable", "unreadable"])
async def test_strangers_cannot_crowd_out_what_an_owner_links(world: World, readable: bool) -> None:
    upstream = "upstream/recipes"
    more = f"  recipes: {{sglang: ['{world.github.url}/{upstream}/']}}\n"
    await prepared(world, **{".github/referee.yml": policy("recipe", more=more)})
    await world.github.add_repository(upstream, world.repo.path, installed=False)
    number = await world.github.open_pull_request(upstream, "pr", "main")
    await world.github.merge(world.github.pull_request(number, upstream), method="merge")
    address = f"{world.github.url}/{upstream}/pull"
    if not readable:  # then nobody knows that mallory is no member
        del world.github.state.teams["example/nvidia"]
    async with world.bot():
        pull = await opened(world)
        many = " ".join(f"{address}/{each}" for each in range(100, 120))
        await world.github.comment(pull, filled("mallory", details=many), "mallory")
        await sign(world, pull, body=filled(details=f"Recipe: {address}/{number}"))
        assert gate(pull)[0] == "success"
    asked = {each.path for each in world.github.requests if "/upstream/" in each.path}
    assert not readable or asked == {
        f"/repos/{upstream}/pulls/{number}{end}" for end in ("", "/files")
    }


async def test_a_defect_of_ours_is_no_pass_and_hides_no_review(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr("bot.hearing.Gatherer.facts", broken)
    await prepared(world)
    with structlog.testing.capture_logs():  # to print what all frames hold takes many seconds
        async with world.bot():
            pull = await opened(world)
        assert gate(pull) == ("action_required", "This commit could not be judged")
        assert "RuntimeError" in (pull.check_runs[0].summary or "")
        assert world.sticky(pull).split("\n")[1] == "### Referee: nothing to fix"


async def test_a_finding_that_a_maintainer_accepts_counts_no_more(world: World) -> None:
    cut = recipe("disagg-1p2d", "json-model-override-args: '{\"num_hidden_layers\": 2}'")
    await prepared(world)
    async with world.bot():
        pull = await opened(world)
        await pushed(world, **{FIRST: cut})
        await sign(world, pull)
        assert gate(pull)[0] == "failure"
        dismiss = "/dismiss recipe/architecture-override as published"
        assert await say(world, pull, dismiss, "otto") == "👀👍"  # who may write, but not override
        assert gate(pull)[0] == "failure"
        assert await say(world, pull, dismiss) == "👀👍"
        assert gate(pull) == SIGNED
        verdict(pull, "accepted")


async def test_a_chosen_run_whose_artifacts_expire(world: World) -> None:
    await prepared(world, **{".github/referee.yml": policy("reuse")})
    sweep = world.github.add_workflow(world.name, "run-sweep.yml", "Sweep", ["multi-node 8k1k /"])
    async with world.bot():
        pull = await opened(world)
        await sign(world, pull)
        run = await world.github.start_run(pull, sweep)
        world.github.add_artifact(run, "results_bmk", {"x.json": b"[]"})
        await world.github.finish_run(run)
        await world.quiet()
        await world.github.add_label(pull, "full-sweep-fail-fast")
        assert await say(world, pull, f"/use {run.id}") == "👀👍"
        assert gate(pull) == SIGNED
        world.github.expire_artifacts(run)
        await world.hour()  # GitHub tells nobody
        assert gate(pull)[0] == "failure"
        verdict(pull, "artifact_expired")


async def test_an_entry_that_is_appended_below_another_keeps_it(world: World) -> None:
    await prepared(world)
    async with world.bot():
        pull = await opened(world)
        await sign(world, pull)
        other = HISTORY + entry(900, "Another pull request")
        world.repo.commit("main", {CHANGELOG: other})
        await world.push("main")
        ours = other + entry(NUMBER, "Measure conc 32 too")
        world.repo.commit("again", {MASTER: master(8, 16, 32), CHANGELOG: ours}, start="main")
        await world.github.push(world.name, "pr", "again", source=world.repo.path)
        await world.quiet()
        assert gate(pull)[0] == "success"


async def test_what_a_rule_found_counts_until_somebody_else_accepts_it(world: World) -> None:
    shown = "Not met: Upstream images"
    await prepared(world, **{".github/referee.yml": policy("upstream-image")})
    async with world.bot(REFEREE_RECORD_FACTS="true"):
        pull = await opened(world)
        private = master(8, 16, 32).replace("lmsysorg/sglang:v0.9.9-cu130", "/shared/cedar.sqsh")
        await pushed(world, **{MASTER: private})
        await sign(world, pull)
        assert gate(pull) == ("failure", shown)
        await say(world, pull, "/dismiss image/not-public only this lab has it", "nina")
        assert gate(pull) == ("failure", shown)
        await say(world, pull, "/undismiss image/not-public")
        await say(world, pull, "/dismiss image/not-public only this lab has it")
        assert gate(pull) == SIGNED
    (file,) = (world.data_dir / "facts").iterdir()
    (kept,) = read_record(file.read_bytes())
    assert [each.by for each in kept.dismissed.values()] == ["maintainer"]
    assert (kept.number, kept.content.head) == (NUMBER, pull.head_sha)
