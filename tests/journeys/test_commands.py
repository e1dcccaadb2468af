"""What people type at the bot, and what comes of it."""

import base64
import json
import re
from dataclasses import replace

import pytest

from bot.sandbox.reactions import EMOJI
from bot.sandbox.shapes.accounts import app as shape_of_app
from bot.sandbox.state import IssueComment, PullRequest, Review, ReviewComment
from tests.journeys.conftest import World, counts
from tests.journeys.policies import FIRST, POLICY
from tests.journeys.test_review import third_conversation

NUMBER = 1001
Words = IssueComment | Review | ReviewComment
_ANSWER = re.compile(r"<!-- referee:answer [0-9a-f]{16} -->\n")


async def opened(world: World, **more: object) -> PullRequest:
    """Open the third public conversation's pull request: two blocking findings of one rule."""
    third_conversation(world)
    world.github.set_role("maintainer", "maintain")
    return await world.open(number=NUMBER, **more)


def emoji(said: Words) -> str:
    """Return the reactions to a comment, which only the bot makes here."""
    return "".join(EMOJI[it.content] for it in said.reactions)


def answers(pull: PullRequest) -> list[str]:
    """Return what the bot answered to commands, without its mark."""
    every = [*pull.comments, *(c for thread in pull.threads for c in thread.comments)]
    return [
        _ANSWER.sub("", c.body)
        for c in sorted(every, key=lambda c: c.id)
        if _ANSWER.match(c.body) and c.author.login == "referee[bot]"
    ]


async def say(world: World, pull: PullRequest, body: str, author: str = "maintainer") -> str:
    """Say something; return the bot's reactions to it and what it answered."""
    before = len(answers(pull))
    said = await world.github.comment(pull, body, author)
    await world.quiet()
    return " ".join([emoji(said), *answers(pull)[before:]])


def check(pull: PullRequest) -> str | None:
    """Return the conclusion of the newest review."""
    return [run for run in pull.check_runs if run.name == "referee/review"][-1].conclusion


def fingerprints(pull: PullRequest) -> list[str]:
    """Return the fingerprints that the inline comments show."""
    return [c.comments[0].body.split("fingerprint=")[1][:16] for c in pull.threads]


