"""Trouble on demand: what the network and GitHub do on a bad day."""

import asyncio
import inspect
import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

Proceed = Callable[[], Awaitable[web.Response]]
Action = Callable[[web.Request, Proceed], Awaitable[web.Response]]
Callback = Callable[[], Any]


class NoAnswerError(Exception):
    """The connection was closed without an answer."""


def _json(status: int, message: str, headers: dict[str, str] | None = None) -> web.Response:
    body = {"message": message, "documentation_url": "https://docs.github.com/rest"}
    text = json.dumps({**body, "status": str(status)})
    return web.Response(status=status, text=text, headers=headers, content_type="application/json")


def status(code: int, message: str = "Server Error") -> Action:
    """Answer with a status instead of doing the work."""

    async def act(_: web.Request, __: Proceed) -> web.Response:
        return _json(code, message)

    return act


def secondary_limit(retry_after: int = 60) -> Action:
    """403 with `retry-after`, as GitHub answers to bursts of writes.

    https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
    """
    message = "You have exceeded a secondary rate limit. Please wait a few minutes."

    async def act(_: web.Request, __: Proceed) -> web.Response:
        return _json(403, message, {"retry-after": str(retry_after)})

    return act


def too_many(retry_after: int = 60) -> Action:
    """429 with `retry-after`."""

    async def act(_: web.Request, __: Proceed) -> web.Response:
        return _json(429, "API rate limit exceeded", {"retry-after": str(retry_after)})

    return act


def unprocessable(message: str = "Validation Failed") -> Action:
    """422 whatever the request says."""
    return status(422, message)


def no_answer(seconds: float) -> Action:
    """Do nothing and say nothing for a time, then close the connection."""

    async def act(request: web.Request, _: Proceed) -> web.Response:
        await asyncio.sleep(seconds)
        return abort(request)

    return act


def reset() -> Action:
    """Reset the connection before any work is done."""

    async def act(request: web.Request, _: Proceed) -> web.Response:
        return abort(request)

    return act


def answer_lost() -> Action:
    """Do the work, then reset the connection instead of answering."""

    async def act(request: web.Request, proceed: Proceed) -> web.Response:
        await proceed()
        return abort(request)

    return act


def delayed(seconds: float) -> Action:
    """Do the work after a pause."""

    async def act(_: web.Request, proceed: Proceed) -> web.Response:
        await asyncio.sleep(seconds)
        return await proceed()

    return act


def before(callback: Callback) -> Action:
    """Call something, then do the work; the callback may be a coroutine function."""

    async def act(_: web.Request, proceed: Proceed) -> web.Response:
        await _call(callback)
        return await proceed()

    return act


def after(callback: Callback) -> Action:
    """Do the work, call something, then answer."""

    async def act(_: web.Request, proceed: Proceed) -> web.Response:
        response = await proceed()
        await _call(callback)
        return response

    return act


async def _call(callback: Callback) -> None:
    outcome = callback()
    if inspect.isawaitable(outcome):
        await outcome


def abort(request: web.Request) -> web.Response:
    """Reset the request's connection; raises NoAnswerError always."""
    if request.transport is not None:
        request.transport.abort()
    raise NoAnswerError


@dataclass
class Fault:
    """An action for the next requests that match."""

    method: re.Pattern[str]
    path: re.Pattern[str]
    action: Action
    left: int | None
    hits: int = 0

    def takes(self, method: str, path: str) -> bool:
        """Whether this request is to be hit."""
        matches = self.method.fullmatch(method) and self.path.search(path)
        return bool(matches) and self.left != 0


@dataclass
class DeliveryFault:
    """A delivery that does not arrive, or arrives `copies` times."""

    event: str
    copies: int
    left: int


@dataclass
class Faults:
    """The faults in force; the first that matches a request takes it."""

    requests: list[Fault] = field(default_factory=list)
    deliveries: list[DeliveryFault] = field(default_factory=list)

    def add(self, match: tuple[str, str], action: Action, times: int | None = 1) -> Fault:
        """Hit the next `times` requests (all, when None) that match.

        `match` is a regular expression for the method (whole) and one for the path (anywhere);
        the path is that of the API without its base, `/graphql`, a git path, or that of a blob.
        """
        method, path = (re.compile(pattern) for pattern in match)
        fault = Fault(method, path, action, times)
        self.requests.append(fault)
        return fault

    def lose_deliveries(self, times: int = 1, event: str = "") -> None:
        """Let the next deliveries (of an event) time out without reaching the bot."""
        self.deliveries.append(DeliveryFault(event, 0, times))

    def repeat_deliveries(self, times: int = 1, copies: int = 2, event: str = "") -> None:
        """Send each of the next deliveries several times at once, with one GUID."""
        self.deliveries.append(DeliveryFault(event, copies, times))

    def clear(self) -> None:
        """No more faults."""
        self.requests.clear()
        self.deliveries.clear()

    async def apply(self, request: web.Request, path: str, proceed: Proceed) -> web.Response:
        """Answer a request, through the first fault that takes it.

        Raises NoAnswerError when the fault closed the connection.
        """
        for fault in self.requests:
            if fault.takes(request.method, path):
                fault.hits += 1
                fault.left = None if fault.left is None else fault.left - 1
                return await fault.action(request, proceed)
        return await proceed()

    def copies(self, event: str) -> int:
        """How often a new delivery is to be sent: once, unless a fault says otherwise."""
        for fault in self.deliveries:
            if fault.left and fault.event in ("", event):
                fault.left -= 1
                return fault.copies
        return 1
