"""Workflows, their runs, attempts, jobs and artifacts, as the sandbox remembers them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.sandbox.state import Account, Repository


@dataclass(eq=False)
class Workflow:
    """A workflow file.

    `jobs` are the names of what a run does; `dispatchable` says whether it may be started by hand,
    with `inputs`; `labels` are those that start it on a pull request, as does a push while one is
    there. `run_name` is the title of its dispatched runs, with inputs in braces.
    """

    id: int
    repository: Repository
    file: str
    name: str
    created_at: str
    jobs: tuple[str, ...] = ()
    dispatchable: bool = False
    inputs: tuple[str, ...] = ()
    labels: frozenset[str] = frozenset()
    run_name: str = ""

    @property
    def path(self) -> str:
        """Where it stands in the repository."""
        return f".github/workflows/{self.file}"


@dataclass(eq=False)
class JobRun:
    """One execution of a job, or a copy of it in a later attempt that did not run it again."""

    id: int
    attempt: Attempt
    name: str
    created_at: str
    started_at: str
    status: str = "queued"
    conclusion: str | None = None
    completed_at: str | None = None
    labels: tuple[str, ...] = ("self-hosted",)
    runner: str | None = None


@dataclass(eq=False)
class Attempt:
    """One attempt of a run, by whoever asked for it; `wanted` is how it is to end, if not None."""

    run: Run
    number: int
    actor: Account
    started_at: str
    updated_at: str
    status: str = "queued"
    conclusion: str | None = None
    wanted: str | None = None
    jobs: list[JobRun] = field(default_factory=list)


@dataclass(eq=False)
class Stored:
    """An artifact: a zip archive, until it expires."""

    id: int
    run: Run
    name: str
    content: bytes
    created_at: str
    expires_at: str
    expired: bool = False


@dataclass(eq=False)
class Run:
    """A workflow run."""

    id: int
    number: int
    workflow: Workflow
    event: str
    head_repository: Repository
    head_branch: str
    head_sha: str
    title: str
    actor: Account
    created_at: str
    inputs: dict[str, str] = field(default_factory=dict)
    attempts: list[Attempt] = field(default_factory=list)
    artifacts: list[Stored] = field(default_factory=list)
    logs_expired: bool = False

    @property
    def repository(self) -> Repository:
        """Where it runs."""
        return self.workflow.repository

    @property
    def attempt(self) -> Attempt:
        """The newest attempt."""
        return self.attempts[-1]

    @property
    def finished(self) -> bool:
        """Whether its newest attempt is over."""
        return self.attempt.status == "completed"

    def job(self, name: str) -> JobRun:
        """A job of the newest attempt.

        Raises LookupError when it has none of that name.
        """
        found = [job for job in self.attempt.jobs if job.name == name]
        if len(found) != 1:
            raise LookupError(f"The run {self.id} has {len(found)} jobs {name!r}.")
        return found[0]


def zipped(files: Mapping[str, bytes]) -> bytes:
    """A zip archive of some files."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as writer:
        for path, content in files.items():
            writer.writestr(path, content)
    return archive.getvalue()
