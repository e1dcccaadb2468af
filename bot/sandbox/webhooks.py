"""Signed deliveries to the bot, the log of them, and their redelivery."""

import asyncio
import hmac
import json
import time
import uuid
from dataclasses import replace

import aiohttp

from bot.sandbox.delivery import Delivery, Json
from bot.sandbox.faults import Faults
from bot.sandbox.permissions import needed_for_event
from bot.sandbox.shapes.accounts import organization, repository, user
from bot.sandbox.state import Account, Repository, State

# GitHub gives up after ten seconds.
# https://docs.github.com/en/webhooks/using-webhooks/best-practices-for-using-webhooks
TIMEOUT = 10.0


def sign(secret: str, body: bytes, algorithm: str = "sha256") -> str:
    """The signature header's value for a body."""
    return f"{algorithm}={hmac.new(secret.encode(), body, algorithm).hexdigest()}"


def envelope(state: State, event: Json, repo: Repository, sender: Account) -> Json:
    """A payload: what happened, and the parts that every delivery carries."""
    payload = {**event, "repository": repository(state, repo), "sender": user(state, sender)}
    if repo.owner.kind == "Organization":
        payload["organization"] = organization(state, repo.owner)
    if repo.installation is not None:
        node = f"MDIzOkludGVncmF0aW9uSW5zdGFsbGF0aW9u{repo.installation.id}"
        payload["installation"] = {"id": repo.installation.id, "node_id": node}
    return payload


class Outbox:
    """Sends what happened to the bot; every attempt stays in the log.

    `url` is where the bot listens; without one each delivery fails and can be redelivered.
    """

    def __init__(self, state: State, secret: str, faults: Faults) -> None:
        self._state, self._faults = state, faults
        self._session: aiohttp.ClientSession | None = None
        self._running: set[asyncio.Task[None]] = set()
        self.hook_id = state.next_id()
        self.secret = secret
        self.url: str | None = None
        self.timeout = TIMEOUT

    async def start(self) -> None:
        """Open the HTTP client."""
        self._session = aiohttp.ClientSession(headers={"User-Agent": "GitHub-Hookshot/sandbox"})

    async def stop(self) -> None:
        """Give up what is under way and close the client."""
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        if self._session is not None:
            await self._session.close()

    async def settled(self) -> None:
        """Wait until no delivery is under way."""
        while self._running:
            await asyncio.gather(*self._running)

    def send(self, event: str, content: Json, repo: Repository, sender: Account) -> list[Delivery]:
        """Deliver an event about a repository, if the App is installed, subscribed and permitted.

        Returns the deliveries started: one, unless a fault loses or repeats it.
        """
        if repo.installation is None or event not in self._state.app.events:
            return []
        needed = needed_for_event(event, content.get("action"))
        if not repo.installation.may(needed):
            return []
        payload = envelope(self._state, content, repo, sender)
        first = self._record(event, payload, repo.installation.id, repo.id)
        return self._start(first)

    def ping(self) -> list[Delivery]:
        """Deliver a ping, as GitHub does for a new webhook."""
        hook = {
            "type": "App",
            "id": self.hook_id,
            "name": "web",
            "active": True,
            "events": list(self._state.app.events),
            "config": {"content_type": "json", "insecure_ssl": "0", "url": self.url or ""},
            "app_id": self._state.app.id,
            "created_at": self._state.app.created_at,
            "updated_at": self._state.app.created_at,
        }
        payload = {"zen": "Keep it logically awesome.", "hook_id": self.hook_id, "hook": hook}
        return self._start(self._record("ping", payload, None, None))

    def redeliver(self, delivery: Delivery) -> Delivery:
        """Attempt a delivery again, with its GUID."""
        again = replace(
            delivery,
            id=self._state.next_id(),
            delivered_at=self._state.now(),
            redelivery=True,
            status="pending",
            status_code=0,
        )
        self._state.deliveries.append(again)
        self._spawn(again)
        return again

    def _record(
        self, event: str, payload: Json, installation_id: int | None, repository_id: int | None
    ) -> Delivery:
        number = self._state.next_id()
        delivery = Delivery(
            id=number,
            guid=str(uuid.uuid5(uuid.NAMESPACE_URL, f"delivery:{number}")),
            event=event,
            action=payload.get("action"),
            body=json.dumps(payload, separators=(",", ":"), ensure_ascii=False).encode(),
            payload=payload,
            delivered_at=self._state.now(),
            installation_id=installation_id,
            repository_id=repository_id,
        )
        self._state.deliveries.append(delivery)
        return delivery

    def _start(self, first: Delivery) -> list[Delivery]:
        copies = self._faults.copies(first.event)
        if copies == 0:
            first.status, first.status_code = "timed out", 504
        attempts = [first] if copies else []
        for _ in range(copies - 1):
            attempts.append(replace(first, id=self._state.next_id()))
            self._state.deliveries.append(attempts[-1])
        for attempt in attempts:
            self._spawn(attempt)
        return attempts

    def _spawn(self, delivery: Delivery) -> None:
        task = asyncio.get_running_loop().create_task(self._attempt(delivery))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _attempt(self, delivery: Delivery) -> None:
        began = time.perf_counter()
        try:
            async with asyncio.timeout(self.timeout):
                await self._post(delivery)
        except TimeoutError:
            delivery.status, delivery.status_code = "timed out", 504
        except (aiohttp.ClientError, OSError) as error:
            delivery.status, delivery.status_code = "failed to connect to host", 502
            delivery.answer = str(error)
        delivery.duration = round(time.perf_counter() - began, 3)

    async def _post(self, delivery: Delivery) -> None:
        if self._session is None or self.url is None:
            raise ConnectionError("No webhook URL is set.")
        headers = self.headers(delivery)
        async with self._session.post(self.url, data=delivery.body, headers=headers) as response:
            delivery.status_code = response.status
            delivery.status = "OK" if response.ok else f"Invalid HTTP Response: {response.status}"
            delivery.answer = (await response.content.read(65_536)).decode(errors="replace")

    def headers(self, delivery: Delivery) -> dict[str, str]:
        """The headers of a delivery.

        https://docs.github.com/en/webhooks/webhook-events-and-payloads#delivery-headers
        """
        return {
            "Accept": "*/*",
            "Content-Type": "application/json",
            "X-GitHub-Delivery": delivery.guid,
            "X-GitHub-Event": delivery.event,
            "X-GitHub-Hook-ID": str(self.hook_id),
            "X-GitHub-Hook-Installation-Target-ID": str(self._state.app.id),
            "X-GitHub-Hook-Installation-Target-Type": "integration",
            "X-Hub-Signature": sign(self.secret, delivery.body, "sha1"),
            "X-Hub-Signature-256": sign(self.secret, delivery.body),
        }
