"""A sandbox with one pull request, a client that calls its API, a receiver for deliveries."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import jwt
import pytest
from aiohttp import web

from bot.sandbox import Sandbox
from bot.sandbox.auth import private_key
from bot.sandbox.state import PullRequest
from tests.gitkit import GitRepo

NAME = "example/bench"
PATH = "configs/toy.yaml"
LINES = [f"line {number}\n" for number in range(1, 41)]


def changed(**lines: str) -> str:
    """The file with some lines replaced; `l10` is the text of line 10."""
    replaced = {int(key[1:]): text for key, text in lines.items()}
    return "".join(replaced.get(number, line) for number, line in enumerate(LINES, 1))


HEAD_TEXT = changed(l10="changed ten\n", l30="changed thirty\n")


@pytest.fixture
def clone(tmp_path: Path) -> GitRepo:
    """A repository whose branch `feature` changes lines 10 and 30 of one file."""
    repo = GitRepo(tmp_path / "clone")
    repo.commit("main", {PATH: "".join(LINES), "README.md": "# Bench\n"})
    repo.repository.set_head("refs/heads/main")
    repo.commit("feature", {PATH: HEAD_TEXT}, start="main")
    return repo


@dataclass
class Response:
    """What the API said."""

    status: int
    body: Any
    headers: Any

    @property
    def message(self) -> str:
        """GitHub's message of a refusal."""
        return str(self.body["message"])


@dataclass
class Client:
    """Calls the sandbox as the App (`app=True`) or as its installation."""

    sandbox: Sandbox
    session: aiohttp.ClientSession
    token: str = ""

    def jwt(self, key: Any = None, algorithm: str = "RS256", **claims: Any) -> str:
        """A JWT of the App; keyword arguments replace claims."""
        now = int(self.sandbox.state.clock())
        good = {"iat": now - 60, "exp": now + 540, "iss": str(self.sandbox.app_id)}
        return jwt.encode({**good, **claims}, key or private_key(), algorithm)

    async def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        app: bool = False,
        token: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> Response:
        """One request; paths start after the base, `/graphql` is the GraphQL endpoint."""
        bearer = token if token is not None else self.jwt() if app else self.token
        sent = {"Authorization": f"Bearer {bearer}"} if bearer else {}
        url = self.sandbox.graphql_url if path == "/graphql" else self.sandbox.api_url + path
        raw = body if isinstance(body, bytes) else None if body is None else json.dumps(body)
        async with self.session.request(
            method, url, data=raw, headers={**sent, **(headers or {})}, allow_redirects=False
        ) as response:
            text = await response.text()
            return Response(response.status, json.loads(text) if text else None, response.headers)

    async def get(self, path: str, **more: Any) -> Response:
        return await self.call("GET", path, **more)

    async def post(self, path: str, body: Any = None, **more: Any) -> Response:
        return await self.call("POST", path, body, **more)

    async def patch(self, path: str, body: Any, **more: Any) -> Response:
        return await self.call("PATCH", path, body, **more)

    async def log_in(self) -> str:
        """Get an installation token and use it from now on."""
        found = await self.get(f"/repos/{NAME}/installation", app=True)
        path = f"/app/installations/{found.body['id']}/access_tokens"
        self.token = (await self.post(path, app=True)).body["token"]
        return self.token

    async def review(self, *comments: dict[str, Any], **more: Any) -> Response:
        """Submit a review with inline comments; each gets a body unless it has one."""
        listed = [{"path": PATH, "body": "a remark", **comment} for comment in comments]
        body = {"event": "COMMENT", "body": "a review", "comments": listed, **more}
        return await self.post(f"/repos/{NAME}/pulls/1/reviews", body)


@dataclass
class Receiver:
    """A webhook endpoint that remembers; `status` is what it answers."""

    url: str = ""
    status: int = 202
    delay: float = 0.0
    got: list[tuple[dict[str, str], bytes]] = field(default_factory=list)

    async def take(self, request: web.Request) -> web.Response:
        """Note a delivery and answer."""
        self.got.append((dict(request.headers), await request.read()))
        await asyncio.sleep(self.delay)
        return web.Response(status=self.status, text="noted")

    def events(self) -> list[str]:
        """`event.action` of everything received."""
        named = [(headers["X-GitHub-Event"], json.loads(body)) for headers, body in self.got]
        return [f"{event}.{body['action']}" if "action" in body else event for event, body in named]

    def last(self, event: str) -> Any:
        """The payload of the newest delivery of an event."""
        return next(
            json.loads(body)
            for headers, body in reversed(self.got)
            if headers["X-GitHub-Event"] == event
        )


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    receiver = Receiver()
    app = web.Application(client_max_size=32 * 1024 * 1024)
    app.router.add_post("/webhook", receiver.take)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    receiver.url = f"http://127.0.0.1:{runner.addresses[0][1]}/webhook"
    yield receiver
    await runner.cleanup()


@pytest.fixture
async def github(sandbox: Sandbox, clone: GitRepo, receiver: Receiver) -> Sandbox:
    """The sandbox with pull request 1 open."""
    sandbox.webhook_url = receiver.url
    await sandbox.add_repository(NAME, clone.path)
    await sandbox.open_pull_request(NAME, "feature", "main", "Tune it", "Because.")
    return sandbox


@pytest.fixture
def pull(github: Sandbox) -> PullRequest:
    return github.pull_request(1)


@pytest.fixture
async def client(github: Sandbox) -> AsyncIterator[Client]:
    async with aiohttp.ClientSession(headers={"User-Agent": "tests"}) as session:
        client = Client(github, session)
        await client.log_in()
        yield client


class Hands:
    """A clock that is moved by hand; it starts at the present second."""

    def __init__(self) -> None:
        self.now = float(int(time.time()))

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def hands() -> Hands:
    return Hands()
