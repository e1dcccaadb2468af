"""What sign-offs need of GitHub: who edited a comment, who is in a team, commit statuses."""

from typing import Any

import pytest

from bot.sandbox import Sandbox
from bot.sandbox.state import PullRequest
from tests.gitkit import GitRepo
from tests.sandbox.conftest import NAME, Client

SAID = """
query($ids: [ID!]!) {
  nodes(ids: $ids) {
    id
    ... on IssueComment { editor { login } ...Edits }
    ... on PullRequestReview { commit { oid } url ...Reviewed }
    ... on PullRequestReviewComment { originalCommit { oid } ...Inline }
  }
}
fragment Edits on IssueComment {
  lastEditedAt userContentEdits(first: 10) { totalCount nodes { editor { login } } }
}
fragment Reviewed on PullRequestReview {
  lastEditedAt userContentEdits(first: 10) { totalCount nodes { editor { login } } }
}
fragment Inline on PullRequestReviewComment {
  lastEditedAt userContentEdits(first: 10) { totalCount nodes { editor { login } } }
}
"""


async def nodes(client: Client, *ids: str) -> Any:
    answer = await client.post("/graphql", {"query": SAID, "variables": {"ids": ids}})
    assert answer.status == 200
    return answer.body["data"]["nodes"]


def editors(node: Any) -> list[str]:
    return [each["editor"]["login"] for each in node["userContentEdits"]["nodes"]]


async def test_who_edited_a_comment_is_told_newest_first(
    client: Client, github: Sandbox, pull: PullRequest
) -> None:
    said = await github.comment(pull, "one", "ann")
    review = await github.review(pull, "one", "ann")
    (before,) = await nodes(client, f"IC_{said.id}")
    assert (before["lastEditedAt"], editors(before)) == (None, [])
    await github.edit_comment(said, "two", "eve")
    await github.edit_comment(said, "three", "ann")
    await github.edit_review(review, "two", "ann")
    after, reviewed, gone = await nodes(client, f"IC_{said.id}", f"PRR_{review.id}", "IC_0")
    assert (after["editor"]["login"], editors(after)) == ("ann", ["ann", "eve", "ann"])
    assert (reviewed["commit"]["oid"], editors(reviewed)) == (pull.head_sha, ["ann", "ann"])
    assert gone is None


async def test_an_inline_comment_knows_its_commit(
    client: Client, github: Sandbox, pull: PullRequest
) -> None:
    await client.review({"line": 10})
    answer = await github.reply(pull.threads[0], "mine", "ann")
    await github.edit_reply(answer, "mine too", "eve")
    (node,) = await nodes(client, f"PRRC_{answer.id}")
    assert node["originalCommit"]["oid"] == pull.head_sha
    assert editors(node) == ["eve", "ann"]


async def test_members_of_a_team(client: Client, github: Sandbox) -> None:
    github.set_team("example/AMD", "ann", "amy")
    listed = await client.get("/orgs/example/teams/amd/members?per_page=100")
    assert [each["login"] for each in listed.body] == ["ann", "amy"]
    for path in ("/orgs/example/teams/other/members", "/orgs/other/teams/amd/members"):
        assert (await client.get(path)).status == 404


@pytest.mark.parametrize("more", [{"description": "x" * 141}, {"context": ""}])
async def test_a_status_that_github_refuses(
    client: Client, pull: PullRequest, more: dict[str, str]
) -> None:
    path = f"/repos/{NAME}/statuses/{pull.head_sha}"
    assert (await client.post(path, {"state": "success", **more})).status == 422
    assert (await client.post(f"/repos/{NAME}/statuses/{'0' * 40}", {"state": "error"})).status == (
        422
    )


async def test_the_newest_status_of_a_context_counts(client: Client, pull: PullRequest) -> None:
    path = f"/repos/{NAME}/statuses/{pull.head_sha}"
    for state in ("pending", "success"):
        body = {"state": state, "context": "signoff", "description": state}
        assert (await client.post(path, body)).status == 201
    listed = await client.get(f"/repos/{NAME}/commits/{pull.head_sha}/statuses?per_page=100")
    assert [each["state"] for each in listed.body] == ["success", "pending"]
    assert pull.statuses["signoff"].state == "success"


async def test_a_context_takes_a_thousand_statuses(client: Client, pull: PullRequest) -> None:
    path, body = f"/repos/{NAME}/statuses/{pull.head_sha}", {"state": "success", "context": "c"}
    await client.post(path, body)
    (one,) = pull.repository.statuses
    pull.repository.statuses += [one] * 999
    assert (await client.post(path, body)).status == 422


async def test_public_pull_requests_can_be_read_by_everybody(
    client: Client, github: Sandbox, clone: GitRepo
) -> None:
    await github.add_repository("upstream/recipes", clone.path, installed=False)
    number = await github.open_pull_request("upstream/recipes", "feature", "main")
    path = f"/repos/upstream/recipes/pulls/{number}"
    assert (await client.get(path)).body["merged"] is False
    files = (await client.get(f"{path}/files?per_page=100")).body
    assert files
    assert all(each["patch"].startswith("@@ ") for each in files)
    assert (await client.get("/repos/upstream/recipes/pulls/99")).status == 404
