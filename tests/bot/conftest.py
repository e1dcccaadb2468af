"""Settings with a real key, jobs in a temporary file, and the bot's edge over real HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import json
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import structlog
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from bot.app import make_app, start
from bot.jobs import Jobs
from bot.jobs.embedded import EmbeddedJobs
from bot.settings import Settings

SECRET = "a webhook secret of the tests"
APP_ID = 4242
INSTALLATION = 77


@pytest.fixture(scope="session")
def private_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65537, 2048)


@pytest.fixture(scope="session")
def pem(private_key: rsa.RSAPrivateKey) -> str:
    raw = private_key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return raw.decode()


@pytest.fixture
def settings(private_key: rsa.RSAPrivateKey, tmp_path: Path) -> Settings:
    return Settings(
        app_id=APP_ID,
        private_key=private_key,
        webhook_secrets=(SECRET,),
        data_dir=tmp_path,
    )


@pytest.fixture(autouse=True)
def log() -> Iterator[list[Any]]:
    with structlog.testing.capture_logs() as lines:
        yield lines


@pytest.fixture
async def jobs(tmp_path: Path) -> AsyncIterator[EmbeddedJobs]:
    opened = EmbeddedJobs(tmp_path / "referee.db", settle_seconds=0)
    yield opened
    await opened.close()


@pytest.fixture
async def edge(settings: Settings, jobs: EmbeddedJobs) -> AsyncIterator[Hook]:
    async with serving(settings, jobs) as hook:
        yield hook


class Hook:
    """Sends deliveries as GitHub would, or nearly."""

    def __init__(self, session: aiohttp.ClientSession, base: str) -> None:
        self.session, self.base = session, base

    async def send(
        self,
        payload: Any = None,
        event: str = "pull_request",
        guid: str | None = None,
        secret: str = SECRET,
        body: bytes | AsyncIterator[bytes] | None = None,
        **headers: str | None,
    ) -> tuple[int, dict[str, Any]]:
        raw = body if body is not None else json.dumps(payload or pull_request()).encode()
        given = signed(raw if isinstance(raw, bytes) else b"", event, guid, secret)
        given |= {name.replace("_", "-"): value or "" for name, value in headers.items()}
        for name, value in headers.items():
            if value is None:
                del given[name.replace("_", "-")]
        async with self.session.post(f"{self.base}/webhook", data=raw, headers=given) as response:
            return response.status, await response.json()

    async def get(self, path: str) -> tuple[int, dict[str, Any]]:
        async with self.session.get(f"{self.base}{path}") as response:
            return response.status, await response.json()


def signed(
    body: bytes, event: str = "pull_request", guid: str | None = None, secret: str = SECRET
) -> dict[str, str]:
    return {
        "X-GitHub-Event": event,
        "X-GitHub-Delivery": guid or str(uuid.uuid4()),
        "X-Hub-Signature-256": "sha256=" + hmac.new(secret.encode(), body, "sha256").hexdigest(),
        "Content-Type": "application/json",
    }


def pull_request(action: str = "opened", number: int = 7, **more: Any) -> dict[str, Any]:
    return {
        "action": action,
        "installation": {"id": INSTALLATION},
        "repository": {"full_name": "octo/bench"},
        "pull_request": {"number": number},
        **more,
    }


@contextlib.asynccontextmanager
async def serving(settings: Settings, jobs: Jobs) -> AsyncIterator[Hook]:
    runner, port = await start(make_app(settings, jobs), "127.0.0.1", 0)
    async with aiohttp.ClientSession() as session:
        yield Hook(session, f"http://127.0.0.1:{port}")
    await runner.cleanup()


@contextlib.asynccontextmanager
async def running(jobs: EmbeddedJobs, work: Any, resolve: Any = None, concurrency: int = 2) -> Any:
    task = asyncio.create_task(jobs.run(work, resolve, concurrency))
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def until(true: Callable[[], Any], seconds: float = 5) -> None:
    async with asyncio.timeout(seconds):
        while not true():  # noqa: ASYNC110
            await asyncio.sleep(0.005)
