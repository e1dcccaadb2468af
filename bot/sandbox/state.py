"""What the sandbox remembers: repositories, pull requests, comments, checks, deliveries.

Everything lives in memory, ids count up from 1000, and the time comes from a clock passed in,
so two runs of the same story give the same state.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from bot.sandbox.delivery import Delivery
from bot.sandbox.git import Git

if TYPE_CHECKING:
    from bot.sandbox.installations import App, Installation, Token
    from bot.sandbox.suites import CheckRun, CheckSuite, Status
    from bot.sandbox.workflows import Run, Workflow

Clock = Callable[[], float]
Side = Literal["LEFT", "RIGHT"]


@dataclass(frozen=True)
class Account:
    """A person, an organization or a bot."""

    id: int
    login: str
    kind: Literal["User", "Organization", "Bot"] = "User"


@dataclass(frozen=True)
class Label:
    """A repository's label."""

    id: int
    name: str
    color: str = "ededed"
    description: str = ""


@dataclass(frozen=True)
class Reaction:
    """A reaction of an account to something said."""

    id: int
    author: Account
    content: str
    created_at: str


@dataclass(frozen=True)
class ContentEdit:
    """A version of a comment: who wrote it, and when. The first is how it was made."""

    id: int
    editor: Account
    at: str


@dataclass(eq=False)
class IssueComment:
    """A comment in a pull request's conversation."""

    id: int
    pull: PullRequest
    author: Account
    body: str
    created_at: str
    updated_at: str
    reactions: list[Reaction] = field(default_factory=list)
    edits: list[ContentEdit] = field(default_factory=list)


@dataclass(eq=False)
class Review:
    """A submitted review; its inline comments stand in the threads."""

    id: int
    pull: PullRequest
    author: Account
    body: str
    state: str
    commit: str
    submitted_at: str
    reactions: list[Reaction] = field(default_factory=list)
    edits: list[ContentEdit] = field(default_factory=list)


@dataclass(eq=False)
class ReviewComment:
    """One comment of a review thread."""

    id: int
    thread: ReviewThread
    review: Review
    author: Account
    body: str
    created_at: str
    updated_at: str
    reactions: list[Reaction] = field(default_factory=list)
    edits: list[ContentEdit] = field(default_factory=list)


@dataclass(eq=False)
class ReviewThread:
    """A conversation about lines; `line` is None once those lines are gone at the head."""

    id: int
    pull: PullRequest
    path: str
    side: Side
    line: int | None
    start_line: int | None
    start_side: Side | None
    original_line: int
    original_start_line: int | None
    original_commit: str
    diff_hunk: str
    comments: list[ReviewComment] = field(default_factory=list)
    resolved_by: Account | None = None

    @property
    def resolved(self) -> bool:
        """Whether somebody resolved it."""
        return self.resolved_by is not None

    @property
    def outdated(self) -> bool:
        """Whether its lines are gone from the pull request's diff."""
        return self.line is None


@dataclass(frozen=True)
class Push:
    """A head that a pull request got."""

    id: int
    commit: str
    pusher: Account
    at: str
    before: str = ""


@dataclass(frozen=True)
class Labelling:
    """A label that was put on or taken off."""

    id: int
    label: Label
    on: bool
    actor: Account
    at: str


@dataclass(eq=False)
class PullRequest:
    """A pull request and its conversation."""

    id: int
    number: int
    repository: Repository
    title: str
    body: str
    author: Account
    head_repository: Repository
    head_ref: str
    base_ref: str
    head_sha: str
    base_sha: str
    draft: bool
    created_at: str
    updated_at: str
    state: Literal["open", "closed"] = "open"
    closed_at: str | None = None
    merged_at: str | None = None
    merged_by: Account | None = None
    merge_sha: str | None = None
    pushes: list[Push] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    labellings: list[Labelling] = field(default_factory=list)
    comments: list[IssueComment] = field(default_factory=list)
    reviews: list[Review] = field(default_factory=list)
    threads: list[ReviewThread] = field(default_factory=list)

    @property
    def check_runs(self) -> list[CheckRun]:
        """The check runs of the present head, oldest first."""
        return [run for run in self.repository.check_runs if run.suite.head_sha == self.head_sha]

    @property
    def statuses(self) -> dict[str, Status]:
        """The newest status of each context at the present head."""
        every = self.repository.statuses
        return {each.context: each for each in every if each.sha == self.head_sha}

    @property
    def merge_base(self) -> str:
        """The commit that the pull request's own diff starts from."""
        return self.repository.git.merge_base(self.base_sha, self.head_sha)


@dataclass(eq=False)
class Repository:
    """A repository and everything that hangs on it."""

    id: int
    owner: Account
    name: str
    git: Git
    source: Path
    default_branch: str
    created_at: str
    installation: Installation | None = None
    pulls: dict[int, PullRequest] = field(default_factory=dict)
    labels: dict[str, Label] = field(default_factory=dict)
    check_suites: list[CheckSuite] = field(default_factory=list)
    check_runs: list[CheckRun] = field(default_factory=list)
    statuses: list[Status] = field(default_factory=list)
    workflows: dict[str, Workflow] = field(default_factory=dict)  # by the name of the file
    runs: list[Run] = field(default_factory=list)
    associations: dict[str, str] = field(default_factory=dict)
    archived: bool = False

    @property
    def full_name(self) -> str:
        """`owner/name`."""
        return f"{self.owner.login}/{self.name}"


class State:
    """Everything, with the clock and the counter that it is made with."""

    def __init__(self, clock: Clock = time.time) -> None:
        self.clock = clock
        self.url = ""
        self._last_id = 999
        self.accounts: dict[str, Account] = {}
        self.repositories: list[Repository] = []
        self.installations: list[Installation] = []
        self.deliveries: list[Delivery] = []
        self.tokens: dict[str, Token] = {}
        self.returns_run_details = True  # not on an older GitHub Enterprise Server
        self.roles: dict[str, str] = {}  # by login; see `roles.role_of`
        self.teams: dict[str, tuple[str, ...]] = {}  # logins of members by "organisation/team"
        self.app: App

    @property
    def api_url(self) -> str:
        """The REST base, laid out as on a GitHub Enterprise Server."""
        return f"{self.url}/api/v3"

    def next_id(self) -> int:
        """A number never given before."""
        self._last_id += 1
        return self._last_id

    def now(self) -> str:
        """The time as GitHub writes it: seconds, UTC."""
        return stamp(self.clock())

    def account(self, login: str, kind: Literal["User", "Organization", "Bot"] = "User") -> Account:
        """The account of that login, made when it is new."""
        if login not in self.accounts:
            self.accounts[login] = Account(self.next_id(), login, kind)
        return self.accounts[login]

    def repository(self, full_name: str) -> Repository | None:
        """The repository of that name; GitHub ignores case here."""
        wanted = full_name.lower()
        return next((r for r in self.repositories if r.full_name.lower() == wanted), None)

    def pulls(self) -> Iterable[PullRequest]:
        """Every pull request of every repository."""
        return (pull for repository in self.repositories for pull in repository.pulls.values())


def stamp(seconds: float) -> str:
    """Epoch seconds as `2026-11-30T12:00:00Z`."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
