"""Which head a sign-off was said at: the one that deliveries had told before, whatever the time."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bot.delivery import DeliveryHeaders, read_payload
from bot.jobs.embedded import EmbeddedJobs
from bot.keys import PullRequestKey
from bot.ledger import Ledger
from checks.signoff.version import version
from tests.bot.conftest import APP_ID, pull_request

KEY = PullRequestKey(77, "octo/bench", 7)
A, B = "a" * 40, "b" * 40
BODY = "As a PR reviewer\n- [x] all of it"


class Told:
    """Deliveries in the order in which they arrive."""

    def __init__(self, jobs: EmbeddedJobs) -> None:
        self.jobs, self.ledger, self._count = jobs, Ledger(jobs.database), 0

    async def head(self, sha: str, at: str = "12:00:00", action: str = "synchronize") -> None:
        pull = {"number": 7, "head": {"sha": sha}, "updated_at": at}
        await self._send("pull_request", pull_request(action, pull_request=pull))

    async def comment(
        self, body: str = BODY, at: str = "12:00:00", action: str = "created", **more: Any
    ) -> None:
        who = {"login": "ann", "type": "User"}
        said = {"id": 5, "node_id": "n", "html_url": "u", "body": body, "user": who}
        content = pull_request(action, comment={**said, "updated_at": at}, sender=who, **more)
        content["issue"] = {"number": 7, "pull_request": {}}
        await self._send("issue_comment", content)

    async def _send(self, event: str, content: dict[str, Any]) -> None:
        self._count += 1
        headers = DeliveryHeaders(f"{self._count:08}-0000-0000-0000-000000000000", event, "")
        delivery, keys = read_payload(headers, json.dumps(content).encode(), 0.0, APP_ID)
        await self.jobs.store(delivery, keys)

    async def bound(self, body: str = BODY) -> str | None:
        return (await self.ledger.heads_said_at(KEY)).get(("conversation", 5, version(body)))


@pytest.fixture
def told(jobs: EmbeddedJobs) -> Told:
    return Told(jobs)


async def test_a_comment_is_bound_to_the_head_that_was_told_before_it(told: Told) -> None:
    await told.head(A, action="opened")
    await told.comment()
    await told.head(B)
    assert await told.bound() == A


async def test_a_push_that_is_told_in_the_same_second_is_still_later(told: Told) -> None:
    await told.head(A, "12:00:00")
    await told.comment(at="12:00:00")
    await told.head(B, "12:00:00")
    assert await told.bound() == A


async def test_white_space_keeps_what_a_comment_is_bound_to(told: Told) -> None:
    await told.head(A)
    await told.comment()
    await told.head(B)
    await told.comment(BODY + "\n\n", action="edited", changes={"body": {"from": BODY}})
    assert await told.bound(f"  {BODY}") == A


async def test_other_words_are_said_anew(told: Told) -> None:
    await told.head(A)
    await told.comment()
    await told.head(B)
    await told.comment(BODY + " again", action="edited", changes={"body": {"from": BODY}})
    assert (await told.bound(), await told.bound(BODY + " again")) == (A, B)


async def test_a_comment_that_arrives_late_is_bound_to_nothing(told: Told) -> None:
    await told.head(A, "12:00:00")
    await told.head(B, "12:05:00")
    await told.comment(at="12:03:00")
    assert await told.bound() == ""


async def test_a_delivery_about_an_older_head_changes_nothing(told: Told) -> None:
    await told.head(A, "12:00:00")
    await told.head(B, "12:05:00")
    await told.head(A, "12:01:00", "labeled")
    await told.comment(at="12:06:00")
    assert await told.bound() == B


async def test_what_nobody_told_is_not_known(told: Told) -> None:
    await told.comment()
    assert await told.bound() == ""


async def test_a_review_tells_of_the_head_of_which_no_delivery_has(told: Told) -> None:
    await told.ledger.saw_head(KEY, A, "12:00:00")
    await told.ledger.saw_head(KEY, B, "12:01:00")
    await told.comment(at="12:02:00")
    assert await told.bound() == A


async def test_what_cannot_sign_is_not_kept(told: Told) -> None:
    await told.head(A)
    await told.comment("Looks good to me.")
    assert await told.ledger.heads_said_at(KEY) == {}


async def test_pull_requests_do_not_share_heads(told: Told) -> None:
    await told.ledger.saw_head(PullRequestKey(77, "octo/bench", 8), B, "")
    await told.head(A)
    await told.comment()
    assert await told.bound() == A
