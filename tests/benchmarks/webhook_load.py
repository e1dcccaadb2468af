"""Load for the webhook benchmark: as fast as 64 connections go, or at a steady rate."""

from __future__ import annotations

import asyncio
import hmac
import json
import shutil
import subprocess
import time
import uuid
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from .webhook_servers import SECRET, Server

EXAMPLES = Path(__file__).parents[1] / "github" / "webhook_examples.json"
EXAMPLE = "pull_request.labeled"
PULL_REQUESTS = 32
CONNECTIONS = 64
_runs = iter(range(int(time.time()) % 0x10000000, 2**32))


@dataclass(frozen=True)
class Result:
    """Requests a second, latencies in milliseconds, and how many answers were not 2xx."""

    rate: float
    p50: float
    p99: float
    bad: int


def deliveries() -> list[bytes]:
    """Return the published example once for each of some pull requests."""
    payload = json.loads(EXAMPLES.read_text(encoding="utf-8"))[EXAMPLE]
    payload.setdefault("installation", {"id": 1})
    bodies = []
    for number in range(1, PULL_REQUESTS + 1):
        payload["pull_request"]["number"] = payload["number"] = number
        bodies.append(json.dumps(payload, separators=(",", ":")).encode())
    return bodies


def signature(body: bytes) -> str:
    """Return the X-Hub-Signature-256 of a body."""
    return "sha256=" + hmac.new(SECRET.encode(), body, "sha256").hexdigest()


def full(server: Server, seconds: float, folder: Path) -> Result:
    """Load with 64 connections, each sending as soon as it was answered."""
    if shutil.which("wrk"):
        return _wrk(server, seconds, folder)
    return asyncio.run(_load(server, seconds, None))


def steady(server: Server, seconds: float, rate: float) -> Result:
    """Send `rate` deliveries a second; latency counts from when each was due."""
    return asyncio.run(_load(server, seconds, rate))


def _wrk(server: Server, seconds: float, folder: Path) -> Result:
    names = []
    for number, body in enumerate(deliveries()):
        path = folder / f"delivery-{number}"
        path.write_bytes(signature(body).encode() + b"\n" + body)
        names.append(str(path))
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds:g}s", "--timeout", "10s"]
    command += ["-s", str(Path(__file__).with_name("webhook.lua"))]
    command += [f"http://127.0.0.1:{server.port}{server.path}", "--"]
    command += [",".join(names), str(next(_runs))]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = json.loads(printed.rpartition("RESULT ")[2])
    return Result(found["requests"] / found["seconds"], found["p50"], found["p99"], found["bad"])


async def _load(server: Server, seconds: float, rate: float | None) -> Result:
    url = f"http://127.0.0.1:{server.port}{server.path}"
    prepared = [(body, signature(body)) for body in deliveries()]
    latencies: list[float] = []
    bad = 0
    connector = aiohttp.TCPConnector(limit=CONNECTIONS)

    async def send(number: int, due: float) -> None:
        nonlocal bad
        body, signed = prepared[number % len(prepared)]
        headers = {
            "Content-Type": "application/json",
            "X-GitHub-Event": "pull_request",
            "X-GitHub-Delivery": str(uuid.uuid4()),
            "X-Hub-Signature-256": signed,
        }
        async with session.post(url, data=body, headers=headers) as response:
            await response.read()
            bad += response.status >= 300
        latencies.append((time.perf_counter() - due) * 1e3)

    async def repeat(lane: int) -> None:
        number = lane
        while (now := time.perf_counter()) < end:
            await send(number, now)
            number += CONNECTIONS

    async with aiohttp.ClientSession(connector=connector) as session:
        begin = time.perf_counter()
        end = begin + seconds
        if rate is None:
            await asyncio.gather(*(repeat(lane) for lane in range(CONNECTIONS)))
        else:
            async with asyncio.TaskGroup() as sending:
                for number in range(int(rate * seconds)):
                    due = begin + number / rate
                    await asyncio.sleep(max(0.0, due - time.perf_counter()))
                    sending.create_task(send(number, due))
        took = time.perf_counter() - begin
    latencies.sort()
    p50, p99 = (latencies[int(len(latencies) * part)] for part in (0.5, 0.99))
    return Result(len(latencies) / took, p50, p99, bad)
