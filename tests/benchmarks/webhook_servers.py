"""The servers that the webhook benchmark compares, each in a process of its own.

`python -m tests.benchmarks.webhook_servers referee|bare FOLDER` prints the port it listens on.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiohttp import web
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from pydantic import SecretStr

from bot.app import make_app, start
from bot.delivery import MOST_BYTES, check_headers, check_signature
from bot.jobs.embedded import EmbeddedJobs
from bot.settings import Settings

SECRET = "the secret of the benchmark"
ROOT = Path(__file__).parents[2]
PEER = Path(__file__).parent / "probot"


@dataclass(frozen=True)
class Server:
    """A server that listens on `port`; `path` takes deliveries."""

    name: str
    pid: int
    port: int
    path: str

    def peak_megabytes(self) -> float:
        """Return the most resident memory that the process had so far."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        kilobytes = next(line for line in status.splitlines() if line.startswith("VmHWM"))
        return int(kilobytes.split()[1]) / 1024

    def cpu_seconds(self) -> float:
        """Return the processor time that all threads of the process used so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def python_server(kind: str, folder: Path) -> Iterator[Server]:
    """Run Referee itself ("referee"), or a handler that only verifies ("bare")."""
    command = [sys.executable, "-m", "tests.benchmarks.webhook_servers", kind, str(folder)]
    with _process(command, dict(os.environ), ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        yield Server(kind, process.pid, port, "/webhook")


@contextlib.contextmanager
def probot_server(folder: Path) -> Iterator[Server]:
    """Install Probot into `folder` and run the peer there; raises OSError when it cannot."""
    for name in ("package.json", "package-lock.json", "peer.js"):
        shutil.copy(PEER / name, folder)
    (folder / "deliveries").mkdir()
    install = ["npm", "ci", "--silent", "--no-audit", "--no-fund", "--ignore-scripts"]
    subprocess.run(install, cwd=folder, check=True, capture_output=True, timeout=300)
    port = _free_port()
    key = rsa.generate_private_key(65537, 2048).private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
    )
    environment = {
        "PATH": os.environ["PATH"],
        "NODE_ENV": "production",
        "APP_ID": "1",
        "PRIVATE_KEY": key.decode(),
        "WEBHOOK_SECRET": SECRET,
        "LOG_LEVEL": "fatal",
        "HOST": "127.0.0.1",
        "PORT": str(port),
        "PEER_FOLDER": str(folder / "deliveries"),
    }
    with _process(["node", "peer.js"], environment, folder) as process:
        _wait_for(port, process)
        yield Server("probot", process.pid, port, "/api/github/webhooks")


@contextlib.contextmanager
def _process(
    command: list[str], environment: dict[str, str], folder: Path, **more: Any
) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(command, cwd=folder, env=environment, **more)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(timeout=30)
        if process.stdout:
            process.stdout.close()


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    for _ in range(200):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        if process.poll() is not None:
            raise OSError(f"the peer ended with status {process.returncode}")
        time.sleep(0.1)
    raise OSError("the peer does not listen after 20 seconds")


async def _only_verify(request: web.Request) -> web.Response:
    headers = check_headers(request.headers)
    check_signature(headers.signature, await request.read(), (SecretStr(SECRET),))
    return web.Response(status=202)


async def _review(_: object) -> None:
    """Stand for a review, which mostly waits for GitHub."""
    await asyncio.sleep(1)


def settings_in(folder: Path) -> Settings:
    """Return settings of an App that is not there."""
    return Settings(
        app_id=1,
        private_key=rsa.generate_private_key(65537, 2048),
        webhook_secrets=(SECRET,),
        data_dir=folder,
    )


async def _serve(kind: str, folder: Path) -> None:
    if kind == "bare":
        app = web.Application(client_max_size=MOST_BYTES)
        app.router.add_post("/webhook", _only_verify)
        tasks = []
    else:
        settings = settings_in(folder)
        jobs = EmbeddedJobs(folder / "referee.db")
        app = make_app(settings, jobs)
        tasks = [asyncio.create_task(jobs.run(_review, None, 2))]
    _, port = await start(app, "127.0.0.1", 0)
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    await asyncio.gather(asyncio.Event().wait(), *tasks)


if __name__ == "__main__":
    asyncio.run(_serve(sys.argv[1], Path(sys.argv[2])))
