"""What people say on pull requests, in the three places where GitHub lets them.

https://docs.github.com/en/webhooks/webhook-events-and-payloads#issue_comment and its kin,
`pull_request_review` and `pull_request_review_comment`.
"""

from __future__ import annotations

import hashlib
import re
from abc import abstractmethod
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field

from bot.keys import CommentKey, Key, PullRequestKey
from bot.payloads import ForRepository, Id, Number, Part, Told
from checks.signoff.version import version

# Cheap and never too strict: what is a command and what is not is decided when it runs. These two
# commands hold for the head that they were said at.
_MAY_SIGN = re.compile(
    r"\[[^\]\n]{0,6}\]|[☐☑☒□■✅✔✓❌❎✗✘［【]|code.?owner"
    r"|(?:\A\ufeff|^|\r)[^\S\r\n]*/(?:verify|override)",
    re.IGNORECASE | re.MULTILINE,
)
_SLASH_AT_LINE_START = re.compile(r"(?:\A\ufeff?|[\r\n])[^\S\r\n]*[/／][A-Za-z]")
_NEW = {"created", "submitted"}
_LATER = {"edited", "deleted", "dismissed"}
_WRITTEN = _NEW | {"edited"}


class Place(StrEnum):
    """Where a comment stands: in the conversation, as a review's summary, or at a line."""

    CONVERSATION = "conversation"
    REVIEW = "review"
    LINE = "line"


@dataclass(frozen=True, slots=True)
class Said:
    """One version of a comment, as a delivery tells of it.

    Args:
        pull_request: where it was said.
        place: which kind of comment.
        id: of the comment or review; ids of different places may be equal.
        thread: id of the comment that opens the thread at a line; elsewhere the same as `id`.
        node_id: the same for GraphQL.
        url: its address on the web.
        version: when it was made or last edited, to the second, and what it says, digested.
        body: what it says.
        before: what it said before the edit; None when it is new.
        author: login of who wrote it, "" for a deleted account.
        sender: login of who did what the delivery tells: the author, or who edited.
        app_id: the App that wrote it, if one did.
        bot: whether a bot wrote it.

    """

    pull_request: PullRequestKey
    place: Place
    id: int
    thread: int
    node_id: str
    url: str
    version: str
    body: str
    before: str | None
    author: str
    sender: str
    app_id: int | None
    bot: bool

    @property
    def may_sign(self) -> bool:
        """Whether it is, or was before the edit, anything like a checklist."""
        return may_sign(self.body) or may_sign(self.before or "")

    @property
    def by_app(self) -> bool:
        """Whether an App wrote it by itself, and not a person through one."""
        return self.author.endswith("[bot]")

    @property
    def written_at(self) -> str:
        """Return when it was made or last edited, as GitHub writes times; "" if it does not say."""
        return self.version.partition(" ")[0]


_Time = Annotated[str, Field(pattern=r"^[0-9T:.Z+-]{1,40}$")]


class _Account(Part):
    login: str = Field(max_length=100)
    type: str = "User"


class _Words(Part):
    """What the three kinds of comments have in common."""

    id: int = Field(gt=0, lt=2**63)
    node_id: str
    html_url: str
    body: str | None = None
    user: _Account | None = None
    performed_via_github_app: Id | None = None
    updated_at: _Time | None = None
    submitted_at: _Time | None = None
    in_reply_to_id: int | None = None


class _Issue(Number):
    pull_request: dict[str, Any] | None = None


class CommentPayload(ForRepository):
    """A delivery that tells of a comment."""

    sender: _Account
    changes: dict[str, Any] | None = None

    @abstractmethod
    def said(self) -> Said:
        """Return the comment."""

    def attention(self, app_id: int, guid: str) -> tuple[Key, ...]:
        """Return the comment if it may hold a command, the pull request if it may sign it.

        What we say ourselves does neither.
        """
        said = self.said()
        key = said.pull_request
        if said.app_id == app_id or key.number == 0:
            return ()
        keys: list[Key] = []
        if self.action in _NEW | {"edited"} and _SLASH_AT_LINE_START.search(said.body):
            turn = f"{said.written_at}/{said.id:019}"
            where = (key.installation_id, key.repository, key.number)
            keys.append(CommentKey(*where, guid, turn))
        if self.action in _NEW | _LATER and said.may_sign:
            keys.append(key)
        return tuple(keys)

    def told(self) -> Told | None:
        """Return what is said if it may be a sign-off, to know later at which head it was."""
        said = self.said()
        if said.pull_request.number == 0 or not said.may_sign or self.action not in _WRITTEN:
            return None
        which = (str(said.place), said.id, version(said.body))
        return Told(said.pull_request.number, said.written_at, said=which)

    def _said(self, place: Place, words: _Words, number: int) -> Said:
        previous = (self.changes or {}).get("body")
        before = previous.get("from") if isinstance(previous, dict) else words.body
        app = words.performed_via_github_app
        return Said(
            pull_request=self.pull_request_key(number),
            place=place,
            id=words.id,
            thread=words.in_reply_to_id or words.id,
            node_id=words.node_id,
            url=words.html_url,
            version=_version(words),
            body=words.body or "",
            before=(before or "") if self.action == "edited" else None,
            author=words.user.login if words.user else "",
            sender=self.sender.login,
            app_id=app.id if app else None,
            bot=bool(app) or (words.user is not None and words.user.type == "Bot"),
        )


def may_sign(words: str) -> bool:
    """Tell whether some words have anything like a checklist in them, whatever the policy's is."""
    return _MAY_SIGN.search(words) is not None


def _version(words: _Words) -> str:
    digest = hashlib.sha256((words.body or "").encode("utf-8", "surrogatepass")).hexdigest()
    return f"{words.updated_at or words.submitted_at or ''} {digest[:12]}"


class IssueCommentPayload(CommentPayload):
    """https://docs.github.com/en/webhooks/webhook-events-and-payloads#issue_comment"""

    issue: _Issue
    comment: _Words

    def said(self) -> Said:
        """Return the comment; its number is 0 when it stands in an issue."""
        number = self.issue.number if self.issue.pull_request is not None else 0
        return self._said(Place.CONVERSATION, self.comment, number)


class ReviewPayload(CommentPayload):
    """https://docs.github.com/en/webhooks/webhook-events-and-payloads#pull_request_review"""

    pull_request: Number
    review: _Words

    def said(self) -> Said:
        """Return the review's summary."""
        return self._said(Place.REVIEW, self.review, self.pull_request.number)


class ReviewCommentPayload(CommentPayload):
    """https://docs.github.com/en/webhooks/webhook-events-and-payloads#pull_request_review_comment"""

    pull_request: Number
    comment: _Words

    def said(self) -> Said:
        """Return the comment at a line."""
        return self._said(Place.LINE, self.comment, self.pull_request.number)


PAYLOADS: dict[str, type[CommentPayload]] = {
    "issue_comment": IssueCommentPayload,
    "pull_request_review": ReviewPayload,
    "pull_request_review_comment": ReviewCommentPayload,
}


def read_said(event: str, body: bytes) -> Said:
    """Return the comment that a stored delivery tells of.

    Raises pydantic.ValidationError for another shape, and KeyError for another event.
    """
    return PAYLOADS[event].model_validate_json(body).said()
