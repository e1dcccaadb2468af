"""Read what GitHub says of a pull request, as its REST API and its webhooks have it."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from checks.model import PullRequest


class PullRequestError(ValueError):
    """What was given is no pull request; the text is one sentence that says where and why."""


def _characters(value: str) -> str:
    """Refuse half a surrogate pair, which JSON can spell and nothing can print."""
    if any("\ud800" <= char <= "\udfff" for char in value):
        raise ValueError("it has a character that is none")
    return value


_Text = Annotated[str, AfterValidator(_characters)]


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")


class _Account(_Part):
    login: _Text


class _Label(_Part):
    name: _Text


class _Repository(_Part):
    id: int


class _Side(_Part):
    repo: _Repository | None


class _Pull(_Part):
    """https://docs.github.com/en/rest/pulls/pulls#get-a-pull-request."""

    number: int = Field(gt=0, lt=2**31)
    title: _Text | None = None
    body: _Text | None = None
    user: _Account | None = None
    draft: bool | None = None
    labels: list[_Label] | None = None
    base: _Side | None = None
    head: _Side | None = None

    @property
    def fork(self) -> bool | None:
        """Whether the head is in another repository; that of a deleted fork is not there."""
        if self.base is None or self.base.repo is None or self.head is None:
            return None
        return self.head.repo is None or self.head.repo.id != self.base.repo.id


class _Event(_Part):
    """https://docs.github.com/en/webhooks/webhook-events-and-payloads#pull_request."""

    pull_request: _Pull


def read_pull_request(content: Any) -> PullRequest:
    """Return the facts in an answer of GitHub; what it leaves out is unknown.

    Args:
        content: a pull request, decoded from JSON, or the payload of an event about one.

    Raises:
        PullRequestError: it is something else.

    """
    try:
        if isinstance(content, dict) and "pull_request" in content:
            pull = _Event.model_validate(content).pull_request
        else:
            pull = _Pull.model_validate(content)
    except ValidationError as error:
        raise PullRequestError(_sentence(error)) from None
    return PullRequest(
        number=pull.number,
        title=pull.title,
        # GitHub has null for a description that was left empty.
        body=(pull.body or "") if "body" in pull.model_fields_set else None,
        author=pull.user.login if pull.user else None,
        draft=pull.draft,
        labels=None if pull.labels is None else tuple(label.name for label in pull.labels),
        fork=pull.fork,
    )


def author_of(pull: Any) -> str:
    """Return the login of who opened a pull request of the API; "" for an account that is gone."""
    return str(pull["user"]["login"]) if pull["user"] else ""


def is_own_branch(pull: Any) -> bool:
    """Tell whether the head is a branch of the same repository, to which we may commit."""
    head = pull["head"]["repo"]
    return head is not None and head["id"] == pull["base"]["repo"]["id"]


def _sentence(error: ValidationError) -> str:
    first = error.errors(include_input=False, include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    what = f"{where}: {first['msg']}" if where else "it is not a JSON object"
    return f"This is not a pull request as GitHub's REST API returns it: {what}."
