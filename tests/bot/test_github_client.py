from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable
from typing import Any

import aiohttp
import jwt
import pytest
from aiohttp import web

from bot.github import (
    ForeignHostError,
    GitHub,
    GitHubBusy,
    GitHubError,
    GitHubRefused,
    GitHubUnreachable,
    GraphQLError,
    pull_requests_at,
)
from bot.github import client as client_module
from bot.keys import PullRequestKey, ShaKey
from bot.settings import Settings

from .conftest import APP_ID

NOW = 1_800_000_000.0
NOON = "2027-01-15T09:00:00Z"  # an hour after NOW
REVIEW = "/repos/o/r/pulls/1/reviews"
Answer = Callable[[web.Request], Any]


class Edge:
    """Answers requests in the order of a script, and remembers them."""

    def __init__(self) -> None:
        self.script: list[Answer | web.StreamResponse] = []
        self.requests: list[tuple[str, str]] = []
        self.headers: list[dict[str, str]] = []
        self.bodies: list[bytes] = []
        self.tokens = 0
        self.token_answers: list[web.Response] = []

    async def respond(self, request: web.Request) -> web.StreamResponse:
        if request.path.endswith("/access_tokens"):
            self.tokens += 1
            if self.token_answers:
                return self.token_answers.pop(0)
            answer = {"token": f"ghs_token{self.tokens}", "expires_at": NOON}
            return web.json_response(answer, status=201)
        self.requests.append((request.method, request.path_qs))
        self.headers.append(dict(request.headers))
        self.bodies.append(await request.read())
        answer = self.script.pop(0)
        answer = answer(request) if callable(answer) else answer
        return await answer if inspect.isawaitable(answer) else answer


class Time:
    """A clock that sleeping moves."""

    def __init__(self) -> None:
        self.now = NOW
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 3))
        self.now += seconds
        await asyncio.sleep(0)


@pytest.fixture
def clock() -> Time:
    return Time()


@pytest.fixture
async def edge() -> AsyncIterator[Edge]:
    return Edge()


@pytest.fixture
async def base(edge: Edge) -> AsyncIterator[str]:
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", edge.respond)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    await runner.cleanup()


@pytest.fixture
async def github(base: str, clock: Time, private_key: Any) -> AsyncIterator[GitHub]:
    settings = Settings(
        app_id=APP_ID, private_key=private_key, webhook_secrets=("x",), github_url=base
    )
    async with aiohttp.ClientSession() as session:
        yield GitHub(session, settings, clock=clock, sleep=clock.sleep, jitter=lambda: 0.5)


def ok(found: Any = None, **headers: str) -> web.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return web.json_response({"ok": 1} if found is None else found, headers=named)


def refused(status: int, message: str = "No", **headers: str) -> web.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    body = {"message": message, "documentation_url": "https://docs.github.com/x"}
    return web.json_response(body, status=status, headers=named)


def used_up(reset: float) -> web.Response:
    limit = {"x_ratelimit_remaining": "0", "x_ratelimit_reset": f"{reset:.0f}"}
    return refused(403, "API rate limit exceeded", **limit)


def hang_up(request: web.Request) -> web.StreamResponse:
    assert request.transport
    request.transport.abort()
    return web.Response()


async def test_the_app_signs_itself_and_installations_bring_a_token(
    github: GitHub, edge: Edge, private_key: Any
) -> None:
    edge.script = [ok({"slug": "referee"}), ok()]
    assert await github.app.getitem("/app") == {"slug": "referee"}
    await github.installation(5).getitem("/repos/{o}/{r}", {"o": "a b", "r": "../x"})
    assert edge.requests == [("GET", "/api/v3/app"), ("GET", "/api/v3/repos/a%20b/..%2Fx")]
    claims = jwt.decode(
        edge.headers[0]["Authorization"].removeprefix("Bearer "),
        private_key.public_key(),
        algorithms=["RS256"],
        options={"verify_exp": False, "verify_iat": False},
    )
    assert claims == {"iat": NOW - 60, "exp": NOW + 480, "iss": str(APP_ID)}
    assert edge.headers[1]["Authorization"] == "Bearer ghs_token1"
    assert edge.headers[1]["User-Agent"] == "referee"


