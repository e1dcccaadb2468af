"""The HTTP edge: a delivery is verified, stored durably and answered with 202; no other work."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from http import HTTPStatus

import structlog
from aiohttp import web

from bot.delivery import (
    MOST_BYTES,
    DeliveryError,
    check_headers,
    check_signature,
    read_payload,
)
from bot.idle import Idle
from bot.jobs import Jobs, Stored, StoreError
from bot.settings import Settings

_log = structlog.get_logger()
# GitHub gives up after 10 seconds:
# https://docs.github.com/en/webhooks/using-webhooks/best-practices-for-using-webhooks
_READ_SECONDS = 8.0
_LARGE_BYTES = 1024 * 1024
_LARGE_AT_ONCE = 4

_IDLE = web.AppKey("idle", Idle)
_Respond = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Edge:
    """The routes of the bot, on one set of settings and jobs."""

    def __init__(self, settings: Settings, jobs: Jobs, clock: Callable[[], float]) -> None:
        self._settings = settings
        self._jobs = jobs
        self._clock = clock
        self._large = asyncio.Semaphore(_LARGE_AT_ONCE)

    async def webhook(self, request: web.Request) -> web.Response:
        """Answer 202 once the delivery is durable, or 4xx and 503 with one sentence."""
        try:
            return _json(202, status=await self._take(request))
        except web.RequestPayloadError:
            _log.warning("delivery_refused", status=400, reason="the body cannot be decoded")
            return _json(400, error="The body is not what its Content-Encoding header says.")
        except DeliveryError as error:
            _log.warning("delivery_refused", status=error.status, reason=str(error))
            return _json(error.status, error=str(error))
        except StoreError as error:
            _log.error("delivery_not_stored", reason=str(error))
            return _json(503, error=f"{error} Redeliver this delivery later.")

    async def alive(self, _request: web.Request) -> web.Response:
        """Answer 200 as long as the process answers at all."""
        return _json(200, status="alive")

    async def ready(self, _request: web.Request) -> web.Response:
        """Answer 200 when deliveries can be stored and reviewed, else 503 with the reasons."""
        problems = await self._jobs.problems()
        if problems:
            return web.json_response({"status": "not ready", "reasons": problems}, status=503)
        return _json(200, status="ready")

    async def _take(self, request: web.Request) -> str:
        headers = check_headers(request.headers)
        # Most bodies are here with their headers, and need no clock.
        body = await (request.read() if request.content.is_eof() else self._read(request))
        check_signature(headers.signature, body, self._settings.webhook_secrets)
        delivery, keys = read_payload(headers, body, self._clock(), self._settings.app_id)
        if not keys:
            return "ignored"
        stored = await self._jobs.store(delivery, keys)
        return "queued" if stored is Stored.NEW else "duplicate"

    async def _read(self, request: web.Request) -> bytes:
        length = request.content_length
        large = length is None or length > _LARGE_BYTES
        try:
            async with asyncio.timeout(_READ_SECONDS), self._large if large else nullcontext():
                return await request.read()
        except web.HTTPRequestEntityTooLarge:
            raise DeliveryError(
                413, f"The body is too large: {MOST_BYTES} bytes at most."
            ) from None
        except TimeoutError:
            raise DeliveryError(408, f"The body took over {_READ_SECONDS:g} seconds.") from None


def make_app(
    settings: Settings, jobs: Jobs, *, clock: Callable[[], float] = time.time
) -> web.Application:
    """Return the application that takes deliveries; the caller runs it and closes `jobs`."""
    edge = Edge(settings, jobs, clock)
    idle = Idle()
    app = web.Application(
        client_max_size=MOST_BYTES, middlewares=[idle.middleware, _errors_as_json]
    )
    app[_IDLE] = idle
    app.on_cleanup.append(idle.stop)
    app.router.add_post("/webhook", edge.webhook)
    app.router.add_get("/healthz", edge.alive)
    app.router.add_get("/readyz", edge.ready)
    return app


async def start(app: web.Application, host: str, port: int) -> tuple[web.AppRunner, int]:
    """Listen on `host` and `port` (0 picks one); return what to clean up, and the port.

    Raises OSError when the address cannot be listened on.
    """
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port).start()
    except OSError:
        await runner.cleanup()
        raise
    assert runner.server is not None
    if _IDLE in app:
        app[_IDLE].watch(runner.server)
    return runner, int(runner.addresses[0][1])


@web.middleware
async def _errors_as_json(request: web.Request, handler: _Respond) -> web.StreamResponse:
    try:
        return await handler(request)
    except web.HTTPNotFound:
        return _json(404, error="There is nothing here: deliveries go to POST /webhook.")
    except web.HTTPMethodNotAllowed as error:
        allowed = ", ".join(sorted(error.allowed_methods))
        response = _json(405, error=f"This address takes {allowed} only.")
        response.headers["Allow"] = allowed
        return response
    except web.HTTPException as error:
        return _json(error.status, error=f"{HTTPStatus(error.status).phrase}.")
    except Exception:
        _log.exception("request_failed", path=request.path)
        return _json(500, error="Referee failed on this request: its log says why.")


def _json(code: int, /, **fields: str) -> web.Response:
    return web.json_response(fields, status=code)
