"""Which pull requests a delivery asks Referee to look at, read from the few fields that matter."""

from __future__ import annotations

from collections.abc import Callable
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


Key = PullRequestKey | ShaKey


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


class _PullRequest(_Payload):
    number: int = Field(gt=0, lt=2**31)


class _ForRepository(Envelope):
    """A delivery that an App gets about a repository: both are always there."""

    action: str
    installation: _Id
    repository: _Repository

    def pull_request_key(self, number: int) -> PullRequestKey:
        return PullRequestKey(self.installation.id, self.repository.full_name, number)


class PullRequestPayload(_ForRepository):
    """https://docs.github.com/en/webhooks/webhook-events-and-payloads#pull_request"""

    pull_request: _PullRequest
    changes: dict[str, Any] = {}


class ReviewThreadPayload(_ForRepository):
    """https://docs.github.com/en/webhooks/webhook-events-and-payloads#pull_request_review_thread"""

    pull_request: _PullRequest


class _Checks(_Payload):
    """What a check run and a check suite have in common."""

    head_sha: str = Field(pattern=r"^[0-9a-f]{40,64}$")
    app: _Id | None = None


class _CheckSuite(_Checks):
    pull_requests: tuple[_PullRequest, ...] = Field((), strict=False)


class _CheckRun(_CheckSuite):
    check_suite: _CheckSuite | None = None


class CheckRunPayload(_ForRepository):
    """https://docs.github.com/en/webhooks/webhook-events-and-payloads#check_run"""

    check_run: _CheckRun


class CheckSuitePayload(_ForRepository):
    """https://docs.github.com/en/webhooks/webhook-events-and-payloads#check_suite"""

    check_suite: _CheckSuite


def _of_pull_request(body: bytes, _app_id: int) -> tuple[Key, ...]:
    payload = PullRequestPayload.model_validate_json(body)
    if payload.action == "edited" and not payload.changes.keys() & {"base", "title", "body"}:
        return ()
    return (payload.pull_request_key(payload.pull_request.number),)


def _of_review_thread(body: bytes, _app_id: int) -> tuple[Key, ...]:
    payload = ReviewThreadPayload.model_validate_json(body)
    return (payload.pull_request_key(payload.pull_request.number),)


def _of_check_run(body: bytes, app_id: int) -> tuple[Key, ...]:
    payload = CheckRunPayload.model_validate_json(body)
    return _of_checks(payload, payload.check_run, app_id)


def _of_check_suite(body: bytes, app_id: int) -> tuple[Key, ...]:
    payload = CheckSuitePayload.model_validate_json(body)
    return _of_checks(payload, payload.check_suite, app_id)


def _of_checks(payload: _ForRepository, checks: _CheckSuite, app_id: int) -> tuple[Key, ...]:
    if checks.app is None or checks.app.id != app_id:
        return ()
    if checks.pull_requests:
        return tuple(payload.pull_request_key(pull.number) for pull in checks.pull_requests)
    # Empty for pull requests from forks:
    # https://docs.github.com/en/webhooks/webhook-events-and-payloads#check_suite
    repository = payload.repository.full_name
    return (ShaKey(payload.installation.id, repository, checks.head_sha),)


_ATTENTION: dict[tuple[str, str], Callable[[bytes, int], tuple[Key, ...]]] = {
    ("pull_request", "opened"): _of_pull_request,
    ("pull_request", "synchronize"): _of_pull_request,
    ("pull_request", "reopened"): _of_pull_request,
    ("pull_request", "ready_for_review"): _of_pull_request,
    ("pull_request", "edited"): _of_pull_request,
    ("pull_request", "labeled"): _of_pull_request,
    ("pull_request", "unlabeled"): _of_pull_request,
    ("pull_request_review_thread", "resolved"): _of_review_thread,
    ("pull_request_review_thread", "unresolved"): _of_review_thread,
    ("check_run", "rerequested"): _of_check_run,
    ("check_run", "requested_action"): _of_check_run,
    ("check_suite", "rerequested"): _of_check_suite,
    # Comments are not read yet: ("issue_comment", "created") and its kin go here.
}


def attention(event: str, action: str | None, body: bytes, app_id: int) -> tuple[Key, ...]:
    """Return the keys that this payload asks to look at; none for all it need not know.

    Check runs and check suites of other Apps than `app_id` are ignored.
    Raises pydantic.ValidationError when a payload of a known event lacks what GitHub documents.
    """
    known = _ATTENTION.get((event, action or ""))
    return known(body, app_id) if known else ()
