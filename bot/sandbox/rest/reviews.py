"""Reviews: all their inline comments must fit the diff, or nothing is posted."""

from typing import Literal

from pydantic import Field

from bot.sandbox.answers import Answer, page, unprocessable
from bot.sandbox.conversation import Draft, add_review, move_threads
from bot.sandbox.hunks import FileDiff
from bot.sandbox.rest.comments import BODY_LIMIT, TOO_LONG
from bot.sandbox.rest.routes import Call, Input, Routes
from bot.sandbox.shapes.pulls import review, review_comment
from bot.sandbox.state import PullRequest, Side

routes = Routes()
REVIEWS = "/repos/{owner}/{repo}/pulls/{pull_number}/reviews"
STATES = {
    "COMMENT": "COMMENTED",
    "APPROVE": "APPROVED",
    "REQUEST_CHANGES": "CHANGES_REQUESTED",
}


class InlineComment(Input):
    """One inline comment; lines are 1-based in the file of their side."""

    path: str
    body: str
    line: int | None = None
    side: Side = "RIGHT"
    start_line: int | None = None
    start_side: Side | None = None


class NewReview(Input):
    """A review to submit; the sandbox has no pending reviews, so the event must be there."""

    commit_id: str | None = None
    body: str = ""
    event: Literal["APPROVE", "REQUEST_CHANGES", "COMMENT"]
    comments: tuple[InlineComment, ...] = Field(default=(), strict=False)


@routes.add("GET", REVIEWS)
async def list_reviews(call: Call) -> Answer:
    """The reviews, oldest first."""
    return page(call.pull.reviews, call.url, lambda it: review(call.site.state, it))


@routes.add("GET", "/repos/{owner}/{repo}/pulls/{pull_number}/comments")
async def list_review_comments(call: Call) -> Answer:
    """All inline comments, oldest first."""
    found = [comment for thread in call.pull.threads for comment in thread.comments]
    found.sort(key=lambda it: it.id)
    return page(found, call.url, lambda it: review_comment(call.site.state, it))


@routes.add("POST", REVIEWS)
async def create_review(call: Call) -> Answer:
    """Submit a review with all its comments, or refuse it whole."""
    pull, wanted = call.pull, call.read(NewReview)
    commit = _commit(pull, wanted.commit_id)
    if len(wanted.body) > BODY_LIMIT:
        raise unprocessable(TOO_LONG)
    if wanted.event in ("COMMENT", "REQUEST_CHANGES") and not (wanted.body or wanted.comments):
        raise unprocessable("Body can't be blank")
    git = pull.repository.git
    before = (git.merge_base(pull.base_sha, commit), commit)
    files = await git.diff(*before)
    drafts = [place(files, comment) for comment in wanted.comments]
    known = list(pull.threads)
    made = add_review(
        *(call.site, pull, call.bot, commit, drafts),
        body=wanted.body,
        verdict=STATES[wanted.event],
    )
    if commit != pull.head_sha:
        await move_threads([it for it in pull.threads if it not in known], before)
    return Answer(review(call.site.state, made))


def _commit(pull: PullRequest, wanted: str | None) -> str:
    """The reviewed commit: the head, or an older one that is still part of the pull request."""
    if wanted is None or wanted == pull.head_sha:
        return pull.head_sha
    if wanted not in pull.repository.git.commits(pull.merge_base, pull.head_sha):
        raise unprocessable("The commit_id is not part of the pull request")
    return wanted


def place(files: tuple[FileDiff, ...], comment: InlineComment) -> Draft:
    """Find the lines of a comment in the diff.

    Raises RefusedError (422) when GitHub would not show them.
    https://docs.github.com/en/rest/pulls/comments#create-a-review-comment-for-a-pull-request
    """
    if not comment.body.strip():
        raise unprocessable("Body can't be blank")
    if len(comment.body) > BODY_LIMIT:
        raise unprocessable(TOO_LONG)
    file = next((file for file in files if file.new_path == comment.path), None)
    if file is None:
        raise unprocessable("Path could not be resolved")
    hunk = None if comment.line is None else file.hunk(comment.side, comment.line)
    if hunk is None or comment.line is None:
        raise unprocessable("Line could not be resolved")
    start_side = comment.start_side or comment.side
    if comment.start_line is not None:
        first = hunk.find(start_side, comment.start_line)
        last = hunk.find(comment.side, comment.line)
        if start_side == comment.side and comment.start_line >= comment.line:
            raise unprocessable("Start line must precede the end line.")
        if first is None or last is None or first >= last:
            same = (
                "Pull request review thread start line must be part of the same hunk as the line."
            )
            raise unprocessable(same)
    return Draft(
        path=comment.path,
        body=comment.body,
        side=comment.side,
        line=comment.line,
        start_side=None if comment.start_line is None else start_side,
        start_line=comment.start_line,
        diff_hunk=hunk.excerpt(comment.side, comment.line),
    )
