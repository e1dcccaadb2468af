"""Starting, stopping, and telling the same story twice."""

from pathlib import Path

import aiohttp
import pytest

from bot.sandbox import Sandbox
from tests.gitkit import GitRepo
from tests.sandbox.conftest import NAME, Client


async def story(directory: Path, clone: GitRepo) -> list[object]:
    """A pull request with a review; everything that must be the same each time."""
    async with Sandbox(directory, clock=lambda: 1_780_000_000.0) as sandbox:
        await sandbox.add_repository(NAME, clone.path)
        await sandbox.open_pull_request(NAME, "feature", "main")
        async with aiohttp.ClientSession(headers={"User-Agent": "tests"}) as session:
            client = Client(sandbox, session)
            await client.log_in()
            await client.review({"line": 10, "body": "```suggestion\nten\n```"})
        pull = sandbox.pull_request(1)
        head = await sandbox.apply_suggestion(pull.threads[0].comments[0])
        await sandbox.merge(1)
        answers = [exchange.status for exchange in sandbox.requests]
        guids = [delivery.guid for delivery in sandbox.deliveries]
        return [head, pull.merge_sha, client.token, answers, guids, pull.threads[0].id]


async def test_the_same_story_gives_the_same_ids_and_commits(
    tmp_path: Path, clone: GitRepo
) -> None:
    first = await story(tmp_path / "one", clone)
    assert await story(tmp_path / "two", clone) == first


async def test_it_starts_and_stops_cleanly(tmp_path: Path, clone: GitRepo) -> None:
    sandbox = Sandbox(tmp_path / "served", slug="judge", person="alice")
    await sandbox.start()
    assert sandbox.url.startswith("http://127.0.0.1:")
    assert (sandbox.api_url, sandbox.graphql_url) == (
        f"{sandbox.url}/api/v3",
        f"{sandbox.url}/api/graphql",
    )
    assert sandbox.state.app.bot.login == "judge[bot]"
    await sandbox.add_repository(NAME, clone.path)
    assert (tmp_path / "served" / f"{NAME}.git" / "HEAD").exists()
    await sandbox.stop()
    async with aiohttp.ClientSession() as session:
        with pytest.raises(aiohttp.ClientConnectorError):
            await session.get(sandbox.url)


async def test_a_taken_port_is_an_error(sandbox: Sandbox, tmp_path: Path) -> None:
    port = int(sandbox.url.rpartition(":")[2])
    second = Sandbox(tmp_path / "second", port=port)
    with pytest.raises(OSError, match="address already in use"):
        await second.start()


async def test_two_sandboxes_share_nothing(tmp_path: Path, clone: GitRepo) -> None:
    async with Sandbox(tmp_path / "a") as one, Sandbox(tmp_path / "b") as other:
        await one.add_repository(NAME, clone.path)
        del one.state.app.permissions["checks"]
        assert other.state.repositories == []
        assert other.state.app.permissions["checks"] == "write"


async def test_the_source_is_left_alone(github: Sandbox, clone: GitRepo) -> None:
    before = _refs(clone)
    commit = await github.merge(1)
    assert commit not in clone.repository
    assert _refs(clone) == before


def _refs(clone: GitRepo) -> dict[str, str]:
    names = list(clone.repository.references)
    return {name: str(clone.repository.references[name].target) for name in names}
