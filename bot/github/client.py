"""gidgethub's client with time-outs, retries, limits, a safe cache and tokens that stay home."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit

import aiohttp
import gidgethub.aiohttp
import structlog

from bot.github.credentials import Credential
from bot.github.errors import (
    ForeignHostError,
    GitHubBusy,
    GitHubRefused,
    GitHubUnreachable,
    GraphQLError,
)
from bot.github.limits import Limits, asked_to_wait
from bot.settings import Settings

_log = structlog.get_logger()
_TIMEOUT = aiohttp.ClientTimeout(total=30, sock_connect=10)
_MOST_ATTEMPTS = 3
_MOST_REDIRECTS = 3
_MOST_CACHED_BYTES = 1024 * 1024
_MOST_BYTES = 32 * 1024 * 1024
_JSON = "application/json; charset=utf-8"
_NOT_SENT = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError)
_MUTATION = re.compile(r"^\s*mutation\b", re.MULTILINE)


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


Cache = MutableMapping[tuple[str, str, str], Answer]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What all clients of one GitHub share; `clock` gives seconds since 1970."""

    session: aiohttp.ClientSession
    settings: Settings
    cache: Cache
    clock: Callable[[], float]
    sleep: Callable[[float], Awaitable[None]]
    jitter: Callable[[], float]