async def test_one_token_serves_everyone_until_shortly_before_it_expires(
    github: GitHub, edge: Edge, clock: Time
) -> None:
    client = github.installation(5)
    assert github.installation(5) is client
    tokens = await asyncio.gather(*(client.token() for _ in range(20)))
    assert (set(tokens), edge.tokens) == ({"ghs_token1"}, 1)
    clock.now += 3600 - 301
    assert await client.token() == "ghs_token1"
    clock.now += 2
    assert await client.token() == "ghs_token2"
    assert await github.installation(6).token() == "ghs_token3"


async def test_a_json_web_token_is_signed_again_before_it_expires(
    github: GitHub, edge: Edge, clock: Time
) -> None:
    edge.script = [ok() for _ in range(4)]
    for wait in (0, 419, 2, -7200):
        clock.now += wait
        await github.app.getitem("/app")
    first, second, third, fourth = (headers["Authorization"] for headers in edge.headers)
    assert first == second != third
    # A clock that was set back must not leave a token from the future in use.
    assert fourth not in {first, third}


async def test_a_token_that_was_revoked_is_replaced_once(github: GitHub, edge: Edge) -> None:
    edge.script = [refused(401, "Bad credentials"), ok()]
    assert await github.installation(5).getitem("/x") == {"ok": 1}
    assert [h["Authorization"] for h in edge.headers] == ["Bearer ghs_token1", "Bearer ghs_token2"]
    edge.script = [refused(401, "Bad credentials") for _ in range(3)]
    with pytest.raises(GitHubRefused, match="401 Bad credentials"):
        await github.installation(5).getitem("/x")
    edge.script = [refused(401, "'Issued at' claim ('iat') must be an Integer")]
    with pytest.raises(GitHubRefused, match="Issued at"):
        await github.app.getitem("/app")


async def test_a_refusal_is_one_sentence(github: GitHub, edge: Edge) -> None:
    errors = ["Line could not be resolved", {"field": "body", "code": "missing_field"}]
    edge.script = [
        web.json_response({"message": "Unprocessable", "errors": errors}, status=422),
        refused(404, "Not Found"),
        web.Response(status=418, text="<html>teapot</html>"),
        web.json_response(["?"], status=400),
    ]
    client = github.installation(5)
    with pytest.raises(GitHubRefused) as caught:
        await client.post(REVIEW, data={})
    assert str(caught.value) == (
        "GitHub refused POST /api/v3/repos/o/r/pulls/1/reviews: 422 Unprocessable:"
        " Line could not be resolved; body missing_field."
    )
    with pytest.raises(GitHubRefused) as caught:
        await client.getitem("/x")
    assert (caught.value.status, caught.value.documentation_url) == (
        404,
        "https://docs.github.com/x",
    )
    for message in ("418 without a message.", "400 without a message."):
        with pytest.raises(GitHubRefused, match=message):
            await client.getitem("/x")


@pytest.mark.parametrize("trouble", [hang_up, web.Response(status=502), web.Response(status=500)])
async def test_reading_survives_trouble(
    github: GitHub, edge: Edge, clock: Time, trouble: Any
) -> None:
    again = trouble if callable(trouble) else web.Response(status=trouble.status)
    edge.script = [trouble, again, ok()]
    assert await github.installation(5).getitem("/x") == {"ok": 1}
    assert len(edge.requests) == 3
    # aiohttp itself sends again at once where a connection kept from before turns out closed.
    assert clock.slept == ([1] if trouble is hang_up else [1, 2])


async def test_reading_gives_up_after_three_attempts(github: GitHub, edge: Edge) -> None:
    edge.script = [web.Response(status=503) for _ in range(3)]
    with pytest.raises(GitHubUnreachable, match="GitHub answered 503 to GET /api/v3/x") as caught:
        await github.installation(5).getitem("/x")
    assert not caught.value.maybe_done
    assert len(edge.requests) == 3


