from __future__ import annotations

import asyncio
import base64
import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pygit2
import pytest
from aiohttp import web

from bot.mirror import Mirror, MirrorError, Trouble

from .conftest import until

TOKEN = "ghs_aSecretTokenOfTheTests0123456789"
MAIN = "+refs/heads/main:refs/remotes/origin/main"
PULL = "+refs/pull/7/head:refs/pull/7/head"
BACKEND = Path(
    subprocess.run(
        ["git", "--exec-path"], capture_output=True, text=True, check=True
    ).stdout.strip()
)


class Remote:
    """Serves one repository by git's own CGI program, and can misbehave."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "octo" / "bench.git"
        self.repository = pygit2.init_repository(self.path, bare=True, initial_head="main")
        self.url = ""
        self.token: str | None = TOKEN
        self.answer: Any = None
        self.asked = 0
        self.most, self.now = 0, 0
        self.held = asyncio.Event()
        self.held.set()
        self.commit("refs/heads/main")
        self.commit("refs/pull/7/head")

    def commit(self, ref: str, text: str = "x", size: int = 10) -> str:
        repository = self.repository
        tree = repository.TreeBuilder()
        tree.insert("a", repository.create_blob(text.encode() + os.urandom(size)), 0o100644)
        who = pygit2.Signature("A", "a@example.com", 0, 0)
        parents = [repository.references[ref].target] if ref in repository.references else []
        made = repository.create_commit(None, who, who, text, tree.write(), parents)
        repository.references.create(ref, made, force=True)
        return str(made)

    async def respond(self, request: web.Request) -> web.StreamResponse:
        self.asked += 1
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            await self.held.wait()
            return await self._respond(request)
        finally:
            self.now -= 1

    async def _respond(self, request: web.Request) -> web.StreamResponse:
        if self.answer:
            return self.answer(request)
        expected = base64.b64encode(f"x-access-token:{self.token}".encode()).decode()
        if self.token and request.headers.get("Authorization") != f"Basic {expected}":
            return web.Response(status=401, headers={"WWW-Authenticate": "Basic realm=x"})
        backend = await asyncio.create_subprocess_exec(
            BACKEND / "git-http-backend",
            env={
                "GIT_PROJECT_ROOT": str(self.folder),
                "GIT_HTTP_EXPORT_ALL": "1",
                "PATH_INFO": request.path,
                "QUERY_STRING": request.query_string,
                "REQUEST_METHOD": request.method,
                "CONTENT_TYPE": request.headers.get("Content-Type", ""),
                "HTTP_GIT_PROTOCOL": request.headers.get("Git-Protocol", ""),
                "HTTP_CONTENT_ENCODING": request.headers.get("Content-Encoding", ""),
                "PATH": os.environ["PATH"],
            },
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        out, _ = await backend.communicate(await request.content.read())
        head, _, body = out.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        status = int(headers.pop("Status", "200").split()[0])
        return web.Response(status=status, headers=headers, body=body)


@pytest.fixture
async def remote(tmp_path: Path) -> AsyncIterator[Remote]:
    served = Remote(tmp_path / "remote")
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", served.respond)
    runner = web.AppRunner(app, access_log=None, auto_decompress=False)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    served.url = f"http://127.0.0.1:{runner.addresses[0][1]}/octo/bench.git"
    yield served
    await runner.cleanup()


@pytest.fixture
def mirror(tmp_path: Path) -> Mirror:
    return Mirror(tmp_path / "data")


async def fetch(mirror: Mirror, remote: Remote, *refspecs: str, token: str | None = TOKEN) -> Path:
    return await mirror.fetch(remote.url, "octo/bench", refspecs or (MAIN,), token)


async def fails(mirror: Mirror, remote: Remote, *refspecs: str, token: str | None = TOKEN) -> Any:
    with pytest.raises(MirrorError) as caught:
        await fetch(mirror, remote, *refspecs, token=token)
    assert TOKEN not in str(caught.value)
    assert "\n" not in str(caught.value)
    return caught.value.trouble, str(caught.value)


def at(path: Path, ref: str = "refs/remotes/origin/main") -> str:
    repository = pygit2.Repository(path)
    found = str(repository.references[ref].target)
    assert repository[found].peel(pygit2.Commit).tree
    return found


def tip(remote: Remote, ref: str = "refs/heads/main") -> str:
    return str(remote.repository.references[ref].target)


async def test_refs_are_stored_as_given_and_moved(mirror: Mirror, remote: Remote) -> None:
    path = await fetch(mirror, remote, MAIN, PULL)
    assert path == mirror.path("Octo/Bench")
    assert at(path) == tip(remote)
    assert at(path, "refs/pull/7/head") == tip(remote, "refs/pull/7/head")
    # A head that was pushed by force shares no history with the old one.
    remote.repository.references.delete("refs/pull/7/head")
    forced = remote.commit("refs/pull/7/head", "forced")
    await fetch(mirror, remote, MAIN, PULL)
    assert at(path, "refs/pull/7/head") == forced
    repository = pygit2.Repository(path)
    assert repository.is_bare
    assert sorted(repository.references) == ["refs/pull/7/head", "refs/remotes/origin/main"]


async def test_a_public_repository_needs_no_token(mirror: Mirror, remote: Remote) -> None:
    remote.token = None
    assert at(await fetch(mirror, remote, token=None)) == tip(remote)


def running_commands() -> list[tuple[int, bytes]]:
    """Return the parent and the command line of every process that can be looked at."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parent = (process / "stat").read_text().rpartition(") ")[2].split()[1]
            found.append((int(parent), (process / "cmdline").read_bytes()))
    return found


