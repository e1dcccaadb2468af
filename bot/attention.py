"""Which pull requests a delivery asks Referee to look at, read from the few fields that matter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field


@dataclass(frozen=True, slots=True)
class PullRequestKey:
    """One pull request, as one installation of the App sees it; `repository` is "owner/name"."""

    installation_id: int
    repository: str
    number: int


@dataclass(frozen=True, slots=True)
class ShaKey:
    """The open pull requests with this head SHA, where GitHub did not say which they are."""

    installation_id: int
    repository: str
    sha: str


@dataclass(frozen=True, slots=True)
class FixKey:
    """A press of "Apply fixes": for one head of a pull request, by one person.

    A head is fixed once: the commit that does it moves the head away from `sha`.
    """

    installation_id: int
    repository: str
    number: int
    sha: str
    login: str


Key = PullRequestKey | ShaKey | FixKey


class _Payload(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")


class _Id(_Payload):
    id: int = Field(gt=0, lt=2**63)


class _Repository(_Payload):
    full_name: str = Field(pattern=r"^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$", max_length=256)


class Envelope(_Payload):
    """What every delivery may carry, whatever its event."""

    action: str | None = None
    installation: _Id | None = None
    repository: _Repository | None = None

    def attention(self, app_id: int) -> tuple[Key, ...]:
        """Return what App `app_id` should look at; nothing, for all events but those below."""
        del app_id
        return ()


class _PullRequest(_Payload):
    number: int = Field(gt=0, lt=2**31)


class _ForRepository(Envelope):
    """A delivery that an App gets about a repository: all three are always there."""

    action: str
    installation: _Id
    repository: _Repository

    def _pull_request_key(self, number: int) -> PullRequestKey:
        return PullRequestKey(self.installation.id, self.repository.full_name, number)


class PullRequestPayload(_ForRepository):
    """https://docs.github.com/en/webhooks/webhook-events-and-payloads#pull_request"""

    pull_request: _PullRequest
    changes: dict[str, Any] | None = None

    def attention(self, app_id: int) -> tuple[Key, ...]:
        """Return the pull request when something changed that a review reads."""
        del app_id
        edited = self.action == "edited" and (self.changes or {}).keys() & {"base", "title", "body"}
        if not edited and self.action not in _CHANGED:
            return ()
        return (self._pull_request_key(self.pull_request.number),)


class ReviewThreadPayload(_ForRepository):
    """https://docs.github.com/en/webhooks/webhook-events-and-payloads#pull_request_review_thread"""

    pull_request: _PullRequest

    def attention(self, app_id: int) -> tuple[Key, ...]:
        """Return the pull request whose count of open findings changed."""
        del app_id
        if self.action not in {"resolved", "unresolved"}:
            return ()
        return (self._pull_request_key(self.pull_request.number),)


class _Checks(_Payload):
    """What a check run and a check suite have in common."""

    head_sha: str = Field(pattern=r"^[0-9a-f]{40,64}$")
    app: _Id | None = None
    pull_requests: tuple[_PullRequest, ...] = Field((), strict=False)


class _ForChecks(_ForRepository):
    """A delivery about a check run or a check suite."""

    def _of(self, checks: _Checks, app_id: int) -> tuple[Key, ...]:
        if checks.app is None or checks.app.id != app_id:
            return ()
        if checks.pull_requests:
            return tuple(self._pull_request_key(pull.number) for pull in checks.pull_requests)
        # Empty for pull requests from forks:
        # https://docs.github.com/en/webhooks/webhook-events-and-payloads#check_suite
        return (ShaKey(self.installation.id, self.repository.full_name, checks.head_sha),)


class _Button(_Payload):
    identifier: str


class _Person(_Payload):
    login: str = Field(pattern=r"^[A-Za-z0-9_.-]+(\[bot\])?$", max_length=100)


class CheckRunPayload(_ForChecks):
    """https://docs.github.com/en/webhooks/webhook-events-and-payloads#check_run"""

    check_run: _Checks
    sender: _Person | None = None
    requested_action: _Button | None = None

    def attention(self, app_id: int) -> tuple[Key, ...]:
        """Return the pull requests whose check run of ours somebody asked to run again or fix."""
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


class CheckSuitePayload(_ForChecks):
    """https://docs.github.com/en/webhooks/webhook-events-and-payloads#check_suite"""

    check_suite: _Checks

    def attention(self, app_id: int) -> tuple[Key, ...]:
        """Return the pull requests whose check suite of ours somebody asked to run again."""
        return self._of(self.check_suite, app_id) if self.action == "rerequested" else ()


_CHANGED = {"opened", "synchronize", "reopened", "ready_for_review", "labeled", "unlabeled"}
_PAYLOADS: dict[str, type[Envelope]] = {
    "pull_request": PullRequestPayload,
    "pull_request_review_thread": ReviewThreadPayload,
    "check_run": CheckRunPayload,
    "check_suite": CheckSuitePayload,
    # Comments are not read yet: issue_comment and its kin go here.
}


def read(event: str, body: bytes) -> Envelope:
    """Return the payload of a delivery, as far as it is read.

    Raises pydantic.ValidationError for what is not a JSON object, and when the payload of one
    of the events above lacks what GitHub documents.
    """
    return _PAYLOADS.get(event, Envelope).model_validate_json(body)
