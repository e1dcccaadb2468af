"""Fetch the deliveries that GitHub could not bring, such as while no server was running.

https://docs.github.com/en/webhooks/using-webhooks/handling-failed-webhook-deliveries lets GitHub
try again instead; but what the log has can be kept at once, whether or not GitHub reaches us, and
at most once: its GUID is unique in the store. Which part of the log was read is kept there too. A
new store begins with the present, as a lost one may have kept what the log calls failed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import structlog

from bot.attention import PAYLOADS
from bot.delivery import DeliveryError, DeliveryHeaders, read_payload
from bot.github import Client, GitHubRefused
from bot.jobs import Jobs, Stored

log = structlog.get_logger()
# A delivery is in the log only after its end, and GitHub's clock is not ours.
_OVERLAP_SECONDS = 600.0
_FAILED = "/app/hook/deliveries?status=failure&per_page=100"
# News that come by the hundreds, and are seen whenever the pull request is looked at.
_PASSED_OVER = {"workflow_job", "workflow_run"}


@dataclass(frozen=True, slots=True)
class DeliveryLog:
    """What GitHub remembers for three days of what it sent to the App."""

    client: Client
    jobs: Jobs
    app_id: int
    clock: Callable[[], float]

    async def fetch(self) -> int:
        """Keep the failed deliveries since the last time, the oldest first; return how many.

        Raises:
            GitHubError: GitHub did not answer; what is kept stays, and the next time goes on.
            StoreError: the store cannot be read or written.

        """
        began, since = self.clock(), await self.jobs.log_read_until()
        kept = 0
        if since is not None:
            for entry in reversed(await self._lost(since - _OVERLAP_SECONDS)):
                kept += await self._keep(entry)
        # Nothing from before the beginning of a store is ever looked at, also not as an overlap.
        first = began + _OVERLAP_SECONDS
        until = first if since is None else max(began, min(since, first))
        await self.jobs.log_was_read_until(until)
        return kept

    async def _lost(self, since: float) -> Sequence[Any]:
        """Return the entries of deliveries that the store does not have, the newest first."""
        found: dict[str, Any] = {}
        async for entry in self.client.getiter(_FAILED):
            # GitHub's times are whole seconds.
            if datetime.fromisoformat(entry["delivered_at"]).timestamp() < int(since):
                break
            # Servers without the filter list what arrived, too.
            failed = not 200 <= entry["status_code"] < 300
            if failed and entry["event"] in PAYLOADS.keys() - _PASSED_OVER:
                found[entry["guid"].lower()] = entry
        known = await self.jobs.known(list(found))
        return [entry for guid, entry in found.items() if guid not in known]

    async def _keep(self, entry: Any) -> bool:
        place = {"id": str(entry["id"])}
        # https://docs.github.com/en/rest/apps/webhooks#get-a-delivery-for-an-app-webhook
        try:
            whole = await self.client.getitem("/app/hook/deliveries/{id}", place)
        except GitHubRefused as error:
            if not error.gone:
                raise
            log.warning("delivery_gone", guid=entry["guid"], reason=str(error))
            return False
        headers = DeliveryHeaders(entry["guid"].lower(), entry["event"], "")
        body = json.dumps(whole["request"]["payload"]).encode()
        try:
            delivery, keys = read_payload(headers, body, self.clock(), self.app_id)
        except DeliveryError as error:
            log.warning("delivery_refused", guid=headers.guid, reason=str(error))
            return False
        if not keys or await self.jobs.store(delivery, keys) is not Stored.NEW:
            return False
        log.info("delivery_fetched", guid=headers.guid, event_name=headers.event)
        return True
