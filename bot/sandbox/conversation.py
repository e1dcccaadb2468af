"""What is said on a pull request: comments, reviews, threads, labels."""

from dataclasses import dataclass

from bot.sandbox import actions
from bot.sandbox.delivery import Json
from bot.sandbox.git import GitError
from bot.sandbox.hunks import FileDiff
from bot.sandbox.shapes.accounts import label as label_shape
from bot.sandbox.shapes.pulls import (
    issue,
    issue_comment,
    pull_request_simple,
    review_comment,
    review_thread,
)
from bot.sandbox.shapes.pulls import review as review_shape
from bot.sandbox.site import Site
from bot.sandbox.state import (
    Account,
    ContentEdit,
    IssueComment,
    Label,
    Labelling,
    PullRequest,
    Review,
    ReviewComment,
    ReviewThread,
    Side,
)


@dataclass(frozen=True)
class Draft:
    """An inline comment whose place in the diff has been found."""

    path: str
    body: str
    side: Side
    line: int
    start_side: Side | None
    start_line: int | None
    diff_hunk: str


def add_comment(site: Site, pull: PullRequest, author: Account, body: str) -> IssueComment:
    """Say something in the conversation; delivers `issue_comment.created`."""
    now = site.state.now()
    comment = IssueComment(site.state.next_id(), pull, author, body, now, now)
    pull.comments.append(comment)
    _tell_comment(site, "created", comment, author)
    return comment


def edit_comment(site: Site, comment: IssueComment, editor: Account, body: str) -> None:
    """Change a comment's text; delivers `issue_comment.edited`."""
    before, comment.body = comment.body, body
    comment.updated_at = _note_edit(site, comment, editor, comment.created_at)
    _tell_comment(site, "edited", comment, editor, {"body": {"from": before}})


def _note_edit(
    site: Site, it: IssueComment | Review | ReviewComment, editor: Account, made: str
) -> str:
    """Keep who changed something said; the history begins with how it was made."""
    now = site.state.now()
    if not it.edits:
        it.edits.append(ContentEdit(site.state.next_id(), it.author, made))
    it.edits.append(ContentEdit(site.state.next_id(), editor, now))
    return now


def delete_comment(site: Site, comment: IssueComment | ReviewComment, who: Account) -> None:
    """Delete a comment; a thread goes with its last comment."""
    if isinstance(comment, IssueComment):
        comment.pull.comments.remove(comment)
        _tell_comment(site, "deleted", comment, who)
        return
    thread = comment.thread
    _tell_review_comment(site, "deleted", comment, who)
    thread.comments.remove(comment)
    if not thread.comments:
        thread.pull.threads.remove(thread)


def _tell_comment(
    site: Site, action: str, it: IssueComment, sender: Account, changes: Json | None = None
) -> None:
    content: Json = {
        "action": action,
        "issue": issue(site.state, it.pull),
        "comment": issue_comment(site.state, it),
    }
    if changes is not None:
        content["changes"] = changes
    site.outbox.send("issue_comment", content, it.pull.repository, sender)


def add_review(
    site: Site,
    pull: PullRequest,
    author: Account,
    commit: str,
    drafts: list[Draft],
    *,
    body: str = "",
    verdict: str = "COMMENTED",
) -> Review:
    """Submit a review; each draft opens a thread."""
    now = site.state.now()
    review = Review(site.state.next_id(), pull, author, body, verdict, commit, now)
    pull.reviews.append(review)
    for draft in drafts:
        thread = _open_thread(site, review, draft)
        _add_to_thread(site, thread, review, author, draft.body)
    tell_review(site, "submitted", review, author)
    return review


def edit_review(site: Site, it: Review, editor: Account, body: str) -> None:
    """Change a review's summary; delivers `pull_request_review.edited`."""
    before, it.body = it.body, body
    _note_edit(site, it, editor, it.submitted_at)
    tell_review(site, "edited", it, editor, {"body": {"from": before}})


def tell_review(
    site: Site, action: str, it: Review, sender: Account, changes: Json | None = None
) -> None:
    """Deliver `pull_request_review`; webhooks spell the state in small letters."""
    shown = {**review_shape(site.state, it), "state": it.state.lower()}
    content: Json = {
        "action": action,
        "review": shown,
        "pull_request": pull_request_simple(site.state, it.pull),
    }
    if changes is not None:
        content["changes"] = changes
    site.outbox.send("pull_request_review", content, it.pull.repository, sender)


def _open_thread(site: Site, review: Review, draft: Draft) -> ReviewThread:
    thread = ReviewThread(
        id=site.state.next_id(),
        pull=review.pull,
        path=draft.path,
        side=draft.side,
        line=draft.line,
        start_line=draft.start_line,
        start_side=draft.start_side,
        original_line=draft.line,
        original_start_line=draft.start_line,
        original_commit=review.commit,
        diff_hunk=draft.diff_hunk,
    )
    review.pull.threads.append(thread)
    return thread


