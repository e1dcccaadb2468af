"""GitHub's ways of answering: refusals, pages, ETags, rate-limit headers."""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from aiohttp import web
from yarl import URL

from bot.sandbox.delivery import Json

DOCUMENTATION = "https://docs.github.com/rest"
LIMIT = 5000
WINDOW = 3600
Item = TypeVar("Item")


class RefusedError(Exception):
    """A 4xx answer in GitHub's shape."""

    def __init__(
        self,
        status: int,
        message: str,
        errors: Sequence[Any] | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.headers = headers or {}
        self.status, self.message, self.errors = status, message, errors

    @property
    def body(self) -> Json:
        """The JSON that GitHub would send."""
        errors = {} if self.errors is None else {"errors": list(self.errors)}
        documented = {"documentation_url": DOCUMENTATION, "status": str(self.status)}
        return {"message": self.message, **errors, **documented}


def not_found() -> RefusedError:
    """404, which GitHub also gives for what the caller may not see."""
    return RefusedError(404, "Not Found")


def validation_failed(resource: str, code: str, field_name: str, message: str) -> RefusedError:
    """422 with one structured error."""
    error = {"resource": resource, "code": code, "field": field_name, "message": message}
    return RefusedError(422, "Validation Failed", [error])


def unprocessable(*messages: str) -> RefusedError:
    """422 with plain sentences, as the review endpoints answer."""
    return RefusedError(422, "Unprocessable Entity", messages)


@dataclass(frozen=True)
class Answer:
    """What a handler returns."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


def page(
    items: Sequence[Item], url: URL, show: Callable[[Item], Any], wrap: str | None = None
) -> Answer:
    """One page of a list with its Link header.

    `wrap` names the key of the list where GitHub sends `{"total_count": …, key: […]}`.
    https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api
    """
    size = min(max(number_of(url, "per_page", 30), 1), 100)
    number = max(number_of(url, "page", 1), 1)
    last = max((len(items) + size - 1) // size, 1)
    shown = [show(item) for item in items[(number - 1) * size : number * size]]
    near = {"prev": number - 1, "next": number + 1, "last": last, "first": 1}
    if number <= 1:
        del near["prev"], near["first"]
    if number >= last:
        del near["next"], near["last"]
    links = (f'<{url.update_query(page=at)}>; rel="{name}"' for name, at in near.items())
    body = shown if wrap is None else {"total_count": len(items), wrap: shown}
    return Answer(body, headers={"Link": ", ".join(links)} if near else {})


def number_of(url: URL, name: str, default: int) -> int:
    """A numeric query parameter; GitHub ignores what is no number."""
    value = url.query.get(name, "")
    return int(value) if value.isdecimal() else default


class RateLimit:
    """Counts requests per viewer and hour; it reports, and never refuses."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._used: dict[tuple[str, int], int] = {}

    def headers(self, viewer: str, *, free: bool = False) -> dict[str, str]:
        """The headers of one more answer; a 304 costs nothing."""
        window = int(self._clock()) // WINDOW
        used = self._used.get((viewer, window), 0) + (not free)
        self._used[viewer, window] = used
        return {
            "x-ratelimit-limit": str(LIMIT),
            "x-ratelimit-remaining": str(max(LIMIT - used, 0)),
            "x-ratelimit-used": str(used),
            "x-ratelimit-reset": str((window + 1) * WINDOW),
            "x-ratelimit-resource": "core",
        }


def respond(answer: Answer, request: web.Request) -> web.Response:
    """The HTTP response for an answer; 304 when the client has it already."""
    if answer.body is None:
        return web.Response(status=answer.status, headers=answer.headers)
    body = json.dumps(answer.body, ensure_ascii=False).encode()
    headers = dict(answer.headers)
    if request.method == "GET" and answer.status == 200:
        headers["ETag"] = f'W/"{hashlib.sha256(body).hexdigest()}"'
        if headers["ETag"] == request.headers.get("If-None-Match"):
            return web.Response(status=304, headers=headers)
    return web.Response(
        status=answer.status,
        body=body,
        headers=headers,
        content_type="application/json",
        charset="utf-8",
    )
