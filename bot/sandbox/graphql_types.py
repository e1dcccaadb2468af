"""How the sandbox's state reads through GraphQL: one plain record per type."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from bot.sandbox.auth import Viewer
from bot.sandbox.connection import Record, connection
from bot.sandbox.graphql_errors import TypedError
from bot.sandbox.permissions import FORBIDDEN
from bot.sandbox.shapes.accounts import page_of
from bot.sandbox.shapes.pulls import address, thread_node
from bot.sandbox.site import Site
from bot.sandbox.state import (
    Account,
    ContentEdit,
    IssueComment,
    Labelling,
    PullRequest,
    Push,
    Repository,
    Review,
    ReviewComment,
    ReviewThread,
)


class Reader:
    """Turns state into records for one viewer.

    Values that take arguments, or that only some queries want, are functions; graphql-core calls
    them with the resolve info and the arguments.
    """

    def __init__(self, site: Site, viewer: Viewer) -> None:
        self.site, self.state, self.viewer = site, site.state, viewer

    def actor(self, account: Account) -> Record:
        """An actor; GraphQL names a bot without its `[bot]`."""
        kind = "Bot" if account.kind == "Bot" else "User"
        return {
            "__typename": kind,
            "id": f"U_{account.id}",
            "databaseId": account.id,
            "login": account.login.removesuffix("[bot]"),
            "url": page_of(self.state, account),
        }

    def repository(self, it: Repository) -> Record:
        """A repository."""

        def pull_request(_: object, number: int) -> Record:
            own = self.viewer.installation
            if own is None or not own.may("pull_requests=read"):
                raise TypedError("FORBIDDEN", FORBIDDEN)
            if number not in it.pulls:
                message = f"Could not resolve to a PullRequest with the number of {number}."
                raise TypedError("NOT_FOUND", message)
            return self.pull_request(it.pulls[number])

        return {
            "__typename": "Repository",
            "id": f"R_{it.id}",
            "databaseId": it.id,
            "name": it.name,
            "nameWithOwner": it.full_name,
            "url": f"{self.state.url}/{it.full_name}",
            "pullRequest": pull_request,
        }

    def commit(self, repository: Repository, sha: str) -> Record:
        """A commit."""
        url = f"{self.state.url}/{repository.full_name}/commit/{sha}"
        return {"__typename": "Commit", "id": f"C_{repository.id}_{sha}", "oid": sha, "url": url}

    def branch(self, repository: Repository, name: str) -> Record:
        """A branch."""
        shown = {"id": f"REF_{repository.id}_{name}", "name": name, "prefix": "refs/heads/"}
        return {"__typename": "Ref", **shown}

    def pull_request(self, it: PullRequest) -> Record:
        """A pull request with its connections."""
        return {
            "__typename": "PullRequest",
            "id": f"PR_{it.id}",
            **{key: getattr(it, key) for key in ("number", "title", "body")},
            "isDraft": it.draft,
            "state": "MERGED" if it.merged_at else it.state.upper(),
            "merged": it.merged_at is not None,
            "author": self.actor(it.author),
            "url": address(self.state, it),
            "headRefOid": it.head_sha,
            "headRefName": it.head_ref,
            "baseRefOid": it.base_sha,
            "baseRefName": it.base_ref,
            "isCrossRepository": it.head_repository is not it.repository,
            "createdAt": it.created_at,
            "updatedAt": it.updated_at,
            "labels": connection(it.labels, self.label),
            "comments": connection(it.comments, self.comment),
            "reviews": connection(it.reviews, self.review),
            "reviewThreads": connection(it.threads, self.thread),
            "timelineItems": self.timeline(it),
        }

    def timeline(self, it: PullRequest) -> Callable[..., Record]:
        """Labels and pushes, oldest first; the other kinds of items are none here."""

        def resolve(info: object, itemTypes: Sequence[str] = (), **more: Any) -> Record:  # noqa: N803
            wanted = set(itemTypes) or set(_ITEMS)
            items: list[Labelling | Push] = [*it.labellings, *it.pushes]
            kept = [each for each in items if _item_type(it.repository, each) in wanted]
            kept.sort(key=lambda each: each.id)
            return connection(kept, lambda each: self.item(it.repository, each))(info, **more)

        return resolve

    def item(self, repository: Repository, it: Labelling | Push) -> Record:
        """An item of the timeline."""
        kind = _ITEMS[_item_type(repository, it)]
        shown: Record = {"__typename": kind, "id": f"{kind}_{it.id}", "createdAt": it.at}
        if isinstance(it, Labelling):
            return {**shown, "actor": self.actor(it.actor), "label": self.label(it.label)}
        commit = self.commit(repository, it.commit)
        before = self.commit(repository, it.before) if it.before else None
        moved = {"actor": self.actor(it.pusher), "beforeCommit": before, "afterCommit": commit}
        return {**shown, "commit": commit, **moved}

    def label(self, it: Any) -> Record:
        """A label."""
        shown = {key: getattr(it, key) for key in ("name", "color", "description")}
        return {"__typename": "Label", "id": f"LA_{it.id}", **shown}

    def _written(self, it: IssueComment | ReviewComment, kind: str) -> Record:
        own = it.author == self.state.app.bot
        return {
            "__typename": kind,
            **self._edited(it),
            "databaseId": it.id,
            "author": self.actor(it.author),
            "body": it.body,
            "createdAt": it.created_at,
            "updatedAt": it.updated_at,
            "viewerDidAuthor": own,
            "viewerCanUpdate": own,
        }

    def _edited(self, it: IssueComment | Review | ReviewComment) -> Record:
        last = it.edits[-1] if it.edits else None
        return {
            "editor": self.actor(last.editor) if last else None,
            "lastEditedAt": last.at if last else None,
            "userContentEdits": connection(it.edits[::-1], self.edit),
        }

    def edit(self, it: ContentEdit) -> Record:
        """A version of a comment; GitHub lists the newest first."""
        shown = {"id": f"UCE_{it.id}", "editedAt": it.at}
        return {"__typename": "UserContentEdit", "editor": self.actor(it.editor), **shown}

    def comment(self, it: IssueComment) -> Record:
        """A comment of the conversation."""
        url = f"{address(self.state, it.pull)}#issuecomment-{it.id}"
        return {"id": f"IC_{it.id}", "url": url, **self._written(it, "IssueComment")}

    def review(self, it: Review) -> Record:
        """A review."""
        return {
            "__typename": "PullRequestReview",
            "id": f"PRR_{it.id}",
            "databaseId": it.id,
            "author": self.actor(it.author),
            "body": it.body,
            "state": it.state,
            "submittedAt": it.submitted_at,
            "viewerDidAuthor": it.author == self.state.app.bot,
            "url": f"{address(self.state, it.pull)}#pullrequestreview-{it.id}",
            "commit": self.commit(it.pull.repository, it.commit),
            **self._edited(it),
        }

    def said_on(self, it: PullRequest) -> Iterator[Record]:
        """All that people said on a pull request."""
        yield from map(self.comment, it.comments)
        yield from map(self.review, it.reviews)
        yield from (self.review_comment(c) for thread in it.threads for c in thread.comments)

    def thread(self, it: ReviewThread) -> Record:
        """A review thread."""
        may = self.viewer.installation is not None and self.viewer.installation.allows(
            "contents=write"
        )
        return {
            "__typename": "PullRequestReviewThread",
            "id": thread_node(it),
            "isResolved": it.resolved,
            "isOutdated": it.outdated,
            "isCollapsed": it.resolved,
            "resolvedBy": self.actor(it.resolved_by) if it.resolved_by else None,
            "path": it.path,
            "line": it.line,
            "startLine": it.start_line,
            "originalLine": it.original_line,
            "originalStartLine": it.original_start_line,
            "diffSide": it.side,
            "viewerCanReply": True,
            "viewerCanResolve": may and not it.resolved,
            "viewerCanUnresolve": may and it.resolved,
            "comments": connection(it.comments, self.review_comment),
        }

    def review_comment(self, it: ReviewComment) -> Record:
        """An inline comment."""
        thread = it.thread
        return {
            "id": f"PRRC_{it.id}",
            "path": thread.path,
            "line": thread.line,
            "originalLine": thread.original_line,
            "outdated": thread.outdated,
            "diffHunk": thread.diff_hunk,
            "url": f"{address(self.state, thread.pull)}#discussion_r{it.id}",
            "originalCommit": self.commit(thread.pull.repository, thread.original_commit),
            **self._written(it, "PullRequestReviewComment"),
        }


_ITEMS = {
    "LABELED_EVENT": "LabeledEvent",
    "UNLABELED_EVENT": "UnlabeledEvent",
    "PULL_REQUEST_COMMIT": "PullRequestCommit",
    "HEAD_REF_FORCE_PUSHED_EVENT": "HeadRefForcePushedEvent",
}


def _item_type(repository: Repository, it: Labelling | Push) -> str:
    """The type of an item; of a push, whether it only added commits."""
    if isinstance(it, Labelling):
        return "LABELED_EVENT" if it.on else "UNLABELED_EVENT"
    added = not it.before or repository.git.merge_base(it.before, it.commit) == it.before
    return "PULL_REQUEST_COMMIT" if added else "HEAD_REF_FORCE_PUSHED_EVENT"
