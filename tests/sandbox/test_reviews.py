"""Reviews and comments: what GitHub would show, and what it refuses."""

from typing import Any

import pytest

from bot.sandbox import Sandbox
from bot.sandbox.state import PullRequest
from tests.gitkit import Content, GitRepo
from tests.sandbox.conftest import NAME, PATH, Client, changed

LINE = "Line could not be resolved"
SAME_HUNK = "Pull request review thread start line must be part of the same hunk as the line."
LONG = "Body is too long (maximum is 65536 characters)"


@pytest.mark.parametrize(
    "comment",
    [
        {"line": 10},
        {"line": 7},
        {"line": 13},
        {"line": 10, "side": "LEFT"},
        {"line": 12, "start_line": 8, "start_side": "RIGHT", "side": "RIGHT"},
        {"line": 10, "start_line": 10, "start_side": "LEFT", "side": "RIGHT"},
    ],
)
async def test_lines_inside_a_hunk_are_taken(
    client: Client, pull: PullRequest, comment: dict[str, Any]
) -> None:
    answer = await client.review(comment)
    assert (answer.status, answer.body["state"]) == (200, "COMMENTED")
    (thread,) = pull.threads
    assert (thread.line, thread.start_line) == (comment["line"], comment.get("start_line"))
    assert thread.comments[0].author.login == "referee[bot]"


@pytest.mark.parametrize(
    ("comment", "error"),
    [
        ({"line": 6}, LINE),
        ({"line": 14}, LINE),
        ({"line": 20}, LINE),
        ({"line": 4000}, LINE),
        ({"line": 0}, LINE),
        ({"line": 20, "side": "LEFT"}, LINE),
        ({"line": 1, "path": "README.md"}, "Path could not be resolved"),
        ({"line": 1, "path": "none"}, "Path could not be resolved"),
        ({}, LINE),
        ({"line": 10, "start_line": 10}, "Start line must precede the end line."),
        ({"line": 10, "start_line": 11}, "Start line must precede the end line."),
        ({"line": 30, "start_line": 10}, SAME_HUNK),
        ({"line": 10, "start_line": 1}, SAME_HUNK),
        ({"line": 10, "body": "x" * 65_537}, LONG),
        ({"line": 10, "body": " \n"}, "Body can't be blank"),
    ],
)
async def test_one_bad_comment_refuses_the_whole_review(
    client: Client, pull: PullRequest, comment: dict[str, Any], error: str
) -> None:
    answer = await client.review({"line": 10}, comment)
    assert (answer.status, answer.message) == (422, "Unprocessable Entity")
    assert answer.body["errors"] == [error]
    assert (pull.reviews, pull.threads) == ([], [])


async def test_a_review_needs_something_to_say(client: Client, pull: PullRequest) -> None:
    assert (await client.review(body="")).body["errors"] == ["Body can't be blank"]
    assert (await client.review(body="x" * 65_537)).body["errors"] == [LONG]
    assert (await client.review(body="x" * 65_536)).status == 200
    without_event = await client.post(f"/repos/{NAME}/pulls/1/reviews", {"body": "x"})
    assert (without_event.status, '"event"' in without_event.message) == (422, True)
    assert len(pull.reviews) == 1


async def test_an_older_commit_of_the_pull_request_may_be_reviewed(
    client: Client, github: Sandbox, clone: GitRepo, pull: PullRequest
) -> None:
    old = pull.head_sha
    clone.commit("feature", {PATH: "new first\n" + changed(l10="changed ten\n")})
    await github.push(NAME, "feature", "feature", source=clone.path)
    assert (await client.review({"line": 30}, commit_id=old)).status == 200
    assert (await client.review({"line": 31}, commit_id=old)).status == 200
    answer = await client.review({"line": 31})
    assert answer.body["errors"] == [LINE]
    assert [thread.outdated for thread in pull.threads] == [True, True]
    (first, _) = pull.threads
    assert first.diff_hunk.endswith("+changed thirty")


async def test_a_commit_that_was_pushed_away_may_not(
    client: Client, github: Sandbox, clone: GitRepo, pull: PullRequest
) -> None:
    old = pull.head_sha
    clone.commit("other", {PATH: changed(l10="changed ten\n")}, start="main")
    await github.push(NAME, "feature", "other", source=clone.path)
    answer = await client.review({"line": 10}, commit_id=old)
    assert answer.body["errors"] == ["The commit_id is not part of the pull request"]
    assert (await client.review({"line": 10}, commit_id="f" * 40)).status == 422


