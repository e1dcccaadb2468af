"""Close connections that bring no whole request, so that they cannot use up the server's sockets.

aiohttp limits how long a connection may rest between requests, but not how long the headers of
one may take: https://docs.aiohttp.org/en/stable/web_reference.html#aiohttp.web.AppRunner
"""

from __future__ import annotations

import asyncio

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

REQUEST_SECONDS = 30.0
_LOOK_EVERY = 5.0


class Idle:
    """Knows which connections are answering a request, and since when the others are not."""

    def __init__(self, seconds: float = REQUEST_SECONDS, every: float = _LOOK_EVERY) -> None:
        """Let a connection be without a whole request for `seconds`; look `every` so many."""
        self._seconds, self._every = seconds, every
        self._busy: set[object] = set()
        self._since: dict[web.RequestHandler, float] = {}
        self._task: asyncio.Task[None] | None = None

    def watch(self, server: web.Server) -> None:
        """Close what is idle for too long, until `stop`."""
        self._task = asyncio.create_task(self._run(server))

    async def stop(self, _app: web.Application) -> None:
        """Stop watching."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    @property
    def middleware(self) -> Middleware:
        """Return the middleware that notes which connections are answering."""

        @web.middleware
        async def note(request: web.Request, handler: Handler) -> web.StreamResponse:
            self._busy.add(request.protocol)
            try:
                return await handler(request)
            finally:
                self._busy.discard(request.protocol)
                self._since.pop(request.protocol, None)

        return note

    async def _run(self, server: web.Server) -> None:
        while True:
            await asyncio.sleep(self._every)
            now = asyncio.get_running_loop().time()
            self._since = {
                each: self._since.get(each, now)
                for each in server.connections
                if each not in self._busy
            }
            for connection, since in self._since.items():
                if now - since > self._seconds:
                    connection.force_close()
