"""What the page shows of a pull request, ready for the template."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from bot.sandbox import reactions
from bot.sandbox.hunks import Row, parse_hunks
from bot.sandbox.markdown import render
from bot.sandbox.state import (
    Account,
    IssueComment,
    PullRequest,
    Review,
    ReviewComment,
    ReviewThread,
)
from bot.sandbox.suggestion import suggestion_in
from bot.sandbox.suites import CheckRun
from bot.sandbox.workflows import Run

ROWS_ABOVE = 3


@dataclass(frozen=True)
class Said:
    """A comment: who, when, and the text as HTML."""

    anchor: str
    author: Account
    at: str
    edited: bool
    html: Markup
    number: int = 0
    applicable: bool = False
    reactions: Sequence[tuple[str, int]] = ()


@dataclass(frozen=True)
class ShownRow:
    """A line of a hunk, `marked` when the thread is about it."""

    row: Row
    marked: bool


@dataclass(frozen=True)
class ShownThread:
    """A thread with its excerpt."""

    thread: ReviewThread
    place: str
    rows: Sequence[ShownRow]
    comments: Sequence[Said]


@dataclass(frozen=True)
class Entry:
    """One thing on the timeline, in the order of `id`."""

    id: int
    kind: str
    said: Said | None = None
    actor: Account | None = None
    text: str = ""
    at: str = ""
    threads: Sequence[ShownThread] = ()


@dataclass(frozen=True)
class ShownRun:
    """A check run with its texts as HTML."""

    run: CheckRun
    summary: Markup
    text: Markup


def timeline(pull: PullRequest) -> list[Entry]:
    """The conversation, oldest first."""
    entries = [_comment_entry(comment) for comment in pull.comments]
    entries += [_review_entry(review) for review in pull.reviews if _opens(review)]
    entries += [
        Entry(push.id, "push", actor=push.pusher, text=push.commit, at=push.at)
        for push in pull.pushes
    ]
    return sorted(entries, key=lambda entry: entry.id)


def opening(pull: PullRequest) -> Said:
    """The description as the first comment."""
    html = render(pull.body or "*No description provided.*")
    return Said(f"issue-{pull.id}", pull.author, pull.created_at, edited=False, html=html)


def runs(pull: PullRequest) -> list[ShownRun]:
    """The latest run of each name at the head."""
    latest = {run.name: run for run in pull.check_runs}
    return [
        ShownRun(run, render(run.summary or ""), render(run.text or "")) for run in latest.values()
    ]


def workflow_runs(pull: PullRequest) -> list[Run]:
    """The workflow runs about the head, newest first."""
    head = (pull.head_repository, pull.head_ref, pull.head_sha)
    return [
        run
        for run in reversed(pull.repository.runs)
        if (run.head_repository, run.head_branch, run.head_sha) == head
    ]


def _comment_entry(it: IssueComment) -> Entry:
    edited = it.updated_at != it.created_at
    html, emoji = render(it.body), reactions.shown(it)
    said = Said(f"issuecomment-{it.id}", it.author, it.created_at, edited, html, reactions=emoji)
    return Entry(it.id, "comment", said)


def _threads_of(review: Review) -> list[ReviewThread]:
    return [it for it in review.pull.threads if it.comments and it.comments[0].review is review]


def _opens(review: Review) -> bool:
    """Whether it stands on the timeline: replies do not, though each is a review of its own."""
    return bool(review.body or _threads_of(review) or review.state != "COMMENTED")


def _review_entry(it: Review) -> Entry:
    anchor = f"pullrequestreview-{it.id}"
    said = None
    if it.body:
        html, emoji = render(it.body), reactions.shown(it)
        said = Said(anchor, it.author, it.submitted_at, False, html, reactions=emoji)
    threads = [_shown_thread(thread) for thread in _threads_of(it)]
    return Entry(it.id, "review", said, it.author, it.state, it.submitted_at, threads)


def _shown_thread(it: ReviewThread) -> ShownThread:
    first, last = it.original_start_line or it.original_line, it.original_line
    rows = parse_hunks(it.diff_hunk)[0].rows
    about = [row for row in rows if first <= (row.at(it.side) or 0) <= last]
    begin = max(rows.index(about[0]) - ROWS_ABOVE, 0) if about else 0
    shown = [ShownRow(row, marked=row in about) for row in rows[begin:]]
    original = [row.text.rstrip("\r") for row in about]
    side = "" if it.side == "RIGHT" else " (base)"
    place = f"line {last}{side}" if first == last else f"lines {first} to {last}{side}"
    return ShownThread(it, place, shown, [_inline(comment, original) for comment in it.comments])


def _inline(it: ReviewComment, original: Sequence[str]) -> Said:
    thread = it.thread
    live = thread.pull.state == "open" and not (thread.resolved or thread.outdated)
    return Said(
        anchor=f"discussion_r{it.id}",
        author=it.author,
        at=it.created_at,
        edited=it.updated_at != it.created_at,
        html=render(it.body, original),
        number=it.id,
        applicable=live and suggestion_in(it.body) is not None,
        reactions=reactions.shown(it),
    )