@pytest.mark.parametrize(
    ("write", "repeated"),
    [
        (lambda c: c.post(REVIEW, data={"event": "COMMENT"}), False),
        (lambda c: c.patch("/repos/o/r/check-runs/1", data={"output": {"annotations": []}}), False),
        (lambda c: c.patch("/repos/o/r/issues/comments/1", data={"body": "x"}), True),
        (lambda c: c.put("/repos/o/r/x", data={}), True),
        (lambda c: c.delete("/repos/o/r/issues/1/labels/x"), True),
        (lambda c: c.graphql("mutation { x }"), False),
        (lambda c: c.graphql("query { x }"), True),
    ],
)
@pytest.mark.parametrize("trouble", [hang_up, lambda _: web.Response(status=502)])
async def test_a_write_with_a_lost_answer_is_repeated_only_where_that_is_safe(
    github: GitHub, edge: Edge, write: Any, repeated: bool, trouble: Any
) -> None:
    edge.script = [trouble, ok({"data": {}})]
    client = github.installation(5)
    if repeated:
        await write(client)
    else:
        with pytest.raises(GitHubUnreachable) as caught:
            await write(client)
        assert caught.value.maybe_done
    assert len(edge.requests) == 1 + repeated


async def test_a_server_that_is_not_there_was_not_written_to(
    github: GitHub, clock: Time, private_key: Any, unused_tcp_port: int
) -> None:
    settings = Settings(
        app_id=1,
        private_key=private_key,
        webhook_secrets=("x",),
        github_url=f"http://127.0.0.1:{unused_tcp_port}",
    )
    async with aiohttp.ClientSession() as session:
        away = GitHub(session, settings, clock=clock, sleep=clock.sleep)
        with pytest.raises(GitHubUnreachable, match="could not be reached for POST") as caught:
            await away.app.post("/x", data={})
    assert not caught.value.maybe_done
    assert len(clock.slept) == 2


async def test_an_answer_that_takes_too_long_is_given_up(
    github: GitHub, edge: Edge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "_TIMEOUT", aiohttp.ClientTimeout(total=0.02))
    held = asyncio.Event()

    async def hold(_: web.Request) -> web.StreamResponse:
        await held.wait()
        return web.Response()

    edge.script = [hold] * 3
    with pytest.raises(GitHubUnreachable, match="could not be reached"):
        await github.app.getitem("/x")
    held.set()


async def test_65_findings_meet_a_secondary_limit_and_are_sent_once_more(
    github: GitHub, edge: Edge, clock: Time
) -> None:
    review = {"event": "COMMENT", "comments": [{"path": "a", "line": n} for n in range(65)]}
    secondary = refused(403, "You have exceeded a secondary rate limit.", retry_after="60")
    edge.script = [secondary, ok()]
    await github.installation(5).post(REVIEW, data=review)
    assert edge.bodies[0] == edge.bodies[1]
    assert len(edge.requests) == 2
    assert 60 <= sum(clock.slept) < 62


@pytest.mark.parametrize(
    ("answer", "seconds"),
    [
        (lambda: refused(429, "Slow", retry_after="7"), 7),
        (lambda: used_up(NOW + 9), 9),
        (lambda: used_up(5), 1),
        (lambda: refused(403, "exceeded a secondary rate limit"), 60),
        (lambda: refused(429, "x"), 60),
        (lambda: refused(429, "x", retry_after="Wed, 21 Oct 2026 07:28:00 GMT"), 60),
    ],
)
async def test_limits_are_waited_for(
    github: GitHub, edge: Edge, clock: Time, answer: Any, seconds: float
) -> None:
    edge.script = [answer(), ok()]
    await github.installation(5).getitem("/x")
    assert sum(clock.slept) == seconds + 0.5


async def test_a_plain_403_is_no_limit(github: GitHub, edge: Edge, clock: Time) -> None:
    edge.script = [refused(403, "Resource not accessible by integration")]
    with pytest.raises(GitHubRefused, match="not accessible by integration") as caught:
        await github.installation(5).getitem("/x")
    assert not isinstance(caught.value, GitHubBusy)
    assert clock.slept == []


async def test_a_long_limit_is_for_the_queue_to_wait_and_holds_back_everyone(
    github: GitHub, edge: Edge, clock: Time
) -> None:
    edge.script = [used_up(NOW + 1800), ok()]
    client = github.installation(5)
    for _ in range(2):
        with pytest.raises(GitHubBusy) as caught:
            await client.getitem("/x")
        assert 1799 < caught.value.retry_after < 1802
    assert len(edge.requests) == 1
    assert await github.installation(6).getitem("/x") == {"ok": 1}


async def test_a_limit_that_stays_ends_in_busy(github: GitHub, edge: Edge, clock: Time) -> None:
    edge.script = [refused(429, "x", retry_after="1") for _ in range(3)]
    with pytest.raises(GitHubBusy, match="429 x; try in 1 s"):
        await github.installation(5).getitem("/x")