def everything_below(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


async def test_the_token_is_seen_by_git_alone(
    mirror: Mirror, remote: Remote, tmp_path: Path, log: list[Any]
) -> None:
    secrets = (TOKEN.encode(), base64.b64encode(f"x-access-token:{TOKEN}".encode()))
    remote.held.clear()
    fetching = asyncio.create_task(fetch(mirror, remote))
    await until(lambda: remote.asked)
    commands = running_commands()
    ours = [command for parent, command in commands if parent == os.getpid()]
    assert sum(command.startswith(b"git\0") for command in ours) == 1
    assert not any(secret in command for _, command in commands for secret in secrets)
    remote.held.set()
    await fetching
    remote.token = "another"
    await fails(mirror, remote)
    on_disk = everything_below(tmp_path / "data")
    assert b"[core]" in on_disk
    assert not any(secret in on_disk or secret in str(log).encode() for secret in secrets)


async def test_nothing_outside_steers_git(
    mirror: Mirror, remote: Remote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    trap.chmod(0o755)
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(
        f'[credential]\n helper = "!{trap}"\n[core]\n hooksPath = {tmp_path}/hooks\n'
        f' fsmonitor = {trap}\n[url "ext::{trap} "]\n insteadOf = http://\n'
    )
    (tmp_path / "hooks").mkdir()
    for hook in ("reference-transaction", "post-index-change", "pre-auto-gc"):
        (tmp_path / "hooks" / hook).symlink_to(trap)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_ASKPASS", str(trap))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / ".gitconfig"))
    monkeypatch.setenv("GIT_SSH_COMMAND", str(trap))
    monkeypatch.setenv("GIT_TRACE_CURL", str(tmp_path / "trace"))
    assert at(await fetch(mirror, remote)) == tip(remote)
    remote.token = "another"
    await fails(mirror, remote)
    assert not (tmp_path / "sprung").exists()
    assert not (tmp_path / "trace").exists()


async def test_hooks_and_tags_are_left_alone(mirror: Mirror, remote: Remote) -> None:
    remote.repository.create_reference("refs/tags/v1", tip(remote))
    path = await fetch(mirror, remote)
    assert not (path / "hooks").exists()
    assert sorted(pygit2.Repository(path).references) == ["refs/remotes/origin/main"]


@pytest.mark.parametrize(
    "url", ["ext::sh -c true", "file:///etc", "--upload-pack=x", "https://u:p@github.com/o/r"]
)
async def test_only_http_is_fetched(mirror: Mirror, url: str) -> None:
    with pytest.raises(
        MirrorError, match="must be http or https and hold no credentials"
    ) as caught:
        await mirror.fetch(url, "octo/bench", [MAIN], TOKEN)
    assert caught.value.trouble is Trouble.INPUT


@pytest.mark.parametrize("name", ["../x", "a/..", "a/b/c", "a", "a/.git", "-a/ b", "a/b\n"])
async def test_no_name_leads_out_of_the_folder(mirror: Mirror, name: str) -> None:
    with pytest.raises(MirrorError, match="is not an owner/name"):
        await mirror.fetch("https://github.com/a/b", name, [MAIN], TOKEN)


@pytest.mark.parametrize(
    "refspec",
    ["main", "--upload-pack=x", "refs/heads/a", "+refs/a b:refs/c", ":refs/x", "+:refs/x"],
)
async def test_refspecs_are_whole(mirror: Mirror, refspec: str) -> None:
    with pytest.raises(MirrorError, match="is not a whole refspec"):
        await mirror.fetch("https://github.com/a/b", "a/b", [refspec], TOKEN)


def redirect(_: web.Request) -> web.StreamResponse:
    return web.Response(status=302, headers={"Location": "http://127.0.0.1:9/octo/bench.git/"})


@pytest.mark.parametrize(
    ("answer", "trouble", "sentence"),
    [
        (lambda _: web.Response(status=404), Trouble.REFUSED, "octo/bench is not readable with"),
        (lambda _: web.Response(status=403), Trouble.REFUSED, "octo/bench is not readable with"),
        (lambda _: web.Response(status=503), Trouble.UNREACHABLE, "octo/bench cannot be reached:"),
        (lambda r: r.transport.abort(), Trouble.UNREACHABLE, "octo/bench cannot be reached:"),
        (redirect, Trouble.UNREACHABLE, "octo/bench cannot be reached:"),
    ],
)
async def test_trouble_of_the_server_is_one_sentence_and_keeps_the_mirror(
    mirror: Mirror, remote: Remote, answer: Any, trouble: Trouble, sentence: str
) -> None:
    path = await fetch(mirror, remote)
    inode = path.stat().st_ino
    remote.answer = answer
    found, text = await fails(mirror, remote)
    assert (found, text[: len(sentence)]) == (trouble, sentence)
    assert path.stat().st_ino == inode
    remote.answer = None
    assert at(await fetch(mirror, remote)) == tip(remote)


async def test_a_bad_token_and_a_missing_ref_are_named(mirror: Mirror, remote: Remote) -> None:
    trouble, text = await fails(mirror, remote, token="wrong")
    assert trouble is Trouble.REFUSED
    assert text.startswith("octo/bench is not readable with this token; check that the App is")
    assert await fails(mirror, remote, "+refs/pull/9/head:refs/pull/9/head") == (
        Trouble.MISSING_REF,
        "octo/bench has no refs/pull/9/head.",
    )


async def test_a_server_that_is_not_there_is_named(tmp_path: Path, unused_tcp_port: int) -> None:
    with pytest.raises(MirrorError, match="octo/bench cannot be reached: Failed to connect"):
        await Mirror(tmp_path).fetch(
            f"http://127.0.0.1:{unused_tcp_port}/o/b.git", "octo/bench", [MAIN], TOKEN
        )


async def test_a_missing_git_is_named(tmp_path: Path) -> None:
    with pytest.raises(MirrorError, match=r"git cannot be started .*: install git"):
        await Mirror(tmp_path, git="no-such-git").fetch("http://x/", "octo/bench", [MAIN], None)


async def test_a_server_that_hangs_is_given_up_and_git_with_it(
    tmp_path: Path, remote: Remote
) -> None:
    mirror = Mirror(tmp_path / "data", timeout=0.3)
    remote.held.clear()
    trouble, text = await fails(mirror, remote)
    assert trouble is Trouble.TIMEOUT
    assert text == "Fetching octo/bench took longer than 0.3 seconds."
    remote.held.set()
    assert at(await fetch(Mirror(tmp_path / "data"), remote)) == tip(remote)


async def test_a_cancelled_fetch_ends_git_and_frees_the_mirror(
    mirror: Mirror, remote: Remote
) -> None:
    remote.held.clear()
    fetching = asyncio.create_task(fetch(mirror, remote))
    await until(lambda: remote.asked)
    fetching.cancel()
    await asyncio.gather(fetching, return_exceptions=True)
    remote.held.set()
    assert at(await fetch(mirror, remote)) == tip(remote)


async def test_one_repository_is_fetched_one_by_one(mirror: Mirror, remote: Remote) -> None:
    await asyncio.gather(*(fetch(mirror, remote, MAIN, PULL) for _ in range(4)))
    assert remote.most == 1


def cut_head(path: Path) -> None:
    (path / "HEAD").write_text("")


def cut_config(path: Path) -> None:
    (path / "config").write_text("[core")


def cut_objects(path: Path) -> None:
    for found in (path / "objects").rglob("*"):
        if found.is_file():
            found.chmod(0o644)
            found.write_bytes(b"")


def cut_ref(path: Path) -> None:
    (path / "refs/remotes/origin/main").write_text("")


def leave_locks(path: Path) -> None:
    for name in ("packed-refs", "config", "refs/remotes/origin/main", "refs/pull/7/head"):
        (path / f"{name}.lock").parent.mkdir(parents=True, exist_ok=True)
        (path / f"{name}.lock").write_text("")


def block_ref(path: Path) -> None:
    (path / "refs/pull/7").mkdir(parents=True)
    (path / "refs/pull/7/head").mkdir()
    (path / "refs/pull/7/head/deeper").write_text((path / "refs/remotes/origin/main").read_text())


@pytest.mark.parametrize("newer", [True, False])
@pytest.mark.parametrize(
    "damage", [cut_head, cut_config, cut_objects, cut_ref, leave_locks, block_ref]
)
async def test_a_broken_mirror_is_made_again(
    mirror: Mirror, remote: Remote, damage: Any, newer: bool
) -> None:
    path = await fetch(mirror, remote, MAIN)
    damage(path)
    if newer:
        remote.commit("refs/heads/main", "newer")
    assert await fetch(mirror, remote, MAIN, PULL) == path
    assert at(path) == tip(remote)
    assert at(path, "refs/pull/7/head") == tip(remote, "refs/pull/7/head")
    assert not path.with_suffix(".new").exists()


async def test_a_mirror_can_be_forgotten(mirror: Mirror, remote: Remote) -> None:
    path = await fetch(mirror, remote)
    await mirror.forget("octo/bench")
    await mirror.forget("octo/bench")
    assert not path.exists()
    assert at(await fetch(mirror, remote)) == tip(remote)


CRASH = """
    import asyncio, sys
    from pathlib import Path
    from bot.mirror import Mirror

    spec = "+refs/heads/main:refs/remotes/origin/main"
    asyncio.run(Mirror(Path(sys.argv[1])).fetch(sys.argv[2], "octo/bench", [spec], sys.argv[3]))
"""


async def test_a_crash_in_the_middle_of_a_fetch_is_survived(
    mirror: Mirror, remote: Remote, tmp_path: Path
) -> None:
    remote.held.clear()
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        textwrap.dedent(CRASH),
        str(tmp_path / "data"),
        remote.url,
        TOKEN,
        cwd=Path(__file__).parents[2],
        stderr=asyncio.subprocess.DEVNULL,
    )
    await until(lambda: remote.asked)
    child.send_signal(signal.SIGKILL)
    await child.wait()
    # git outlives its parent and holds the mirror until it is done.
    before = time.monotonic()
    fetching = asyncio.create_task(fetch(mirror, remote))
    await asyncio.sleep(0.1)
    assert remote.asked == 1
    remote.held.set()
    assert at(await fetching) == tip(remote)
    assert remote.most == 1
    assert time.monotonic() - before < 5
