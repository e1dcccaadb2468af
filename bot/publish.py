"""Carry a plan out: the only place that writes to GitHub. Nothing stale is posted."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import structlog

from bot.github import Client, GitHubBusy, GitHubRefused, GraphQLError
from bot.labels import change_labels
from bot.queries import RESOLVE_THREAD
from bot.turns import turn
from checks.publication import (
    REVIEW,
    Annotation,
    CheckRun,
    InlineComment,
    LabelChange,
    Plan,
    Review,
)

ANNOTATIONS_A_REQUEST = 50  # https://docs.github.com/en/rest/checks/runs#create-a-check-run

log = structlog.get_logger()


class HeadMovedError(Exception):
    """The pull request has a newer head, other labels, or closed: this plan is out of date."""


class LabelsRefusedError(Exception):
    """GitHub does not let us change labels; nothing was written. The text is GitHub's reason."""


class LockedError(Exception):
    """The conversation is locked; nothing can be said there. The text is GitHub's reason."""


class ReviewRefusedError(Exception):
    """GitHub did not take the review's comments where we put them (422); nothing was posted."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where a plan goes: "owner/name", the pull request's number, and the head it was made for."""

    repository: str
    number: int
    head: str


@dataclass(slots=True)
class Written:
    """How many writes GitHub took, and how many threads it did not let us resolve."""

    writes: int = 0
    unresolved: int = 0


class Publisher:
    """Carries plans out on one pull request, checking before each write that the head stands."""

    def __init__(self, client: Client, target: Target) -> None:
        self._client, self._target = client, target
        self._place = {"repository": target.repository, "number": str(target.number)}
        self._written = Written()

    async def publish(self, plan: Plan) -> Written:
        """Write all parts of the plan, the check run last: the gate opens when all is said.

        Raises:
            HeadMovedError: a newer head arrived; a later job publishes for that one.
            LabelsRefusedError, LockedError, ReviewRefusedError: plan again without.
            GitHubUnreachable, GitHubRefused: a write failed. What was written stays; the next
                run reads the published state again and writes only the rest.

        """
        if plan.labels is not None:
            await self._labels(plan.labels)
        if plan.review is not None:
            await self._review(plan.head, plan.review)
        for thread in plan.resolve:
            await self._resolve(thread)
        for edit in plan.edits:
            await self._write("PATCH", f"/pulls/comments/{edit.comment_id}", {"body": edit.body})
        if plan.sticky is not None:
            await self._sticky(plan.sticky.comment_id, plan.sticky.body)
        if plan.check_run is not None:
            await self._check_run(plan.check_run)
        return self._written

    async def _labels(self, change: LabelChange) -> None:
        where = (self._target.repository, self._target.number)
        try:
            async with turn(*where, "labels"):
                await self._ensure_head(change.seen)
                self._written.writes += await change_labels(self._client, *where, change)
        except GitHubBusy:
            raise
        except GitHubRefused as error:
            raise LabelsRefusedError(str(error)) from None

    async def _review(self, head: str, review: Review) -> None:
        comments = [_comment(each) for each in review.comments]
        body = {"commit_id": head, "event": "COMMENT", "body": review.body, "comments": comments}
        try:
            await self._write("POST", "/pulls/{number}/reviews", body)
        except GitHubRefused as error:
            if error.status != 422:
                raise
            raise ReviewRefusedError(str(error)) from None

    async def _write(self, method: str, path: str, body: dict[str, Any]) -> Any:
        await self._ensure_head()
        url = "/repos/{+repository}" + path
        send = self._client.post if method == "POST" else self._client.patch
        try:
            answer = await send(url, self._place, data=body)
        except GitHubRefused as error:
            if error.locked:
                raise LockedError(str(error)) from None
            raise
        self._written.writes += 1
        return answer

    async def _ensure_head(self, labels: Collection[str] | None = None) -> None:
        """Make sure that the pull request is as it was, with `labels` if they matter."""
        now = await self._client.getitem("/repos/{+repository}/pulls/{number}", self._place)
        if now["head"]["sha"] != self._target.head or now["state"] != "open":
            raise HeadMovedError(now["head"]["sha"])
        if labels is not None and {each["name"] for each in now["labels"]} != set(labels):
            raise HeadMovedError(now["head"]["sha"])

    async def _resolve(self, thread: str) -> None:
        # Resolving needs `contents: write`, which an installation may not grant:
        # https://docs.github.com/en/graphql/reference/mutations#resolvereviewthread
        await self._ensure_head()
        try:
            await self._client.graphql(RESOLVE_THREAD, thread=thread)
            self._written.writes += 1
        except GraphQLError as error:
            if "FORBIDDEN" not in error.types and "NOT_FOUND" not in error.types:
                raise
            self._written.unresolved += 1
            log.info("thread not resolved", thread=thread, reason=str(error))

    async def _sticky(self, comment: int | None, body: str) -> None:
        if comment is not None:
            try:
                await self._write("PATCH", f"/issues/comments/{comment}", {"body": body})
            except GitHubRefused as error:
                if error.status != 404:  # somebody deleted it since we read it
                    raise
            else:
                return
        await self._write("POST", "/issues/{number}/comments", {"body": body})

    async def _check_run(self, wanted: CheckRun) -> None:
        """Create or replace the check run; annotations beyond 50 follow in further requests."""
        batches = list(_batches(wanted.annotations))
        output = {"title": wanted.title[:250], "summary": wanted.summary}
        body: dict[str, Any] = {
            "name": REVIEW,
            "head_sha": self._target.head,
            "external_id": wanted.external_id if len(batches) == 1 else "",
            "status": "completed",
            "conclusion": wanted.conclusion,
            "output": {**output, "annotations": batches[0]},
            "actions": [asdict(button) for button in wanted.buttons],
        }
        run = (await self._write("POST", "/check-runs", body))["id"]
        for number, batch in enumerate(batches[1:], start=2):
            more: dict[str, Any] = {"output": {**output, "annotations": batch}}
            if number == len(batches):
                more["external_id"] = wanted.external_id
            await self._write("PATCH", f"/check-runs/{run}", more)


def _batches(annotations: Sequence[Annotation]) -> Iterator[list[dict[str, Any]]]:
    """Yield at least one batch, so that a review without findings completes too."""
    for start in range(0, len(annotations) or 1, ANNOTATIONS_A_REQUEST):
        yield [asdict(each) for each in annotations[start : start + ANNOTATIONS_A_REQUEST]]


def _comment(each: InlineComment) -> dict[str, Any]:
    comment: dict[str, Any] = {
        "path": each.path,
        "line": each.line,
        "side": "RIGHT",
        "body": each.body,
    }
    if each.start_line is not None:
        comment |= {"start_line": each.start_line, "start_side": "RIGHT"}
    return comment
