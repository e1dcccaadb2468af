from __future__ import annotations

import asyncio
import threading
import time
import uuid
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from bot import app as app_module
from bot.app import make_app, start
from bot.delivery import Delivery
from bot.jobs import Stored, StoreError
from bot.jobs import embedded as embedded_module
from bot.jobs.embedded import EmbeddedJobs
from bot.keys import HeadKey, Key, PullRequestKey
from bot.settings import Settings

from .conftest import SECRET, Hook, pull_request, running, serving, signed, until


def stored(jobs: EmbeddedJobs, table: str = "delivery") -> Any:
    return jobs.database.do(lambda c: c.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


async def test_a_signed_delivery_is_stored_before_202(edge: Hook, jobs: EmbeddedJobs) -> None:
    assert await edge.send() == (202, {"status": "queued"})
    assert await stored(jobs) == 1
    assert await stored(jobs, "attention") == 2, "the head, and the review"


async def test_deliveries_have_one_address(edge: Hook) -> None:
    body = b'{"zen": "x"}'
    async with edge.session.post(edge.base, data=body, headers=signed(body, "ping")) as response:
        assert response.status == 404
        assert "deliveries go to POST /webhook" in await response.text()


async def too_much() -> AsyncIterator[bytes]:
    for _ in range(26):
        yield b" " * 1024 * 1024


@pytest.mark.parametrize(
    ("sent", "status", "sentence"),
    [
        ({"X_Hub_Signature_256": None}, 401, "The X-Hub-Signature-256 header is missing"),
        (
            {"X_Hub_Signature_256": None, "X_Hub_Signature": "sha1=" + "0" * 40},
            401,
            "Only a SHA-1 signature came",
        ),
        ({"X_Hub_Signature_256": "sha256=00"}, 401, "The X-Hub-Signature-256 header is not"),
        ({"X_Hub_Signature_256": "sha256=ü" + "0" * 63}, 401, "The X-Hub-Signature-256 header"),
        ({"secret": "another"}, 401, "The signature does not fit the body"),
        ({"X_GitHub_Event": None}, 400, "The X-GitHub-Event header is missing"),
        ({"X_GitHub_Delivery": None}, 400, "The X-GitHub-Delivery header is missing"),
        ({"guid": "not-a-guid"}, 400, "The X-GitHub-Delivery header is not a GUID"),
        ({"Content_Type": "text/plain"}, 415, "The content type must be application/json"),
        ({"body": b"not json"}, 400, "The body is not JSON"),
        ({"body": b"[1]"}, 400, "The body is JSON but not an object"),
        ({"body": b'{"action": "opened"}'}, 400, "The payload of pull_request is not as"),
        ({"Content_Encoding": "gzip"}, 400, "The body is not what its Content-Encoding"),
        ({"body": too_much()}, 413, "The body is too large"),
    ],
)
async def test_what_is_refused_is_not_stored(
    edge: Hook, jobs: EmbeddedJobs, log: list[Any], sent: dict[str, Any], status: int, sentence: str
) -> None:
    got, answer = await edge.send(**sent)
    assert got == status
    assert answer["error"].startswith(sentence)
    assert await stored(jobs) == await stored(jobs, "attention") == 0
    assert [line["event"] for line in log] == ["delivery_refused"]
    assert SECRET not in str(log)


async def test_a_large_body_is_refused_before_it_is_read(edge: Hook, jobs: EmbeddedJobs) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", int(edge.base.rpartition(":")[2]))
    headers = {**signed(b""), "Host": "x", "Content-Length": str(30 * 1024 * 1024)}
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    writer.write(f"POST /webhook HTTP/1.1\r\n{lines}\r\n".encode())
    async with asyncio.timeout(2):
        assert b"413" in await reader.readline()
    writer.close()
    await writer.wait_closed()
    assert await stored(jobs) == 0


async def test_a_body_that_stops_coming_is_given_up(
    edge: Hook, jobs: EmbeddedJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app_module, "_READ_SECONDS", 0.05)
    reader, writer = await asyncio.open_connection("127.0.0.1", int(edge.base.rpartition(":")[2]))
    headers = {**signed(b""), "Host": "x", "Content-Length": "100"}
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    writer.write(f"POST /webhook HTTP/1.1\r\n{lines}\r\n{{".encode())
    async with asyncio.timeout(2):
        assert b"408" in await reader.readline()
    writer.close()
    await writer.wait_closed()
    assert await stored(jobs) == 0


@pytest.mark.parametrize(
    ("event", "payload"),
    [
        ("star", {"action": "created"}),
        ("ping", {"zen": "Keep it logically awesome."}),
        ("issues", {"action": "opened", "issue": {"body": "/rerun"}}),
        ("pull_request", pull_request("locked")),
    ],
)
async def test_what_needs_no_look_is_answered_and_dropped(
    edge: Hook, jobs: EmbeddedJobs, event: str, payload: dict[str, Any]
) -> None:
    assert await edge.send(payload, event) == (202, {"status": "ignored"})
    assert await stored(jobs) == 0


async def test_one_guid_is_stored_once_also_when_it_comes_at_once(
    edge: Hook, jobs: EmbeddedJobs
) -> None:
    guid = str(uuid.uuid4())
    answers = await asyncio.gather(*(edge.send(guid=guid) for _ in range(8)))
    assert sorted(answer["status"] for _, answer in answers) == ["duplicate"] * 7 + ["queued"]
    assert {status for status, _ in answers} == {202}
    assert (await edge.send(guid=guid.upper()))[1] == {"status": "duplicate"}
    assert await stored(jobs) == 1


async def test_a_hook_installed_twice_makes_one_review(edge: Hook, jobs: EmbeddedJobs) -> None:
    seen: list[Key] = []

    async def work(key: Key) -> None:
        seen.append(key)

    await asyncio.gather(edge.send(), edge.send())
    async with running(jobs, work):
        await until(lambda: len(seen) == 2)
        await asyncio.sleep(0.05)
    assert {type(key) for key in seen} == {HeadKey, PullRequestKey}
    assert len(seen) == 2
    assert await stored(jobs) == 2


async def test_slow_work_does_not_delay_the_answer(edge: Hook, jobs: EmbeddedJobs) -> None:
    started = asyncio.Event()

    async def work(_: Key) -> None:
        started.set()
        await asyncio.sleep(30)

    async with running(jobs, work):
        await edge.send()
        await started.wait()
        before = time.perf_counter()
        assert (await edge.send(pull_request(number=8)))[0] == 202
        assert time.perf_counter() - before < 1


async def test_either_secret_is_taken_while_rotating(
    private_key: Any, jobs: EmbeddedJobs, tmp_path: Path
) -> None:
    rotating = Settings(app_id=1, private_key=private_key, webhook_secrets=("new", "old"))
    async with serving(rotating, jobs) as edge:
        assert (await edge.send(secret="new"))[0] == 202
        assert (await edge.send(secret="old"))[0] == 202
        assert (await edge.send(secret="older"))[0] == 401


class BrokenJobs:
    """A store that fails."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    async def store(self, delivery: Delivery, keys: Sequence[Key]) -> Stored:
        raise self.error


async def test_a_failing_store_is_a_503_that_says_so(settings: Settings) -> None:
    async with serving(settings, BrokenJobs(StoreError("The disk is full."))) as edge:
        assert await edge.send() == (
            503,
            {"error": "The disk is full. Redeliver this delivery later."},
        )


async def test_a_store_that_hangs_is_a_503_in_time(
    edge: Hook, jobs: EmbeddedJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded_module, "_STORE_SECONDS", 0.05)
    free = threading.Event()
    held = asyncio.create_task(jobs.database.do(lambda _: free.wait()))
    await asyncio.sleep(0)
    guid = str(uuid.uuid4())
    status, answer = await edge.send(guid=guid)
    assert (status, answer["error"]) == (
        503,
        "The store did not answer in 0.05 seconds. Redeliver this delivery later.",
    )
    free.set()
    await held
    # Whether or not the late write was made, GitHub's redelivery leaves exactly one.
    assert (await edge.send(guid=guid))[0] == 202
    assert await stored(jobs) == 1


async def test_an_error_of_ours_shows_no_insides(settings: Settings, log: list[Any]) -> None:
    async with serving(settings, BrokenJobs(KeyError("inside"))) as edge:
        status, answer = await edge.send()
    assert status == 500
    assert "inside" not in str(answer)
    assert log[-1]["event"] == "request_failed"


async def test_health_and_readiness(edge: Hook, jobs: EmbeddedJobs) -> None:
    async def work(_: Key) -> None:
        raise AssertionError("nothing is marked")

    assert await edge.get("/healthz") == (200, {"status": "alive"})
    assert await edge.get("/readyz") == (
        503,
        {"status": "not ready", "reasons": ["No worker is running: nothing would be reviewed."]},
    )
    async with running(jobs, work):
        await asyncio.sleep(0.01)
        assert await edge.get("/readyz") == (200, {"status": "ready"})
        await jobs.close()
        assert await edge.get("/readyz") == (
            503,
            {"status": "not ready", "reasons": ["The store is closed."]},
        )
        assert await edge.get("/healthz") == (200, {"status": "alive"})


async def test_other_addresses_are_one_line_of_json(edge: Hook) -> None:
    assert await edge.get("/admin") == (
        404,
        {"error": "There is nothing here: deliveries go to POST /webhook."},
    )
    assert await edge.get("/webhook") == (405, {"error": "This address takes POST only."})


async def test_a_taken_port_is_an_os_error(settings: Settings, jobs: EmbeddedJobs) -> None:
    runner, port = await start(make_app(settings, jobs), "127.0.0.1", 0)
    with pytest.raises(OSError, match="address already in use"):
        await start(make_app(settings, jobs), "127.0.0.1", port)
    await runner.cleanup()
    assert isinstance(runner, web.AppRunner)
