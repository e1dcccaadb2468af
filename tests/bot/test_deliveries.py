"""What of GitHub's log of deliveries is fetched: what was lost, matters and is not kept yet."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

from bot.deliveries import DeliveryLog
from bot.delivery import DeliveryHeaders, read_payload
from bot.jobs.embedded import EmbeddedJobs
from tests.bot.conftest import APP_ID, pull_request

NOW = 1_800_000_000.0
WHO = {"login": "ann", "type": "User"}
SAID = {"id": 5, "node_id": "n", "html_url": "u", "body": "/rerun", "user": WHO}
COMMENT = pull_request("created", comment=SAID, sender=WHO, issue={"number": 7, "pull_request": {}})


def guid(number: int) -> str:
    return f"0000000{number}-cc78-11e3-81ab-4c9367dc0958"


def entry(number: int, of: int, status: int, event: str = "issue_comment") -> dict[str, Any]:
    """Return a line of the log."""
    at = datetime.fromtimestamp(NOW, UTC).isoformat()
    found = {"id": number, "guid": guid(of), "event": event, "status_code": status}
    return {**found, "delivered_at": at}


class Log:
    """GitHub's log, the newest first; it keeps what was asked for."""

    def __init__(self, *entries: dict[str, Any]) -> None:
        self.entries, self.asked = entries, list[str]()

    async def getiter(self, _url: str) -> AsyncIterator[dict[str, Any]]:
        for each in self.entries:
            yield each

    async def getitem(self, _url: str, place: dict[str, str]) -> dict[str, Any]:
        self.asked.append(place["id"])
        return {"request": {"payload": COMMENT}}


async def test_of_all_that_failed_only_what_matters_is_fetched_once(jobs: EmbeddedJobs) -> None:
    """https://github.com/oxidecomputer/buildomat/issues/109: of 7,000 that failed, 270 mattered."""
    headers = DeliveryHeaders(guid(1), "issue_comment", "")
    delivery, keys = read_payload(headers, json.dumps(COMMENT).encode(), NOW, APP_ID)
    await jobs.store(delivery, keys)
    await jobs.log_was_read_until(NOW)
    log: Any = Log(
        entry(16, 4, 200),
        entry(15, 3, 502, "star"),
        entry(14, 5, 502, "workflow_job"),
        entry(13, 2, 502),
        entry(12, 2, 504),
        entry(11, 1, 502),
        entry(10, 1, 200),
    )
    assert await DeliveryLog(log, jobs, APP_ID, lambda: NOW).fetch() == 1
    assert len(log.asked) == 1
    assert log.asked[0] in {"12", "13"}
    assert await jobs.known([guid(number) for number in range(1, 6)]) == {guid(1), guid(2)}
    assert await DeliveryLog(log, jobs, APP_ID, lambda: NOW).fetch() == 0
    assert len(log.asked) == 1