async def test_writes_keep_within_80_a_minute(github: GitHub, edge: Edge, clock: Time) -> None:
    edge.script = [ok() for _ in range(82)]
    client = github.installation(5)
    for _ in range(81):
        await client.post("/x", data={})
    assert clock.slept == [60]
    await client.getitem("/x")
    assert clock.slept == [60]


async def test_writes_keep_within_500_an_hour(github: GitHub, edge: Edge, clock: Time) -> None:
    edge.script = [ok() for _ in range(501)]
    client = github.installation(5)
    for _ in range(500):
        clock.now += 2
        await client.post("/x", data={})
    with pytest.raises(GitHubBusy) as caught:
        await client.post("/x", data={})
    assert caught.value.retry_after == pytest.approx(3600 - 2 * 499)
    clock.now += caught.value.retry_after
    await client.post("/x", data={})


async def test_what_did_not_change_is_not_sent_again(github: GitHub, edge: Edge) -> None:
    def page(request: web.Request) -> web.StreamResponse:
        etag = f'"{request.headers["Accept"]}"'
        if request.headers.get("If-None-Match") == etag:
            return web.Response(status=304, headers={"ETag": etag})
        return ok([1, 2], ETag=etag)

    edge.script = [page] * 4
    client = github.installation(5)
    assert await client.getitem("/x") == [1, 2]
    assert await client.getitem("/x") == [1, 2]
    # Another media type, and another installation, are other answers.
    assert await client.getitem("/x", accept="application/vnd.github.raw+json") == [1, 2]
    assert await github.installation(6).getitem("/x") == [1, 2]
    sent = [headers.get("If-None-Match") for headers in edge.headers]
    assert [bool(etag) for etag in sent] == [False, True, False, False]


async def test_the_cache_is_bounded(github: GitHub, edge: Edge) -> None:
    big = ["x" * 900_000]
    edge.script = [ok(big, ETag="a") for _ in range(60)] + [ok(["y" * 2_000_000], ETag="b")]
    for number in range(61):
        await github.installation(5).getitem(f"/x{number}")
    cache: Any = github._around.cache
    assert cache.currsize <= 32 * 1024 * 1024
    assert 30 <= len(cache) <= 40


async def test_pages_are_followed_on_the_own_server_only(
    github: GitHub, edge: Edge, base: str
) -> None:
    edge.script = [
        ok([1], Link=f'<{base}/api/v3/x?page=2>; rel="next"'),
        ok({"items": [2]}),
        ok([1], Link='<https://evil.example/x>; rel="next"'),
    ]
    client = github.installation(5)
    assert [n async for n in client.getiter("/x")] == [1, 2]
    with pytest.raises(ForeignHostError, match=r"No token is sent to evil\.example"):
        [n async for n in client.getiter("/x")]
    for url in ("https://evil.example/", base.replace("http:", "https:"), "http://127.0.0.1:1/"):
        with pytest.raises(ForeignHostError):
            await client.getitem(url)
    with pytest.raises(ForeignHostError):
        await client.graphql("query { x }", endpoint="https://evil.example/graphql")


async def test_a_renamed_repository_is_followed_on_the_own_server_only(
    github: GitHub, edge: Edge, base: str
) -> None:
    def moved(to: str, status: int = 301) -> web.Response:
        return web.Response(status=status, headers={"Location": to})

    client = github.installation(5)
    edge.script = [moved(f"{base}/api/v3/repositories/1"), ok({"id": 1})]
    assert await client.getitem("/repos/o/old") == {"id": 1}
    edge.script = [moved("/api/v3/repositories/1/x", 307), ok({"id": 1})]
    assert await client.post("/repos/o/old/x", data={"a": 1}) == {"id": 1}
    assert edge.bodies[-1] == b'{"a": 1}'
    edge.script = [moved("https://evil.example/")]
    with pytest.raises(ForeignHostError):
        await client.getitem("/repos/o/old")
    edge.script = [moved("/api/v3/x") for _ in range(4)]
    with pytest.raises(GitHubRefused, match="301"):
        await client.getitem("/repos/o/old")


