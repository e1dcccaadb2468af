"""Runs, jobs and artifacts are read as GitHub has them."""

import io
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from bot.cli.sandbox import settings_for
from bot.github import Client, GitHub, GitHubRefused, GitHubUnreachable
from bot.runs import archive_of, artifacts_of, has_logs, jobs_of, run_of, runs_at, unfinished
from bot.sandbox import Sandbox
from bot.sandbox.workflows import Run
from checks.sweeps.runs import Head
from tests.gitkit import GitRepo

NAME = "example/bench"
JOBS = [f"job {number}" for number in range(130)]


@pytest.fixture
async def run(sandbox: Sandbox, tmp_path: Path) -> Run:
    clone = GitRepo(tmp_path / "clone")
    clone.commit("main", {"README.md": "# Bench\n"})
    clone.repository.set_head("refs/heads/main")
    clone.commit("pr", {"README.md": "# More\n"}, start="main")
    await sandbox.add_repository(NAME, clone.path)
    await sandbox.open_pull_request(NAME, "pr", "main")
    return await sandbox.start_run(1, sandbox.add_workflow(NAME, "sweep.yml", "Sweep", JOBS))


@pytest.fixture
async def client(sandbox: Sandbox, run: Run, tmp_path: Path) -> AsyncIterator[Client]:
    installation = run.repository.installation
    assert installation is not None
    async with aiohttp.ClientSession() as session:
        yield GitHub(session, settings_for(sandbox, tmp_path / "bot")).installation(installation.id)


async def test_a_run_and_all_of_its_jobs(client: Client, sandbox: Sandbox, run: Run) -> None:
    head = Head(NAME, "pr", run.head_sha)
    assert await run_of(client, NAME, 1) is None
    found = await run_of(client, NAME, run.id)
    assert found is not None
    assert (found.workflow, found.title, found.actor) == ("sweep.yml", "Sweep - A change", "author")
    assert await runs_at(client, NAME, head) == (found,)
    assert await runs_at(client, NAME, Head("else/bench", "pr", run.head_sha)) == ()
    assert await unfinished(client, NAME, Head(NAME, "pr", "0" * 40)) == (found,)
    assert await unfinished(client, NAME, Head("else/bench", "pr", run.head_sha)) == ()
    assert [job.name for job in await jobs_of(client, NAME, run.id)] == JOBS
    await sandbox.finish_run(run, {"job 7": "failure"})
    assert await unfinished(client, NAME, head) == ()
    (failed,) = [job for job in await jobs_of(client, NAME, run.id) if job.failed]
    assert (failed.name, failed.attempt, failed.labels) == ("job 7", 1, ("self-hosted",))
    assert failed.completed_at is not None


async def test_archives_and_logs_until_they_expire(
    client: Client, sandbox: Sandbox, run: Run
) -> None:
    sandbox.add_artifact(run, "results", {"a.json": b"[1]"})
    (artifact,) = await artifacts_of(client, NAME, run.id)
    assert (artifact.name, artifact.expired) == ("results", False)
    archive = await archive_of(client, NAME, artifact, 1000)
    assert len(archive) == artifact.size
    assert zipfile.ZipFile(io.BytesIO(archive)).read("a.json") == b"[1]"
    with pytest.raises(GitHubUnreachable, match="longer than 10 bytes"):
        await archive_of(client, NAME, artifact, 10)
    assert await has_logs(client, NAME, run.id)
    sandbox.expire_artifacts(run)
    sandbox.expire_logs(run)
    assert (await artifacts_of(client, NAME, run.id))[0].expired
    with pytest.raises(GitHubRefused, match="410 Artifact has expired"):
        await archive_of(client, NAME, artifact, 1000)
    assert not await has_logs(client, NAME, run.id)
