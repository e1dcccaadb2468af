"""Trouble on demand."""

import asyncio
import time

import aiohttp
import pytest

from bot.sandbox import Sandbox, faults
from bot.sandbox.state import PullRequest
from tests.sandbox.conftest import NAME, Client

COMMENTS = f"/repos/{NAME}/issues/1/comments"
GET = ("GET", r"/pulls/\d+$")
POST = ("POST", "/comments$")


@pytest.mark.parametrize(
    ("action", "status", "retry_after"),
    [
        (faults.status(502), 502, None),
        (faults.status(500, "Oops"), 500, None),
        (faults.secondary_limit(60), 403, "60"),
        (faults.too_many(7), 429, "7"),
        (faults.unprocessable(), 422, None),
    ],
)
async def test_an_answer_is_made_up(
    client: Client,
    github: Sandbox,
    pull: PullRequest,
    action: faults.Action,
    status: int,
    retry_after: str | None,
) -> None:
    fault = github.faults.add(POST, action, times=2)
    for expected in (status, status, 201):
        answer = await client.post(COMMENTS, {"body": "x"})
        assert answer.status == expected
    assert fault.hits == 2
    assert len(pull.comments) == 1
    assert github.requests[-2].injected
    assert github.rejected == []
    assert (await client.get(f"/repos/{NAME}/pulls/1")).status == 200
    assert github.requests[-3].answer_headers.get("retry-after") == retry_after


@pytest.mark.parametrize("action", [faults.reset(), faults.no_answer(0.05)])
async def test_no_work_and_no_answer(
    client: Client, github: Sandbox, pull: PullRequest, action: faults.Action
) -> None:
    github.faults.add(POST, action)
    with pytest.raises(aiohttp.ClientError):
        await client.post(COMMENTS, {"body": "x"})
    assert pull.comments == []
    assert (github.requests[-1].status, github.requests[-1].lost) == (0, True)


async def test_the_work_is_done_and_the_answer_lost(
    client: Client, github: Sandbox, pull: PullRequest
) -> None:
    github.faults.add(POST, faults.answer_lost())
    with pytest.raises(aiohttp.ClientError):
        await client.post(COMMENTS, {"body": "x"})
    assert len(pull.comments) == 1
    assert (github.writes[-1].status, github.writes[-1].lost) == (201, True)


async def test_a_delay_only_delays(client: Client, github: Sandbox) -> None:
    github.faults.add(GET, faults.delayed(0.1))
    began = time.perf_counter()
    assert (await client.get(f"/repos/{NAME}/pulls/1")).status == 200
    assert time.perf_counter() - began >= 0.1


async def test_something_happens_around_a_request(
    client: Client, github: Sandbox, pull: PullRequest
) -> None:
    seen: list[str] = []

    async def rename() -> None:
        seen.append("before")
        await github.edit(1, title="Moved")

    github.faults.add(GET, faults.before(rename))
    github.faults.add(GET, faults.after(lambda: seen.append(pull.title)))
    first = await client.get(f"/repos/{NAME}/pulls/1")
    assert (first.body["title"], seen) == ("Moved", ["before"])
    await client.get(f"/repos/{NAME}/pulls/1")
    assert seen == ["before", "Moved"]


async def test_methods_match_whole_and_paths_anywhere(client: Client, github: Sandbox) -> None:
    github.faults.add(("GE", "."), faults.status(500))
    github.faults.add(("GET|POST", "^/graphql$"), faults.status(503), times=None)
    assert (await client.get(f"/repos/{NAME}")).status == 200
    for _ in range(3):
        query = {"query": "{ rateLimit { cost } }"}
        assert (await client.post("/graphql", query)).status == 503
    github.faults.clear()
    assert (await client.post("/graphql", query)).status == 200


async def test_git_fails_too(client: Client, github: Sandbox) -> None:
    github.faults.add(("GET", "info/refs"), faults.status(500))
    github.faults.add(("GET", "info/refs"), faults.reset(), times=2)  # aiohttp asks twice
    url = f"{github.url}/{NAME}.git/info/refs?service=git-upload-pack"
    async with client.session.get(url) as response:
        assert response.status == 500
    with pytest.raises(aiohttp.ClientError):
        await client.session.get(url)
    async with client.session.get(url) as response:
        assert response.status == 401


async def test_a_fault_hits_one_of_two_requests_at_once(client: Client, github: Sandbox) -> None:
    github.faults.add(GET, faults.status(500), times=1)
    path = f"/repos/{NAME}/pulls/1"
    answers = await asyncio.gather(client.get(path), client.get(path))
    assert sorted(answer.status for answer in answers) == [200, 500]
