"""Which pull requests a delivery asks Referee to look at, read from the few fields that matter."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import Field

from bot import comments
from bot.keys import FixKey, HeadKey, Key, NameKey, PullRequestKey, PushKey, RunKey, ShaKey
from bot.payloads import Envelope, ForRepository, Id, Number, Part, Repository, Told

_BRANCH = re.compile(r"refs/heads/(\S+)")
Sha = Annotated[str, Field(pattern=r"^[0-9a-f]{40,64}$")]


class _Head(Part):
    sha: Sha


class _PullRequest(Number):
    head: _Head | None = None
    updated_at: str | None = None


class PullRequestPayload(ForRepository):
    """https://docs.github.com/en/webhooks/webhook-events-and-payloads#pull_request"""

    pull_request: _PullRequest
    changes: dict[str, Any] | None = None

    def told(self) -> Told | None:
        """Return the head."""
        pull = self.pull_request
        return Told(pull.number, pull.updated_at or "", pull.head.sha) if pull.head else None

    def attention(self, app_id: int, guid: str) -> tuple[Key, ...]:
        """Return the pull request when something changed that a review reads, first a new head.

        One that is closed may have spoken for others with the same head: see `bot.sharing`.
        """
        del app_id, guid
        edited = self.action == "edited" and (self.changes or {}).keys() & {"base", "title", "body"}
        if not edited and self.action not in _CHANGED:
            return ()
        key = self.pull_request_key(self.pull_request.number)
        if self.action == "closed" and self.pull_request.head:
            head = self.pull_request.head.sha
            return ShaKey(key.installation_id, key.repository, head), key
        if self.action not in _NEW_HEAD and "base" not in (self.changes or {}):
            return (key,)
        return HeadKey(key.installation_id, key.repository, key.number), key


class ReviewThreadPayload(ForRepository):
    """https://docs.github.com/en/webhooks/webhook-events-and-payloads#pull_request_review_thread"""

    pull_request: Number

    def attention(self, app_id: int, guid: str) -> tuple[Key, ...]:
        """Return the pull request whose count of open findings changed."""
        del app_id, guid
        if self.action not in {"resolved", "unresolved"}:
            return ()
        return (self.pull_request_key(self.pull_request.number),)


class _App(Id):
    slug: str = Field("-", pattern=r"^\S+$")


class _Checks(Part):
    """What a check run and a check suite have in common."""

    head_sha: Sha
    app: _App | None = None
    pull_requests: tuple[Number, ...] = Field((), strict=False)


class _ForChecks(ForRepository):
    """A delivery about a check run or a check suite."""

    def _of(self, checks: _Checks, app_id: int) -> tuple[Key, ...]:
        if checks.app is None or checks.app.id != app_id:
            return ()
        if checks.pull_requests:
            return tuple(self.pull_request_key(pull.number) for pull in checks.pull_requests)
        # Empty for pull requests from forks:
        # https://docs.github.com/en/webhooks/webhook-events-and-payloads#check_suite
        return (ShaKey(self.installation.id, self.repository.full_name, checks.head_sha),)


class _Button(Part):
    identifier: str


class _Person(Part):
    login: str = Field(pattern=r"^[A-Za-z0-9_.-]+(\[bot\])?$", max_length=100)


class _Somebody(Part):
    login: str = Field(pattern=r"^\S+$")


class _CheckRun(_Checks):
    name: str = ""


class CheckRunPayload(_ForChecks):
    """https://docs.github.com/en/webhooks/webhook-events-and-payloads#check_run"""

    check_run: _CheckRun
    sender: _Person | None = None
    requested_action: _Button | None = None

    def attention(self, app_id: int, guid: str) -> tuple[Key, ...]:
        """Return the pull requests whose check run of ours somebody asked to run again or fix.

        Another App's may have a name of ours.
        """
        del guid
        if self.action in {"created", "completed"}:
            return self._of_others(app_id)
        if self.action not in {"rerequested", "requested_action"}:
            return ()
        keys = self._of(self.check_run, app_id)
        if self.requested_action is None or self.requested_action.identifier != "fix":
            return keys
        if self.sender is None:
            return ()
        sha, login = self.check_run.head_sha, self.sender.login
        return tuple(
            FixKey(key.installation_id, key.repository, key.number, sha, login)
            for key in keys
            if isinstance(key, PullRequestKey)
        )

    def _of_others(self, app_id: int) -> tuple[Key, ...]:
        run, app = self.check_run, self.check_run.app
        if app is None or app.id == app_id:
            return ()
        return _named(self, run.head_sha, run.name, app.slug)