async def test_what_lies_elsewhere_is_fetched_without_the_token(
    github: GitHub, edge: Edge, base: str
) -> None:
    def moved(to: str, status: int = 302) -> web.Response:
        return web.Response(status=status, headers={"Location": to})

    async def fetch(most: int = 10) -> bytes:
        return await github.installation(5).download("/a/{id}/zip", {"id": "7/.."}, most)

    there = base.replace("127.0.0.1", "localhost") + "/blob"
    edge.script = [moved("/api/v3/renamed", 301), moved(there), web.Response(body=b"PK")]
    assert await fetch() == b"PK"
    assert edge.requests[0] == ("GET", "/api/v3/a/7%2F../zip")
    assert ["Authorization" in headers for headers in edge.headers] == [True, True, False]
    edge.script = [moved(there), web.Response(body=b"PK" * 6)]
    with pytest.raises(GitHubUnreachable, match="longer than 10 bytes"):
        await fetch()
    edge.script = [moved(there), web.Response(status=403)]
    with pytest.raises(GitHubUnreachable, match="was 403"):
        await fetch()
    edge.script = [refused(410, "Artifact has expired")]
    with pytest.raises(GitHubRefused, match="410"):
        await fetch()
    edge.script = [ok({})]
    with pytest.raises(GitHubUnreachable, match="does not say where"):
        await fetch()
    edge.script = [moved("ftp://evil.example/")]
    with pytest.raises(ForeignHostError, match="not be encrypted"):
        await fetch()
    edge.script = [moved("http://127.0.0.1:1/")]
    with pytest.raises(GitHubUnreachable, match="Nothing came"):
        await fetch()


async def test_a_refusal_names_the_permission_that_is_missing(github: GitHub, edge: Edge) -> None:
    needed = {"X-Accepted-GitHub-Permissions": "actions=write"}
    message = {"message": "Resource not accessible by integration"}
    edge.script = [
        web.json_response(message, status=403, headers=needed),
        web.json_response(message, status=403),
        refused(403, "This workflow is already running"),
    ]
    lacks = []
    for _ in range(3):
        with pytest.raises(GitHubRefused) as caught:
            await github.installation(5).getitem("/x")
        lacks.append(caught.value.lacks)
    assert lacks == ["actions=write", "?", None]


async def test_graphql_goes_to_the_configured_address(github: GitHub, edge: Edge) -> None:
    edge.script = [ok({"data": {"x": 1}})]
    query = "query Q($n: Int!) { x(n: $n) }"
    assert await github.installation(5).graphql(query, n=3) == {"x": 1}
    assert edge.requests == [("POST", "/api/graphql")]
    assert edge.bodies == [b'{"query": "query Q($n: Int!) { x(n: $n) }", "variables": {"n": 3}}']
    assert edge.headers[0]["Authorization"] == "Bearer ghs_token1"


async def test_graphql_errors_have_types(github: GitHub, edge: Edge) -> None:
    errors = [{"type": "FORBIDDEN", "message": "Resource not accessible"}, {"message": "Else."}]
    edge.script = [ok({"data": {"x": None}, "errors": errors}), ok(["?"])]
    client = github.installation(5)
    with pytest.raises(GraphQLError) as caught:
        await client.graphql("mutation { x }")
    assert caught.value.types == ("FORBIDDEN", "")
    assert caught.value.data == {"x": None}
    assert str(caught.value) == (
        "GitHub's GraphQL refused the request: Resource not accessible; Else."
    )
    with pytest.raises(GitHubUnreachable, match="not a JSON object"):
        await client.graphql("query { x }")


async def test_graphql_limits_are_waited_for(github: GitHub, edge: Edge, clock: Time) -> None:
    limited = {"errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded"}]}
    edge.script = [
        ok(limited, x_ratelimit_reset=f"{NOW + 30:.0f}"),
        refused(403, "secondary rate limit", retry_after="5"),
        ok({"data": {"title": "RATE_LIMITED"}}),
    ]
    assert await github.installation(5).graphql("{ x }") == {"title": "RATE_LIMITED"}
    assert sum(clock.slept) == 35.5


async def test_a_token_that_cannot_be_had_fails_the_request(github: GitHub, edge: Edge) -> None:
    edge.token_answers = [refused(404, "Integration not found")]
    with pytest.raises(GitHubRefused, match="installations/5/access_tokens: 404 Integration not"):
        await github.installation(5).getitem("/x")
    edge.token_answers = [web.Response(status=500) for _ in range(3)]
    with pytest.raises(GitHubUnreachable, match="500"):
        await github.installation(5).getitem("/x")
    assert edge.requests == []


