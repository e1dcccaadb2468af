"""How the API answers: pages, ETags, limits, what it does not know."""

import re

import pytest

from bot.sandbox import Sandbox
from bot.sandbox.state import PullRequest
from tests.sandbox.conftest import NAME, Client

COMMENTS = f"/repos/{NAME}/issues/1/comments"


async def test_an_etag_saves_the_body_and_the_limit(client: Client, github: Sandbox) -> None:
    first = await client.get(f"/repos/{NAME}/pulls/1")
    seen = {"If-None-Match": first.headers["ETag"]}
    second = await client.get(f"/repos/{NAME}/pulls/1", headers=seen)
    assert (second.status, second.body) == (304, None)
    used = "x-ratelimit-used"
    assert second.headers[used] == first.headers[used]
    await github.edit(1, title="Another title")
    third = await client.get(f"/repos/{NAME}/pulls/1", headers=seen)
    assert (third.status, third.body["title"]) == (200, "Another title")


async def test_every_answer_carries_the_rate_limit(client: Client) -> None:
    for path, status in (("/pulls/1", 200), ("/pulls/9", 404)):
        answer = await client.get(f"/repos/{NAME}{path}")
        assert answer.status == status
        limit, left, used = (
            int(answer.headers[f"x-ratelimit-{name}"]) for name in ("limit", "remaining", "used")
        )
        assert limit == left + used == 5000
        assert answer.headers["x-ratelimit-resource"] == "core"


async def test_lists_come_in_pages(client: Client, github: Sandbox) -> None:
    for number in range(5):
        await github.comment(1, f"comment {number}")
    answer = await client.get(f"{COMMENTS}?per_page=2")
    assert [it["body"] for it in answer.body] == ["comment 0", "comment 1"]
    seen = list(answer.body)
    while match := re.search(r'<([^>]+)>; rel="next"', answer.headers.get("Link", "")):
        answer = await client.get(match[1].removeprefix(github.api_url))
        seen += answer.body
    assert [it["body"] for it in seen] == [f"comment {number}" for number in range(5)]
    assert 'rel="first"' in answer.headers["Link"]
    assert 'rel="last"' not in answer.headers["Link"]


async def test_a_page_holds_at_most_a_hundred(client: Client, github: Sandbox) -> None:
    github.webhook_url = None
    for number in range(101):
        await github.comment(1, str(number))
    assert len((await client.get(COMMENTS)).body) == 30
    assert len((await client.get(f"{COMMENTS}?per_page=100")).body) == 100


async def test_open_pull_requests_newest_first(client: Client, github: Sandbox) -> None:
    second = await github.open_pull_request(NAME, "feature", "main", number=2376)
    assert second == 2376
    listed = await client.get(f"/repos/{NAME}/pulls?state=open&per_page=100")
    assert [it["number"] for it in listed.body] == [2376, 1]
    await github.close(1)
    listed = await client.get(f"/repos/{NAME}/pulls?state=closed")
    assert [it["number"] for it in listed.body] == [1]
    third = await github.open_pull_request(NAME, "feature", "main")
    assert third == 2377


async def test_a_commit_knows_its_pull_requests(
    client: Client, github: Sandbox, pull: PullRequest
) -> None:
    path = f"/repos/{NAME}/commits/{{}}/pulls"
    found = await client.get(path.format(pull.head_sha))
    assert [it["number"] for it in found.body] == [1]
    assert (await client.get(path.format(pull.base_sha))).body == []
    unknown = await client.get(path.format("f" * 40))
    assert (unknown.status, "No commit found" in unknown.message) == (422, True)


async def test_a_pull_request_counts_its_diff(client: Client) -> None:
    body = (await client.get(f"/repos/{NAME}/pulls/1")).body
    counts = {key: body[key] for key in ("additions", "deletions", "changed_files", "commits")}
    assert counts == {"additions": 2, "deletions": 2, "changed_files": 1, "commits": 1}
    assert body["head"]["repo"]["full_name"] == NAME


async def test_labels_are_made_on_the_way(client: Client, pull: PullRequest) -> None:
    path = f"/repos/{NAME}/issues/1/labels"
    added = await client.post(path, {"labels": ["full sweep", "NVIDIA", "nvidia"]})
    assert [it["name"] for it in added.body] == ["full sweep", "NVIDIA"]
    removed = await client.call("DELETE", f"{path}/full%20sweep")
    assert [it["name"] for it in removed.body] == ["NVIDIA"]
    again = await client.call("DELETE", f"{path}/full%20sweep")
    assert (again.status, again.message) == (404, "Label does not exist")
    assert [it["name"] for it in (await client.get(path)).body] == ["NVIDIA"]


async def test_a_repository_has_labels_that_nothing_wears(client: Client, sandbox: Sandbox) -> None:
    path = f"/repos/{NAME}/labels"
    assert (await client.get(path)).body == []
    sandbox.make_label(NAME, "sweep")
    assert [it["name"] for it in (await client.get(path)).body] == ["sweep"]


@pytest.mark.malformed
@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        (b"{", 400, "Problems parsing JSON"),
        (b"\xff", 400, "Problems parsing JSON"),
        ([1], 400, "Body should be a JSON object"),
        ({}, 422, '"body" wasn\'t supplied.'),
        ({"body": 5}, 422, "For 'body'"),
    ],
)
async def test_a_bad_body_is_refused(
    client: Client, pull: PullRequest, body: object, status: int, message: str
) -> None:
    answer = await client.post(COMMENTS, body)
    assert (answer.status, message in answer.message) == (status, True)
    assert pull.comments == []


@pytest.mark.malformed
async def test_what_it_does_not_know_is_404_and_noted(client: Client, github: Sandbox) -> None:
    answer = await client.get(f"/repos/{NAME}/stargazers")
    assert answer.status == 404
    (noted,) = github.rejected
    assert (noted.template, noted.path) == (None, f"/repos/{NAME}/stargazers")


async def test_the_log_keeps_writes_apart(client: Client, github: Sandbox) -> None:
    await client.get(f"/repos/{NAME}")
    await client.post(COMMENTS, {"body": "x"})
    await client.post(COMMENTS, {"body": ""})
    mutation = 'mutation { resolveReviewThread(input: {threadId: "x"}) { thread { id } } }'
    await client.post("/graphql", {"query": mutation})
    await client.post("/graphql", {"query": "{ rateLimit { cost } }"})
    kept = [(it.method, it.path, it.status) for it in github.writes]
    written = ("POST", f"{COMMENTS}")
    assert kept == [(*written, 201), (*written, 422), ("POST", "/graphql", 200)]
    assert github.writes[0].body == {"body": "x"}
    assert github.writes[0].template == "/repos/{owner}/{repo}/issues/{issue_number}/comments"
    assert [it.status for it in github.rejected] == [422]
    assert all("Authorization" not in it.headers for it in github.requests)
