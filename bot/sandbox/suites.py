"""Check suites and check runs, as the sandbox remembers them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.sandbox.delivery import Json

if TYPE_CHECKING:
    from bot.sandbox.state import Account, Repository


@dataclass(eq=False)
class CheckSuite:
    """All check runs of one app at one commit; ``app_id`` is 0 once the App is deleted."""

    id: int
    repository: Repository
    app_id: int
    head_sha: str
    head_branch: str
    created_at: str
    app_slug: str = ""  # of another App than ours


@dataclass(frozen=True)
class Status:
    """A commit status; the newest of a context counts."""

    id: int
    sha: str
    context: str
    state: str
    description: str | None
    target_url: str | None
    creator: Account
    created_at: str


@dataclass(eq=False)
class CheckRun:
    """A check run; annotations only ever grow."""

    id: int
    suite: CheckSuite
    name: str
    status: str
    conclusion: str | None
    started_at: str
    completed_at: str | None = None
    details_url: str | None = None
    external_id: str = ""
    title: str | None = None
    summary: str | None = None
    text: str | None = None
    annotations: list[Json] = field(default_factory=list)
    actions: list[Json] = field(default_factory=list)
