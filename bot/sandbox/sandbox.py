"""The sandbox as tests and `referee sandbox` hold it: started, driven, and read."""

import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from aiohttp import web

from bot.sandbox import git_http
from bot.sandbox.api import Api
from bot.sandbox.auth import private_key_pem
from bot.sandbox.control import Control
from bot.sandbox.delivery import Delivery
from bot.sandbox.exchange import Exchange
from bot.sandbox.faults import Faults, NoAnswerError
from bot.sandbox.installations import App
from bot.sandbox.page import Page
from bot.sandbox.page_actions import PageActions
from bot.sandbox.rest.artifacts import Blobs
from bot.sandbox.site import Site
from bot.sandbox.state import Clock, State
from bot.sandbox.webhooks import Outbox

PERMISSIONS = {
    "metadata": "read",
    "contents": "write",
    "pull_requests": "write",
    "issues": "write",
    "checks": "write",
    "actions": "write",
    "statuses": "write",
    "members": "read",
}
EVENTS = (
    "check_run",
    "check_suite",
    "issue_comment",
    "pull_request",
    "pull_request_review",
    "pull_request_review_comment",
    "pull_request_review_thread",
    "push",
    "status",
    "workflow_job",
    "workflow_run",
)
MAX_REQUEST = 32 * 1024 * 1024


class Sandbox(Control):
    """A GitHub of one's own, on localhost.

    `directory` gets the bare repositories; `clock` gives epoch seconds; `person` is who acts on
    the web page; `permissions` are those of every installation.
    """

    def __init__(
        self,
        directory: Path,
        *,
        webhook_url: str | None = None,
        slug: str = "referee",
        permissions: dict[str, str] | None = None,
        person: str = "maintainer",
        clock: Clock = time.time,
        host: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        state, self.faults = State(clock), Faults()
        state.roles[person] = "maintain"
        state.app = _register(
            state, slug, dict(PERMISSIONS if permissions is None else permissions)
        )
        self.slug, self.webhook_secret = slug, f"secret-of-{slug}"
        outbox = Outbox(state, self.webhook_secret, self.faults)
        outbox.url = webhook_url
        super().__init__(Site(state, outbox, self.faults), directory)
        self._api = Api(self.site)
        self._person, self._address = person, (host, port)
        self._runner: web.AppRunner | None = None

    async def start(self) -> None:
        """Listen; `url` is known afterwards.

        Raises OSError when the port is taken.
        """
        person = self.state.account(self._person)
        app = web.Application(client_max_size=MAX_REQUEST)
        self._api.add_routes(app.router)
        app.router.add_get("/{owner}/{repo}.git/{path:info/refs}", self._git)
        app.router.add_post("/{owner}/{repo}.git/{path:git-[a-z-]+}", self._git)
        served = (Page(self.site, person), PageActions(self.site, person), Blobs(self.site))
        for pages in served:
            pages.add_routes(app.router)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, *self._address).start()
        except OSError:
            await self._runner.cleanup()
            raise
        host, port = self._runner.addresses[0][:2]
        self.state.url = f"http://{host}:{port}"
        await self.site.outbox.start()

    async def stop(self) -> None:
        """Close every connection and give up deliveries under way."""
        await self.site.outbox.stop()
        if self._runner is not None:
            await self._runner.cleanup()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.stop()

    async def _git(self, request: web.Request) -> web.Response:
        async def proceed() -> web.Response:
            return await git_http.serve(self.site, request)

        try:
            return await self.faults.apply(request, request.path, proceed)
        except NoAnswerError:
            return web.Response(status=499)

    @property
    def url(self) -> str:
        """Its web address, also the base of git remotes."""
        return self.state.url

    @property
    def api_url(self) -> str:
        """The REST base."""
        return self.state.api_url

    @property
    def graphql_url(self) -> str:
        """The GraphQL endpoint."""
        return f"{self.url}/api/graphql"

    @property
    def app_id(self) -> int:
        """The id of the registered App."""
        return self.state.app.id

    @property
    def private_key_pem(self) -> str:
        """The App's private key."""
        return private_key_pem()

    @property
    def webhook_url(self) -> str | None:
        """Where deliveries go; may be set at any time."""
        return self.site.outbox.url

    @webhook_url.setter
    def webhook_url(self, url: str | None) -> None:
        self.site.outbox.url = url

    @property
    def requests(self) -> Sequence[Exchange]:
        """Every API request, in order of arrival."""
        return self._api.exchanges

    @property
    def writes(self) -> list[Exchange]:
        """The requests for a change that people can see; token requests are none."""
        return [exchange for exchange in self.requests if exchange.writes]

    @property
    def rejected(self) -> list[Exchange]:
        """The requests that were refused with 4xx, other than by a fault."""
        return [exchange for exchange in self.requests if exchange.rejected]

    @property
    def deliveries(self) -> Sequence[Delivery]:
        """Every delivery attempt, oldest first."""
        return self.state.deliveries


def _register(state: State, slug: str, permissions: dict[str, str]) -> App:
    owner, bot = state.account(slug, "Organization"), state.account(f"{slug}[bot]", "Bot")
    return App(state.next_id(), slug, owner, bot, permissions, EVENTS, state.now())
