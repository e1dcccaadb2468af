"""Comments in the conversation, and inline comments once they exist."""

from typing import Literal, TypeVar

from bot.sandbox.answers import Answer, RefusedError, not_found, page, validation_failed
from bot.sandbox.conversation import add_comment, edit_comment, edit_review_comment, reply
from bot.sandbox.permissions import FORBIDDEN
from bot.sandbox.reactions import Reactable, react, shape
from bot.sandbox.rest.routes import Call, Input, Routes
from bot.sandbox.shapes.pulls import issue_comment, review_comment
from bot.sandbox.state import IssueComment, ReviewComment

routes = Routes()
CONTENTS = Literal["+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"]
REPLIES = "/repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies"
LIST = "/repos/{owner}/{repo}/issues/{issue_number}/comments"
ONE = "/repos/{owner}/{repo}/issues/comments/{comment_id}"
INLINE = "/repos/{owner}/{repo}/pulls/comments/{comment_id}"
BODY_LIMIT = 65_536
TOO_LONG = f"Body is too long (maximum is {BODY_LIMIT} characters)"
Comment = TypeVar("Comment", IssueComment, ReviewComment)


class Body(Input):
    """A comment's text."""

    body: str


class NewReaction(Input):
    """A reaction to add."""

    content: CONTENTS


def checked_body(call: Call, resource: str) -> str:
    """The text of the request.

    Raises RefusedError (422) when it is blank or too long.
    """
    body = call.read(Body).body
    if len(body) > BODY_LIMIT:
        raise validation_failed(resource, "unprocessable", "data", TOO_LONG)
    if not body.strip():
        raise validation_failed(resource, "unprocessable", "data", "Body cannot be blank")
    return body


def _found(call: Call, comments: list[Comment]) -> Comment:
    number = call.number("comment_id")
    found = next((it for it in comments if it.id == number), None)
    if found is None:
        raise not_found()
    return found


def _own(call: Call, comment: Comment) -> Comment:
    if comment.author != call.bot:
        raise RefusedError(403, FORBIDDEN)
    return comment


@routes.add("GET", LIST)
async def list_comments(call: Call) -> Answer:
    """The conversation, oldest first."""
    return page(call.pull.comments, call.url, lambda it: issue_comment(call.site.state, it))


@routes.add("POST", LIST)
async def create_comment(call: Call) -> Answer:
    """Say something."""
    pull = call.pull
    comment = add_comment(call.site, pull, call.bot, checked_body(call, "IssueComment"))
    return Answer(issue_comment(call.site.state, comment), status=201)


def _issue_comment(call: Call) -> IssueComment:
    pulls = call.repository.pulls.values()
    return _found(call, [comment for pull in pulls for comment in pull.comments])


def _review_comment(call: Call) -> ReviewComment:
    threads = [thread for pull in call.repository.pulls.values() for thread in pull.threads]
    return _found(call, [comment for thread in threads for comment in thread.comments])


@routes.add("GET", ONE)
async def get_comment(call: Call) -> Answer:
    """One comment."""
    return Answer(issue_comment(call.site.state, _issue_comment(call)))


@routes.add("PATCH", ONE)
async def update_comment(call: Call) -> Answer:
    """Change an own comment."""
    comment = _own(call, _issue_comment(call))
    edit_comment(call.site, comment, call.bot, checked_body(call, "IssueComment"))
    return Answer(issue_comment(call.site.state, comment))


@routes.add("GET", INLINE)
async def get_review_comment(call: Call) -> Answer:
    """One inline comment."""
    return Answer(review_comment(call.site.state, _review_comment(call)))


@routes.add("PATCH", INLINE)
async def update_review_comment(call: Call) -> Answer:
    """Change an own inline comment."""
    comment = _own(call, _review_comment(call))
    body = checked_body(call, "PullRequestReviewComment")
    edit_review_comment(call.site, comment, call.bot, body)
    return Answer(review_comment(call.site.state, comment))


@routes.add("POST", REPLIES)
async def create_reply(call: Call) -> Answer:
    """Answer in the thread of an inline comment, which must open it."""
    comment = _review_comment(call)
    if comment.thread.pull is not call.pull:
        raise not_found()
    if comment is not comment.thread.comments[0]:
        # https://docs.github.com/en/rest/pulls/comments#create-a-reply-for-a-review-comment
        raise validation_failed(
            "PullRequestReviewComment", "invalid", "in_reply_to", "Replies have no replies"
        )
    body = checked_body(call, "PullRequestReviewComment")
    made = reply(call.site, comment.thread, call.bot, body)
    return Answer(review_comment(call.site.state, made), status=201)


def _react(call: Call, to: Reactable) -> Answer:
    state = call.site.state
    made, new = react(state, to, call.bot, call.read(NewReaction).content)
    return Answer(shape(state, made), status=201 if new else 200)


@routes.add("POST", f"{ONE}/reactions")
async def react_to_comment(call: Call) -> Answer:
    """React to a comment of the conversation."""
    return _react(call, _issue_comment(call))


@routes.add("GET", f"{ONE}/reactions")
async def list_reactions(call: Call) -> Answer:
    """The reactions to a comment of the conversation, oldest first."""
    return page(_issue_comment(call).reactions, call.url, lambda it: shape(call.site.state, it))


@routes.add("POST", f"{INLINE}/reactions")
async def react_to_inline_comment(call: Call) -> Answer:
    """React to an inline comment."""
    return _react(call, _review_comment(call))


@routes.add("GET", f"{INLINE}/reactions")
async def list_inline_reactions(call: Call) -> Answer:
    """The reactions to an inline comment, oldest first."""
    return page(_review_comment(call).reactions, call.url, lambda it: shape(call.site.state, it))