class StatusPayload(Envelope):
    """https://docs.github.com/en/webhooks/webhook-events-and-payloads#status"""

    sha: Sha
    context: str
    sender: _Somebody
    installation: Id
    repository: Repository

    def attention(self, app_id: int, guid: str) -> tuple[Key, ...]:
        """Return the commit, whose gate may be called like the status that somebody set."""
        del app_id, guid
        return _named(self, self.sha, self.context, self.sender.login)


class CheckSuitePayload(_ForChecks):
    """https://docs.github.com/en/webhooks/webhook-events-and-payloads#check_suite"""

    check_suite: _Checks

    def attention(self, app_id: int, guid: str) -> tuple[Key, ...]:
        """Return the pull requests whose check suite of ours somebody asked to run again."""
        del guid
        return self._of(self.check_suite, app_id) if self.action == "rerequested" else ()


def _named(
    payload: CheckRunPayload | StatusPayload, sha: str, name: str, by: str
) -> tuple[Key, ...]:
    """Return what somebody used a name for; what no gate can be called is passed over."""
    if not 0 < len(name) <= _LONGEST_NAME:
        return ()
    return (NameKey(payload.installation.id, payload.repository.full_name, sha, name, by),)


class PushPayload(Envelope):
    """https://docs.github.com/en/webhooks/webhook-events-and-payloads#push"""

    ref: str = Field(max_length=1_000)
    before: Sha
    deleted: bool
    installation: Id
    repository: Repository

    def attention(self, app_id: int, guid: str) -> tuple[Key, ...]:
        """Return the branch that moved; pull requests into it may be judged otherwise now."""
        del app_id, guid
        branch = _BRANCH.fullmatch(self.ref)
        created = not self.before.strip("0")
        if branch is None or self.deleted or created:
            return ()
        return (PushKey(self.installation.id, self.repository.full_name, branch[1], self.before),)


class _Run(Id):
    event: str
    head_sha: Sha


class WorkflowRunPayload(ForRepository):
    """https://docs.github.com/en/webhooks/webhook-events-and-payloads#workflow_run"""

    workflow_run: _Run

    def attention(self, app_id: int, guid: str) -> tuple[Key, ...]:
        """Return the run when it starts or ends, unless it can be about no pull request.

        A label may wait for its end, and only a review sets labels.
        """
        del app_id, guid
        run, where = self.workflow_run, (self.installation.id, self.repository.full_name)
        if run.event not in _EVENTS_OF_PULL_REQUESTS:
            return ()
        found = RunKey(*where, run.id, run.head_sha)
        return (found, ShaKey(*where, run.head_sha)) if self.action == "completed" else (found,)


class _Job(Part):
    run_id: int = Field(gt=0, lt=2**63)
    head_sha: Sha


class WorkflowJobPayload(ForRepository):
    """https://docs.github.com/en/webhooks/webhook-events-and-payloads#workflow_job"""

    workflow_job: _Job

    def attention(self, app_id: int, guid: str) -> tuple[Key, ...]:
        """Return the run of the job, without haste: a sweep has hundreds of them."""
        del app_id, guid
        where, job = (self.installation.id, self.repository.full_name), self.workflow_job
        return (RunKey(*where, job.run_id, job.head_sha, soon=False),)


# https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows:
# those whose run is about the head of a branch, or is started for one.
_EVENTS_OF_PULL_REQUESTS = {
    "pull_request",
    "pull_request_target",
    "push",
    "repository_dispatch",
    "workflow_dispatch",
}
_LONGEST_NAME = 255
_NEW_HEAD = {"opened", "synchronize", "reopened"}
_CHANGED = (
    _NEW_HEAD
    | {"closed", "labeled", "unlabeled"}
    | {
        "ready_for_review",
        "converted_to_draft",
    }
)
PAYLOADS: dict[str, type[Envelope]] = {
    **comments.PAYLOADS,
    "pull_request": PullRequestPayload,
    "pull_request_review_thread": ReviewThreadPayload,
    "push": PushPayload,
    "check_run": CheckRunPayload,
    "check_suite": CheckSuitePayload,
    "status": StatusPayload,
    "workflow_run": WorkflowRunPayload,
    "workflow_job": WorkflowJobPayload,
}


def read(event: str, body: bytes) -> Envelope:
    """Return the payload of a delivery, as far as it is read.

    Raises pydantic.ValidationError for what is not a JSON object, and when the payload of one
    of the events above lacks what GitHub documents.
    """
    return PAYLOADS.get(event, Envelope).model_validate_json(body)
