"""Fetching over HTTP, and nothing else."""

import asyncio
import base64
from pathlib import Path

import pytest

from bot.sandbox import Sandbox
from bot.sandbox.git import environment
from bot.sandbox.state import PullRequest
from tests.gitkit import GitRepo
from tests.sandbox.conftest import NAME, PATH, Client


def basic(token: str) -> str:
    return base64.b64encode(f"x-access-token:{token}".encode()).decode()


async def git(client: Client, *arguments: str, token: str | None = None) -> tuple[int, str]:
    """Run git with a token in its environment; the status and what it printed."""
    secret = client.token if token is None else token
    variables = {
        **environment(),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"http.{client.sandbox.url}/.extraHeader",
        "GIT_CONFIG_VALUE_0": f"Authorization: Basic {basic(secret)}" if secret else "X-None: 1",
    }
    child = await asyncio.create_subprocess_exec(
        *("git", *arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env=variables,
    )
    output, _ = await child.communicate()
    assert child.returncode is not None
    return child.returncode, output.decode()


@pytest.fixture
def remote(github: Sandbox) -> str:
    return f"{github.url}/{NAME}.git"


async def test_branches_and_pull_requests_are_there(
    client: Client, remote: str, pull: PullRequest
) -> None:
    status, output = await git(client, "ls-remote", remote)
    refs = dict(line.split("\t")[::-1] for line in output.splitlines())
    assert status == 0
    assert refs["refs/pull/1/head"] == refs["refs/heads/feature"] == pull.head_sha
    assert refs["HEAD"] == refs["refs/heads/main"] == pull.base_sha


@pytest.mark.parametrize("what", ["refs/pull/1/head", "sha", "filtered"])
async def test_a_head_is_fetched(
    client: Client, remote: str, pull: PullRequest, tmp_path: Path, what: str
) -> None:
    target = str(tmp_path / "mirror")
    wanted = "refs/pull/1/head" if what.startswith("refs") else pull.head_sha
    more = ("--filter=blob:none",) if what == "filtered" else ()
    await git(client, "init", "-q", "--bare", target)
    fetched = await git(client, "-C", target, "fetch", "-q", *more, remote, f"+{wanted}:refs/x")
    assert fetched == (0, "")
    _, found = await git(client, "-C", target, "rev-parse", "refs/x")
    assert found.strip() == pull.head_sha


@pytest.mark.parametrize("token", ["", "ghs_unknown"])
async def test_without_a_live_token_nothing_is_served(
    client: Client, remote: str, token: str
) -> None:
    status, output = await git(client, "ls-remote", remote, token=token)
    assert status == 128
    assert "refs/" not in output


async def test_other_repositories_are_not_served(
    client: Client, github: Sandbox, clone: GitRepo
) -> None:
    await github.add_repository("other/bench", clone.path)
    for name in ("other/bench", "example/none"):
        status, output = await git(client, "ls-remote", f"{github.url}/{name}.git")
        assert (status, "not found" in output) == (128, True)


async def test_reading_needs_contents(client: Client, github: Sandbox, remote: str) -> None:
    del github.state.app.permissions["contents"]
    assert (await git(client, "ls-remote", remote))[0] == 128


async def test_pushing_is_refused(client: Client, remote: str, clone: GitRepo) -> None:
    clone.commit("evil", {PATH: "x\n"}, start="main")
    status, output = await git(client, "-C", str(clone.path), "push", remote, "evil:main")
    assert (status, "403" in output) == (128, True)


async def test_no_other_file_is_served(client: Client, remote: str) -> None:
    headers = {"Authorization": f"Basic {basic(client.token)}"}
    for path in ("HEAD", "config", "objects/info/packs", "info/refs", "../../config"):
        async with client.session.get(f"{remote}/{path}", headers=headers) as response:
            assert response.status in (403, 404), path