def _add_to_thread(
    site: Site, thread: ReviewThread, review: Review, author: Account, body: str
) -> ReviewComment:
    now = site.state.now()
    comment = ReviewComment(site.state.next_id(), thread, review, author, body, now, now)
    thread.comments.append(comment)
    _tell_review_comment(site, "created", comment, author)
    return comment


def reply(site: Site, thread: ReviewThread, author: Account, body: str) -> ReviewComment:
    """Answer in a thread; GitHub makes a review of its own for it."""
    now, pull = site.state.now(), thread.pull
    review = Review(
        site.state.next_id(), pull, author, "", "COMMENTED", thread.original_commit, now
    )
    pull.reviews.append(review)
    made = _add_to_thread(site, thread, review, author, body)
    tell_review(site, "submitted", review, author)
    return made


def edit_review_comment(site: Site, comment: ReviewComment, editor: Account, body: str) -> None:
    """Change an inline comment; delivers `pull_request_review_comment.edited`."""
    before, comment.body = comment.body, body
    comment.updated_at = _note_edit(site, comment, editor, comment.created_at)
    _tell_review_comment(site, "edited", comment, editor, {"body": {"from": before}})


def _tell_review_comment(
    site: Site, action: str, it: ReviewComment, sender: Account, changes: Json | None = None
) -> None:
    content: Json = {
        "action": action,
        "comment": review_comment(site.state, it),
        "pull_request": pull_request_simple(site.state, it.thread.pull),
    }
    if changes is not None:
        content["changes"] = changes
    site.outbox.send("pull_request_review_comment", content, it.thread.pull.repository, sender)


def resolve(site: Site, thread: ReviewThread, who: Account) -> None:
    """Resolve a thread; resolving twice changes and delivers nothing."""
    if thread.resolved_by is None:
        thread.resolved_by = who
        _tell_thread(site, "resolved", thread, who)


def unresolve(site: Site, thread: ReviewThread, who: Account) -> None:
    """Open a resolved thread again."""
    if thread.resolved_by is not None:
        thread.resolved_by = None
        _tell_thread(site, "unresolved", thread, who)


def _tell_thread(site: Site, action: str, thread: ReviewThread, sender: Account) -> None:
    content: Json = {
        "action": action,
        "thread": review_thread(site.state, thread),
        "pull_request": pull_request_simple(site.state, thread.pull),
    }
    site.outbox.send("pull_request_review_thread", content, thread.pull.repository, sender)


async def add_labels(site: Site, pull: PullRequest, names: list[str], who: Account) -> None:
    """Put labels on a pull request, making those that the repository lacks."""
    for name in names:
        known = pull.repository.labels
        label = known.setdefault(name.lower(), Label(site.state.next_id(), name))
        if label not in pull.labels:
            pull.labels.append(label)
            _note(site, pull, label, who, on=True)
            shown = label_shape(site.state, pull.repository, label)
            await site.tell("labeled", pull, who, label=shown)
            actions.start_for(site, pull, [label.name], who)


async def remove_label(site: Site, pull: PullRequest, name: str, who: Account) -> bool:
    """Take a label off; says whether it was there."""
    found = next((label for label in pull.labels if label.name.lower() == name.lower()), None)
    if found is None:
        return False
    pull.labels.remove(found)
    _note(site, pull, found, who, on=False)
    shown = label_shape(site.state, pull.repository, found)
    await site.tell("unlabeled", pull, who, label=shown)
    return True


def _note(site: Site, pull: PullRequest, label: Label, who: Account, *, on: bool) -> None:
    now = site.state.now()
    pull.labellings.append(Labelling(site.state.next_id(), label, on, who, now))


async def move_threads(threads: list[ReviewThread], before: tuple[str, str]) -> None:
    """Let threads of one pull request follow their lines to its present head.

    `before` is the merge base and the head that the lines are counted in. A thread whose lines
    are gone, or are no longer in the pull request's diff, becomes outdated.
    """
    for thread in (thread for thread in threads if thread.line is not None):
        git = thread.pull.repository.git
        now = (thread.pull.merge_base, thread.pull.head_sha)
        sides = {"LEFT": (before[0], now[0]), "RIGHT": (before[1], now[1])}
        try:
            moved = await git.diff(*sides[thread.side], context=0)
            shown = await git.diff(*now)
        except GitError:
            thread.line = thread.start_line = None
            continue
        _follow(thread, moved, shown)


def _follow(thread: ReviewThread, moved: tuple[FileDiff, ...], shown: tuple[FileDiff, ...]) -> None:
    change = next((file for file in moved if file.old_path == thread.path), None)
    first, last = thread.start_line or thread.line or 0, thread.line or 0
    lines = [change.carry(at) if change else at for at in range(first, last + 1)]
    file = next((file for file in shown if file.new_path == thread.path), None)
    kept = file is not None and all(
        at is not None and file.hunk(thread.side, at) is not None for at in lines
    )
    single = thread.start_line is None
    thread.line = lines[-1] if kept else None
    thread.start_line = None if single or not kept else lines[0]