async def test_no_error_shows_a_token(github: GitHub, edge: Edge, log: list[Any]) -> None:
    edge.script = [hang_up, hang_up, web.Response(status=502), refused(422, "x")]
    for _ in range(2):
        with pytest.raises(GitHubError) as caught:
            await github.installation(5).getitem("/x")
        assert "ghs_" not in f"{caught.value!r}{caught.value.__cause__!r}"
    assert log
    assert "ghs_" not in str(log)


SHA = "ab" * 20


def pull(number: int, sha: str = SHA, state: str = "open") -> dict[str, Any]:
    return {"number": number, "state": state, "head": {"sha": sha}}


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ([ok([pull(7), pull(8, "cd" * 20), pull(9, state="closed")])], [7]),
        ([ok([]), ok([pull(3), pull(4, "cd" * 20), pull(5)])], [3, 5]),
        ([refused(422, "No commit found for SHA"), ok([pull(3)])], [3]),
        ([refused(404), ok([])], []),
    ],
)
async def test_pull_requests_are_found_by_their_head(
    github: GitHub, edge: Edge, answers: list[Any], expected: list[int]
) -> None:
    edge.script = list(answers)
    found = await pull_requests_at(github, ShaKey(5, "o/r", SHA))
    assert found == [PullRequestKey(5, "o/r", number) for number in expected]
    assert edge.requests[0] == ("GET", f"/api/v3/repos/o/r/commits/{SHA}/pulls?per_page=100")


async def test_no_access_is_not_no_pull_request(github: GitHub, edge: Edge) -> None:
    edge.script = [refused(403)]
    with pytest.raises(GitHubRefused):
        await pull_requests_at(github, ShaKey(5, "o/r", SHA))


@pytest.mark.parametrize(
    "limit",
    [
        lambda: refused(429, "x", retry_after="9" * 20),
        lambda: refused(403, "x", x_ratelimit_remaining="0", x_ratelimit_reset="9" * 400),
    ],
)
async def test_no_answer_can_ask_to_wait_for_ever(
    github: GitHub, edge: Edge, limit: Callable[[], web.Response]
) -> None:
    edge.script = [limit()]
    with pytest.raises(GitHubBusy) as caught:
        await github.app.getitem("/x")
    assert caught.value.retry_after <= 3601


@pytest.mark.parametrize(
    "answer",
    [
        lambda: web.Response(text="<html>Log in</html>", content_type="text/html"),
        lambda: web.Response(text='{"state": "op', content_type="application/json"),
        lambda: web.Response(body=b'{"\xe9": 1}', content_type="application/json"),
        lambda: web.Response(text="null", content_type="application/json"),
        lambda: web.Response(status=204),
    ],
)
async def test_an_answer_that_is_not_githubs_is_one_sentence(
    github: GitHub, edge: Edge, answer: Callable[[], web.Response]
) -> None:
    edge.script = [answer()]
    with pytest.raises(GitHubUnreachable, match=r"to GET /api/v3/x is not GitHub's: neither a"):
        await github.app.getitem("/x")


async def test_an_unknown_charset_changes_nothing(github: GitHub, edge: Edge) -> None:
    headers = {"Content-Type": "application/json; charset=nope"}
    edge.script = [web.Response(body=b'{"a": 1}', headers=headers)]
    assert await github.app.getitem("/x") == {"a": 1}


async def test_an_endless_answer_is_given_up(
    github: GitHub, edge: Edge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "_MOST_BYTES", 1000)
    edge.script = [ok(["x" * 2000]) for _ in range(3)]
    with pytest.raises(GitHubUnreachable, match="is longer than 1000 bytes"):
        await github.app.getitem("/x")


async def test_a_move_to_what_is_no_address_is_one_sentence(github: GitHub, edge: Edge) -> None:
    edge.script = [web.Response(status=302, headers={"Location": "http://[bad"})]
    with pytest.raises(ForeignHostError, match="to what is no address"):
        await github.app.getitem("/x")


@pytest.mark.parametrize(
    ("message", "locked"),
    [
        ("Unable to create comment because issue is locked.", True),
        ("Repository access blocked", False),
        ("You have been blocked from creating comments.", False),
    ],
)
def test_a_locked_conversation_is_told_from_somebody_blocked(message: str, locked: bool) -> None:
    assert GitHubRefused("POST /x", 403, message).locked is locked
