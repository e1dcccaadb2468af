"""What comes over the wire: whole answers, and what they must look like."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit

import aiohttp

from bot.github.errors import AnswerTooLong, ForeignHostError, GitHubUnreachable


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole response."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def problem(self) -> tuple[str, str | None]:
        """Return GitHub's message, with the errors it lists, and its documentation URL."""
        try:
            found = json.loads(self.body)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            return "without a message", None
        listed = found.get("errors")
        errors = [_error_text(error) for error in listed] if isinstance(listed, list) else []
        message = ": ".join([str(found.get("message", "")), *filter(None, ["; ".join(errors)])])
        url = found.get("documentation_url")
        return message, url if isinstance(url, str) else None


async def read(response: aiohttp.ClientResponse, request: str, most: int) -> bytes:
    """Return the body. Raises AnswerTooLong if it is longer than `most` bytes."""
    body = bytearray()
    async for chunk in response.content.iter_any():
        body += chunk
        if len(body) > most:
            msg = f"GitHub's answer to {request} is longer than {most} bytes."
            raise AnswerTooLong(msg, maybe_done=response.method != "GET")
    return bytes(body)


def check_json(method: str, url: str, answer: Answer) -> None:
    """Refuse what a login page or a proxy in between answers instead of GitHub."""
    if not answer.body and method != "GET":
        return
    try:
        found = json.loads(answer.body)
    except ValueError:
        found = None
    if not isinstance(found, dict | list):
        msg = (
            f"The answer to {method} {urlsplit(url).path} is not GitHub's:"
            " neither a JSON object nor a list."
        )
        raise GitHubUnreachable(msg, maybe_done=method != "GET")


def moved_to(url: str, location: str) -> str:
    """Return the address that a redirect names. Raises ForeignHostError if it names none."""
    try:
        return urljoin(url, location)
    except ValueError:
        msg = f"GitHub moved {urlsplit(url).path} to what is no address: {location[:200]!r}."
        raise ForeignHostError(msg) from None


def origin(url: str) -> tuple[str, str | None, int | None]:
    """Return the server that an address leads to."""
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)


def rate(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers about the rate limit."""
    return {name: value for name, value in headers.items() if name.startswith("x-ratelimit-")}


def may_repeat(method: str, url: str, body: bytes) -> bool:
    """Say whether sending the request twice does the same as sending it once."""
    if method == "PATCH":
        # Annotations are added to those that are there already:
        # https://docs.github.com/en/rest/checks/runs#update-a-check-run
        return b'"annotations"' not in body
    return method in {"GET", "PUT", "DELETE"} or url.endswith("/access_tokens")


def _error_text(error: Any) -> str:
    if not isinstance(error, dict):
        return str(error)
    named = " ".join(str(error[key]) for key in ("field", "code") if error.get(key))
    return str(error.get("message") or named)


def graphql_result(answer: Answer) -> dict[str, Any]:
    """Return a GraphQL answer. Raises GitHubUnreachable if it is none."""
    try:
        result = json.loads(answer.body)
    except ValueError:
        result = None
    if not isinstance(result, dict):
        raise GitHubUnreachable("GitHub's GraphQL answer is not a JSON object.", maybe_done=True)
    return result