async def test_the_diff_starts_at_the_merge_base(
    client: Client, github: Sandbox, clone: GitRepo, pull: PullRequest
) -> None:
    clone.commit("main", {PATH: changed(l20="on main\n")})
    await github.push(NAME, "main", "main", source=clone.path)
    clone.commit("feature", {PATH: changed(l10="ten again\n")})
    await github.push(NAME, "feature", "feature", source=clone.path)
    assert (await client.review({"line": 10})).status == 200
    assert (await client.review({"line": 20})).status == 422


async def test_a_renamed_file_is_commented_under_its_new_name(
    client: Client, github: Sandbox, clone: GitRepo
) -> None:
    moved: Content = {PATH: None, "configs/moved é.yaml": changed(l10="changed ten\n")}
    clone.commit("feature", moved)
    await github.push(NAME, "feature", "feature", source=clone.path)
    assert (await client.review({"line": 10, "path": "configs/moved é.yaml"})).status == 200
    assert (await client.review({"line": 20, "path": "configs/moved é.yaml"})).status == 422
    assert (await client.review({"line": 10})).body["errors"] == ["Path could not be resolved"]


async def test_comments_are_listed_and_shown_as_the_apps(client: Client) -> None:
    await client.review({"line": 10}, {"line": 30})
    listed = (await client.get(f"/repos/{NAME}/pulls/1/comments")).body
    assert [(it["line"], it["side"]) for it in listed] == [(10, "RIGHT"), (30, "RIGHT")]
    assert {(it["user"]["login"], it["user"]["type"]) for it in listed} == {("referee[bot]", "Bot")}
    assert listed[0]["diff_hunk"].startswith("@@ -7,7 +7,7 @@")
    assert listed[0]["diff_hunk"].endswith("\n-line 10\n+changed ten")
    reviews = (await client.get(f"/repos/{NAME}/pulls/1/reviews")).body
    assert [it["body"] for it in reviews] == ["a review"]


async def test_an_issue_comment_is_posted_edited_and_marked_as_the_apps(
    client: Client, github: Sandbox
) -> None:
    made = (await client.post(f"/repos/{NAME}/issues/1/comments", {"body": "one"})).body
    assert made["performed_via_github_app"]["slug"] == github.slug
    path = f"/repos/{NAME}/issues/comments/{made['id']}"
    assert (await client.patch(path, {"body": "two"})).body["body"] == "two"
    assert (await client.get(path)).body["body"] == "two"
    for body in ("x" * 65_537, "界" * 65_537):
        refused = await client.patch(path, {"body": body})
        assert refused.status == 422
        assert refused.body["errors"][0]["message"] == LONG
    assert (await client.patch(path, {"body": "界" * 65_536})).status == 200


async def test_only_own_comments_may_be_edited(
    client: Client, github: Sandbox, pull: PullRequest
) -> None:
    await client.review({"line": 10})
    spoken = await github.comment(1, "mine", "somebody")
    replied = await github.reply(pull.threads[0], "no", "somebody")
    for path, theirs in (("issues", spoken), ("pulls", replied)):
        answer = await client.patch(f"/repos/{NAME}/{path}/comments/{theirs.id}", {"body": "x"})
        assert answer.status == 403
        assert theirs.body != "x"
    own = pull.threads[0].comments[0]
    path = f"/repos/{NAME}/pulls/comments/{own.id}"
    assert (await client.patch(path, {"body": "fixed"})).status == 200
    assert own.body == "fixed"
    assert (await client.patch(path, {"body": "x" * 65_537})).status == 422
    assert (await client.get(path)).body["body"] == "fixed"


async def test_a_deleted_comment_is_gone(
    client: Client, github: Sandbox, pull: PullRequest
) -> None:
    await client.review({"line": 10})
    made = (await client.post(f"/repos/{NAME}/issues/1/comments", {"body": "one"})).body
    await github.delete_comment(pull.comments[0])
    await github.delete_comment(pull.threads[0].comments[0])
    assert (pull.comments, pull.threads) == ([], [])
    path = f"/repos/{NAME}/issues/comments/{made['id']}"
    assert (await client.patch(path, {"body": "x"})).status == 404