class Client(gidgethub.aiohttp.GitHubAPI):
    """GitHub as one credential sees it.

    The verbs are gidgethub's (`getitem`, `getiter`, `post`, `patch`, `put`, `delete`); give
    variable parts of an address as `url_vars`, which escapes them. All raise GitHubUnreachable,
    GitHubRefused (GitHubBusy for a rate limit) and ForeignHostError; `graphql` GraphQLError too.
    """

    def __init__(
        self, around: Surroundings, name: str, credential: Credential, limits: Limits
    ) -> None:
        """Take `name` as what separates this client's answers from others' in the cache."""
        super().__init__(around.session, "referee", base_url=around.settings.api_url)
        self._around, self._name = around, name
        self._credential, self._limits = credential, limits

    async def sleep(self, seconds: float) -> None:
        """Sleep by the clock that the client was given."""
        await self._around.sleep(seconds)

    async def graphql(self, query: str, *, endpoint: str = "", **variables: Any) -> Any:
        """Return the `data` of a GraphQL answer; raises GraphQLError when it lists errors."""
        url = endpoint or self._around.settings.graphql_url
        body = json.dumps({"query": query, "variables": variables}).encode()
        headers = {"accept": "application/json", "content-type": _JSON}
        write = bool(_MUTATION.search(query))
        for _ in range(_MOST_ATTEMPTS):
            answer = await self._exchange("POST", url, headers, body, write=write, again=not write)
            result = _graphql_result(answer)
            if not result.get("errors"):
                return result.get("data")
            error = GraphQLError(result["errors"], result.get("data"))
            if "RATE_LIMITED" not in error.types:
                raise error
            # https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api#exceeding-the-rate-limit
            limited = {**answer.headers, "x-ratelimit-remaining": "0"}
            self._limits.pause(asked_to_wait(403, limited, "", self._around.clock()) or 60)
        raise GitHubBusy(f"POST {urlsplit(url).path}", 403, "rate limit", 60)

    async def _request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes = b""
    ) -> tuple[int, Mapping[str, str], bytes]:
        again = _may_repeat(method, url, body)
        write = method != "GET"
        answer = await self._exchange(method, url, headers, body, write=write, again=again)
        _check_json(method, url, answer)
        return answer.status, {**answer.headers, "content-type": _JSON}, answer.body

    async def _exchange(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        body: bytes,
        *,
        write: bool,
        again: bool,
    ) -> Answer:
        request = f"{method} {urlsplit(url).path}"
        for attempt in range(1, _MOST_ATTEMPTS + 1):
            last = attempt == _MOST_ATTEMPTS
            await self._limits.wait(request, write=write)
            token = await self._credential.token()
            try:
                answer = await self._follow(method, url, headers, body, token)
            except GitHubUnreachable as error:
                if last or (error.maybe_done and not again):
                    raise
                _log.warning("github_retry", request=request, reason=str(error))
                await self.sleep(2.0 ** (attempt - 1) * (0.5 + self._around.jitter()))
                continue
            if answer.status < 300:
                return answer
            if answer.status == 401 and self._credential.drop(token) and not last:
                continue
            self._pause_or_refuse(request, answer, attempt)
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _pause_or_refuse(self, request: str, answer: Answer, attempt: int) -> None:
        message, documentation_url = answer.problem()
        seconds = asked_to_wait(answer.status, answer.headers, message, self._around.clock())
        if seconds is None:
            raise GitHubRefused(request, answer.status, message, documentation_url)
        if "retry-after" not in answer.headers:
            seconds *= 2 ** (attempt - 1)
        self._limits.pause(seconds + self._around.jitter())
        if attempt == _MOST_ATTEMPTS:
            raise GitHubBusy(request, answer.status, message, seconds)
        _log.warning("github_limit", request=request, seconds=round(seconds), reason=message)

    async def _follow(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, token: str
    ) -> Answer:
        """Send, and follow what moved as long as it stays on the configured GitHub."""
        answer = await self._send(method, url, headers, body, token)
        for _ in range(_MOST_REDIRECTS):
            # https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api#follow-redirects
            moved = {301, 302, 307, 308} if method == "GET" else {307, 308}
            if answer.status not in moved or "location" not in answer.headers:
                break
            url = _moved_to(url, answer.headers["location"])
            answer = await self._send(method, url, headers, body, token)
        return answer

    async def _send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, token: str
    ) -> Answer:
        """Send once, and answer from the cache where GitHub says that nothing changed."""
        self._refuse_foreign(url)
        key = (self._name, url, headers.get("accept", ""))
        known = self._around.cache.get(key) if method == "GET" else None
        sent = {
            **headers,
            "user-agent": self.requester,
            "authorization": f"Bearer {token}",
            "x-github-api-version": "2022-11-28",
        }
        if known:
            sent["if-none-match"] = known.headers["etag"]
        answer = await self._send_once(method, url, sent, body)
        if answer.status == 304 and known:
            return Answer(known.status, {**known.headers, **_rate(answer.headers)}, known.body)
        small = len(answer.body) <= _MOST_CACHED_BYTES
        if method == "GET" and answer.status == 200 and "etag" in answer.headers and small:
            self._around.cache[key] = answer
        return answer

    async def _send_once(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes
    ) -> Answer:
        request = f"{method} {urlsplit(url).path}"
        try:
            async with self._session.request(
                method, url, headers=headers, data=body, allow_redirects=False, timeout=_TIMEOUT
            ) as response:
                lower = {name.lower(): value for name, value in response.headers.items()}
                answer = Answer(response.status, lower, await _read(response, request))
        except (TimeoutError, aiohttp.ClientError, OSError) as error:
            reason = str(error) or "it took too long"
            raise GitHubUnreachable(
                f"GitHub could not be reached for {request}: {reason}.",
                maybe_done=method != "GET" and not isinstance(error, _NOT_SENT),
            ) from error
        if answer.status >= 500:
            raise GitHubUnreachable(
                f"GitHub answered {answer.status} to {request}.", maybe_done=method != "GET"
            )
        return answer

    def _refuse_foreign(self, url: str) -> None:
        settings = self._around.settings
        if _origin(url) not in {_origin(settings.api_url), _origin(settings.graphql_url)}:
            msg = f"No token is sent to {urlsplit(url).netloc}: it is not the configured GitHub."
            raise ForeignHostError(msg)


async def _read(response: aiohttp.ClientResponse, request: str) -> bytes:
    body = bytearray()
    async for chunk in response.content.iter_any():
        body += chunk
        if len(body) > _MOST_BYTES:
            msg = f"GitHub's answer to {request} is longer than {_MOST_BYTES} bytes."
            raise GitHubUnreachable(msg, maybe_done=response.method != "GET")
    return bytes(body)


def _check_json(method: str, url: str, answer: Answer) -> None:
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


def _moved_to(url: str, location: str) -> str:
    try:
        return urljoin(url, location)
    except ValueError:
        msg = f"GitHub moved {urlsplit(url).path} to what is no address: {location[:200]!r}."
        raise ForeignHostError(msg) from None


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)


def _rate(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name.startswith("x-ratelimit-")}


def _may_repeat(method: str, url: str, body: bytes) -> bool:
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


def _graphql_result(answer: Answer) -> dict[str, Any]:
    try:
        result = json.loads(answer.body)
    except ValueError:
        result = None
    if not isinstance(result, dict):
        raise GitHubUnreachable("GitHub's GraphQL answer is not a JSON object.", maybe_done=True)
    return result