async def test_findings_are_dismissed_and_counted_again(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        one, two = fingerprints(pull)
        rule = "draft-model/kv-cache-below-target"
        title = "The draft model's KV cache is below the target's"
        assert await say(world, pull, f"/dismiss {rule} as shipped") == (
            f"👀😕 `{rule}` means several findings; name one of them.\n\n"
            f"- `{one[:7]}`: {title} (`{FIRST}:21`)\n"
            f"- `{two[:7]}`: {title} (`{FIRST.replace('1p2d', '2p1d')}:21`)"
        )
        assert await say(world, pull, f"So:\n/dismiss {one[:7]} it is *as shipped*") == "👀👍"
        assert counts(world.sticky(pull)).startswith("1 open:")
        assert check(pull) == "failure"
        said = "☑️ Dismissed by `maintainer`: `it is *as shipped*`"
        assert said in pull.threads[0].comments[0].body
        assert await say(world, pull, f"/dismiss {rule} the other too") == (
            f"👀😕 `{rule}` means several findings; name one of them.\n\n"
            f"- `{one[:7]}`: {title} (`{FIRST}:21`)\n"
            f"- `{two[:7]}`: {title} (`{FIRST.replace('1p2d', '2p1d')}:21`)"
        )
        assert await say(world, pull, f"/dismiss `{two}` the other too") == "👀👍"
        assert counts(world.sticky(pull)).startswith("0 open:")
        assert check(pull) == "success"
        assert await say(world, pull, f"/undismiss {rule}") == "👀👍"
        assert counts(world.sticky(pull)).startswith("2 open:")
        assert check(pull) == "failure"
        assert said not in pull.threads[0].comments[0].body
        assert await say(world, pull, f"/undismiss {rule}") == (
            f"👀😕 No finding called `{rule}` is dismissed."
        )
    assert world.github.rejected == []


async def test_decisions_survive_a_lost_database(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        await say(world, pull, f"/dismiss {fingerprints(pull)[0]} as shipped")
    world.lose_database()
    async with world.bot():
        assert await say(world, pull, "/check") == "👀🚀"
        assert counts(world.sticky(pull)).startswith("1 open:")
        assert await say(world, pull, f"/undismiss {fingerprints(pull)[0]}") == "👀👍"
        assert counts(world.sticky(pull)).startswith("2 open:")


async def test_an_override_holds_until_the_next_push(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        assert await say(world, pull, "/override review: the cluster waits") == "👀👍"
        assert check(pull) == "neutral"
        assert "overridden for this commit by `maintainer`" in world.sticky(pull)
        world.repo.commit("pr", {"README.md": "# Cedar\n"})
        await world.push()
        assert check(pull) == "failure"
        assert "overridden" not in world.sticky(pull)


def memory(world: World, pull: PullRequest) -> str:
    """Return what the sticky comment remembers of decisions."""
    return next(x for x in world.sticky(pull).split("\n") if x.startswith("<!-- referee:decisions"))


async def put_memory(world: World, pull: PullRequest, wanted: str) -> None:
    """Let somebody with the role `write` put another memory into our comment."""
    body = world.sticky(pull)
    (comment,) = [c for c in pull.comments if c.body == body]
    changed = body.replace(memory(world, pull), wanted) if "decisions" in body else body + wanted
    await world.github.edit_comment(comment, changed, "writer")


async def test_an_override_survives_a_lost_database_unless_its_memory_was_edited(
    world: World,
) -> None:
    async with world.bot():
        pull = await opened(world)
        assert await say(world, pull, "/override review: the cluster waits") == "👀👍"
    kept = memory(world, pull)
    _, _, content, signature, _ = kept.split(" ")
    other = base64.b64decode(content).replace(b"waits", b"sleeps")
    forged = f"<!-- referee:decisions {base64.b64encode(other).decode()} {signature} -->"
    for wanted, conclusion in ((forged, "failure"), (kept, "neutral")):
        world.lose_database()
        await put_memory(world, pull, wanted)
        async with world.bot():
            assert await say(world, pull, "/check") == "👀🚀"
            assert check(pull) == conclusion


async def test_a_memory_of_another_pull_request_is_not_believed(world: World) -> None:
    third_conversation(world)
    world.repo.branch("twin", "pr")
    world.github.set_role("maintainer", "maintain")
    async with world.bot():
        pull = await world.open(number=NUMBER)
        twin = await world.open("twin", number=NUMBER + 1)
        assert await say(world, pull, "/override review: the cluster waits") == "👀👍"
    assert twin.head_sha == pull.head_sha
    assert "overridden" not in world.sticky(twin)
    world.lose_database()
    await put_memory(world, twin, memory(world, pull))
    async with world.bot():
        for each, believed in ((pull, True), (twin, False)):
            assert await say(world, each, "/check") == "👀🚀"
            assert ("overridden" in world.sticky(each)) is believed


async def test_fixes_are_committed(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        before = pull.head_sha
        assert await say(world, pull, "/fix changelog/*") == (
            "👀👍 No finding can be fixed mechanically."
        )
        assert pull.head_sha == before
        assert await say(world, pull, "/fix") == "👀👍"
        assert pull.head_sha != before
        assert counts(world.sticky(pull)).startswith("0 open:")


@pytest.mark.parametrize(
    ("author", "role", "answer"),
    [
        ("stranger", "read", "it needs the role `write`, and GitHub says `read`."),
        ("triager", "triage", "it needs the role `write`, and GitHub says `triage`."),
        ("ghost", "none", "it needs the role `write`, and GitHub says `none`."),
    ],
)
async def test_who_may_not_is_told_so(world: World, author: str, role: str, answer: str) -> None:
    async with world.bot():
        pull = await opened(world)
        world.github.set_role(author, role)  # type: ignore[arg-type]
        found = await say(world, pull, f"/dismiss {fingerprints(pull)[0]} x", author)
        assert found == f"👀😕 `{author}` may not use `/dismiss`: {answer}"
        assert counts(world.sticky(pull)).startswith("2 open:")


async def test_roles_decide_and_association_does_not(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        repository = pull.repository
        repository.associations |= {"insider": "CONTRIBUTOR", "member": "MEMBER"}
        world.github.set_role("insider", "write")
        world.github.set_role("member", "read")
        one = fingerprints(pull)[0]
        assert (await say(world, pull, f"/dismiss {one} x", "member")).startswith("👀😕 `member`")
        assert await say(world, pull, f"/dismiss {one} x", "insider") == "👀👍"


async def test_every_place_where_people_talk_is_read(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        summary = await world.github.review(pull, "LGTM\n/explain no/rule")
        inline = await world.github.reply(pull.threads[0], "/explain no/rule")
        await world.quiet()
        assert emoji(summary) == emoji(inline) == "👀😕"
        of_summary, of_inline = answers(pull)
        assert of_summary == of_inline
        assert of_summary.startswith("`no/rule`, argument 1, is wrong: ")
        assert pull.threads[0].comments[-1].body.endswith(of_inline)


async def test_an_edit_runs_what_is_new_and_only_for_its_author(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        github, (one, two) = world.github, fingerprints(pull)
        said = await github.comment(pull, f"/dismiss {one} x")
        await world.quiet()
        await github.edit_comment(said, f"/dismiss {one} x ")
        await github.edit_comment(said, f"/dismiss {one}  x\n\nSee above.")
        await world.quiet()
        assert answers(pull) == []
        github.set_role("writer", "write")
        await github.edit_comment(said, f"/dismiss {one} x\n/dismiss {two} y", editor="writer")
        await world.quiet()
        assert answers(pull) == [
            "`writer` edited what `maintainer` wrote; only `maintainer` can give commands there."
        ]
        assert counts(world.sticky(pull)).startswith("1 open:")
        await github.edit_comment(said, f"/dismiss {two} y")
        await world.quiet()
        assert counts(world.sticky(pull)).startswith("1 open:"), "it stood there already"
        await github.edit_comment(said, "never mind")
        await github.edit_comment(said, f"/dismiss {two} y")
        await world.quiet()
        assert counts(world.sticky(pull)).startswith("0 open:")
        await github.delete_comment(said)
        await world.quiet()
        assert counts(world.sticky(pull)).startswith("0 open:")


async def test_a_misspelt_command_is_told_and_never_run(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        assert await say(world, pull, "/chekc") == (
            "👀😕 There is no command `/chekc`; did you mean `/check`? Nothing was done."
        )
        assert await say(world, pull, "/lgtm\n/usr/bin/env") == ""
        assert await say(world, pull, "```\n/check\n```\n> /check\n\n<!-- \n/check\n-->") == ""


async def test_bots_give_commands_only_when_the_policy_names_their_app(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        robot = world.github.state.account("robot[bot]", "Bot")
        assert await say(world, pull, "/check", robot.login) == ""
        assert await say(world, pull, "/check", "referee[bot]") == ""
        allowed = POLICY + "allowed-apps: {4242: write}\n"
        world.repo.commit("main", {".github/referee.yml": allowed})
        await world.push("main")
        for app, told in ((4243, ""), (4242, "👍")):
            said = await by_app(world, pull, f"/dismiss {fingerprints(pull)[0]} x", app)
            assert emoji(said) == told
        said = await by_app(world, pull, "/ok-to-sweep", 4242)
        assert answers(pull) == [
            (
                "`robot[bot]` may not use `/ok-to-sweep`: it needs the role `maintain`, and the"
                " policy gives it `write`."
            )
        ]


async def by_app(world: World, pull: PullRequest, body: str, app: int) -> IssueComment:
    """Let another App say something."""
    world.github.webhook_url, url = None, world.github.webhook_url
    said = await world.github.comment(pull, body, "robot[bot]")
    world.github.webhook_url = url
    lost = [d for d in world.github.deliveries if d.event == "issue_comment"][-1]
    via = {**shape_of_app(world.github.state), "id": app}
    comment = {**lost.payload["comment"], "performed_via_github_app": via}
    payload = {**lost.payload, "comment": comment}
    await world.hook_again(replace(lost, payload=payload, body=json.dumps(payload).encode()))
    await world.quiet()
    return said


async def test_one_comment_told_by_two_hooks_runs_once(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        said = await world.github.comment(pull, "/explain changelog/pr-link")
        first = [d for d in world.github.deliveries if d.event == "issue_comment"][-1]
        await world.github.redeliver(first)
        await world.hook_again(first)
        await world.quiet()
        assert len(answers(pull)) == 1
        assert emoji(said) == "👀👍"
        assert "### changelog/pr-link" in answers(pull)[0]


async def test_several_commands_are_each_acknowledged(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        found = await say(world, pull, "/check\r\n/explain no/rule\r\n/override nothing: x\rTa")
        assert found.startswith("👀😕🚀 **`/explain no/rule`**\n\n`no/rule`, argument 1, is wrong")
        assert "**`/override nothing: x`**\n\n`nothing:`, argument 1, is wrong" in found


async def test_help_lists_what_runs_for_you(world: World) -> None:
    third_conversation(world)
    world.github.set_role("maintainer", "maintain")
    world.github.set_role("stranger", "read")
    head = world.repo.log("pr")[0]
    await world.github.add_repository("stranger/bench", world.repo.path, installed=False)
    await world.github.push("stranger/bench", "pr", head, source=world.repo.path, pusher="stranger")
    async with world.bot():
        pull = await world.open(number=NUMBER, head_repo="stranger/bench", author="stranger")
        mine, theirs = await helped(world, pull, "stranger"), await helped(world, pull)
        assert {"check", "fix", "cancel"} < mine
        assert "dismiss" not in mine
        assert mine < theirs


async def test_opening_a_pull_request_from_a_branch_gives_no_rights_on_it(world: World) -> None:
    world.github.set_role("member", "read")
    async with world.bot():
        pull = await opened(world, author="member")
        assert await helped(world, pull, "member") == {"explain", "help", "status", "verify"}
        assert await say(world, pull, "/fix", "member") == (
            "👀😕 `member` may not use `/fix`: it needs the role `write`, and GitHub says `read`."
        )
        assert [push.pusher.login for push in pull.pushes] == []


async def helped(world: World, pull: PullRequest, who: str = "maintainer") -> set[str]:
    """Return the commands that `/help` lists for somebody."""
    return set(re.findall(r"^- `/([a-z-]+)", await say(world, pull, "/help", who), re.MULTILINE))


async def test_a_stranger_is_not_heard_without_end(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.commander.MOST_OF_A_STRANGER", 2)
    world.github.set_role("stranger", "read")
    async with world.bot():
        pull = await opened(world)
        said = [await say(world, pull, "/explain no/rule", "stranger") for _ in range(4)]
        assert [each[:2] for each in said] == ["👀😕", "👀😕", " `", ""]
        assert "more than 2 comments within an hour" in said[2]
        assert await say(world, pull, "/check", "maintainer") == "👀🚀"
        for _ in range(3):
            assert await say(world, pull, "/explain changelog/pr-link") != ""


async def test_a_closed_pull_request_takes_no_orders(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        await world.github.close(pull)
        assert await say(world, pull, "/check") == "👀😕 This pull request is closed."
        assert (await say(world, pull, "/help")).startswith("👀👍 ")


async def test_the_state_at_a_glance(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        await say(world, pull, f"/dismiss {fingerprints(pull)[0]} as shipped")
        sticky = next(c for c in pull.comments if c.author.login == "referee[bot]")
        assert await say(world, pull, "/status") == (
            f"👀👍 `{pull.head_sha[:7]}` is reviewed:\n\n"
            f"- `dismissed`: `{fingerprints(pull)[0]}`, by `maintainer`: `as shipped`\n\n"
            "🔴 blocking: 1 · 🟡 warnings: 0 · 🔵 notes: 0\n\n"
            f"{world.github.url}/{world.name}/pull/{NUMBER}#issuecomment-{sticky.id}"
        )


async def test_the_checklist_is_posted_to_copy(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        assert await say(world, pull, "/signoff") == (
            "👀😕 This repository has no checklist to sign."
        )
        page = "inferencex-e2e/docs/PR_REVIEW_CHECKLIST.md"
        world.repo.commit("main", {page: "I have reviewed:\r\n- [ ] it ```all```\r\n"})
        await world.push("main")
        assert await say(world, pull, "/signoff") == (
            f"👀👍 This is the checklist of `main` (`{page}`). Copy it, tick what you have"
            " reviewed, and post it as a comment of your own.\n\n"
            "````markdown\nI have reviewed:\n- [ ] it ```all```\n````"
        )


async def test_answers_that_no_comment_holds_are_asked_for_one_by_one(world: World) -> None:
    async with world.bot():
        pull = await opened(world)
        page = "inferencex-e2e/docs/PR_REVIEW_CHECKLIST.md"
        world.repo.commit("main", {page: "I have reviewed:\n" + "- [ ] everything in it\n" * 800})
        await world.push("main")
        found = await say(world, pull, "/signoff\n" * 20)
        assert found.startswith("👀👍 **`/signoff`**\n\nThis is the checklist")
        assert found.count("**`/signoff`**") == 20
        assert found.count("This is the checklist of `main`") == 2
        assert found.count("There is no room for this answer here.") == 18
    assert world.github.rejected == []
