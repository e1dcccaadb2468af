"""gidgethub's client with time-outs, retries, limits, a safe cache and tokens that stay home."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import gidgethub.aiohttp
import structlog
from gidgethub import sansio

from bot.github.credentials import Credential
from bot.github.errors import (
    ForeignHostError,
    GitHubBusy,
    GitHubRefused,
    GitHubUnreachable,
    GraphQLError,
)
from bot.github.limits import Limits, asked_to_wait
from bot.github.wire import (
    Answer,
    check_json,
    graphql_result,
    may_repeat,
    moved_to,
    origin,
    rate,
    read,
)
from bot.settings import Settings

_log = structlog.get_logger()
_TIMEOUT = aiohttp.ClientTimeout(total=30, sock_connect=10)
_MOST_ATTEMPTS = 3
_MOST_REDIRECTS = 3
_MOST_BYTES = 32 * 1024 * 1024
_MOVED = {301, 302, 307, 308}
_MOST_CACHED_BYTES = 1024 * 1024
_JSON = "application/json; charset=utf-8"
_NOT_SENT = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError)
_MUTATION = re.compile(r"^\s*mutation\b", re.MULTILINE)


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
            result = graphql_result(answer)
            if not result.get("errors"):
                return result.get("data")
            error = GraphQLError(result["errors"], result.get("data"))
            if "RATE_LIMITED" not in error.types:
                raise error
            # https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api#exceeding-the-rate-limit
            limited = {**answer.headers, "x-ratelimit-remaining": "0"}
            self._limits.pause(asked_to_wait(403, limited, "", self._around.clock()) or 60)
        raise GitHubBusy(f"POST {urlsplit(url).path}", 403, "rate limit", 60)

    async def location(self, url: str, url_vars: Mapping[str, str]) -> str:
        """Return where GitHub sends on to for what lies on another server, without going there."""
        address = sansio.format_url(url, url_vars, base_url=self.base_url)
        request = f"GET {urlsplit(address).path}"
        headers = {"accept": "application/vnd.github+json"}
        for _ in range(_MOST_REDIRECTS):
            answer = await self._exchange(
                "GET", address, headers, b"", write=False, again=True, follow=False
            )
            if "location" not in answer.headers:
                break
            address = moved_to(address, answer.headers["location"])
            if not self._is_own(address):  # else the repository was renamed
                return address
        raise GitHubUnreachable(f"GitHub does not say where to go for {request}.", maybe_done=False)

    async def download(self, url: str, url_vars: Mapping[str, str], most_bytes: int) -> bytes:
        """Return what lies there, at most so many bytes; the other server gets no token.

        https://docs.github.com/en/rest/actions/artifacts#download-an-artifact
        """
        address = await self.location(url, url_vars)
        request = f"GET {urlsplit(address).hostname} for {url}"
        if urlsplit(address).scheme not in {"https", urlsplit(self.base_url).scheme}:
            raise ForeignHostError(f"{request} would not be encrypted.")
        try:
            async with self._session.get(
                address, allow_redirects=False, timeout=_TIMEOUT
            ) as response:
                if response.status != 200:
                    msg = f"The answer to {request} was {response.status}."
                    raise GitHubUnreachable(msg, maybe_done=False)
                return await read(response, request, most_bytes)
        except (TimeoutError, aiohttp.ClientError, OSError) as error:
            reason = str(error) or "it took too long"
            msg = f"Nothing came for {request}: {reason}."
            raise GitHubUnreachable(msg, maybe_done=False) from error

    async def _request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes = b""
    ) -> tuple[int, Mapping[str, str], bytes]:
        again = may_repeat(method, url, body)
        write = method != "GET"
        answer = await self._exchange(method, url, headers, body, write=write, again=again)
        check_json(method, url, answer)
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
        follow: bool = True,
    ) -> Answer:
        request = f"{method} {urlsplit(url).path}"
        for attempt in range(1, _MOST_ATTEMPTS + 1):
            last = attempt == _MOST_ATTEMPTS
            await self._limits.wait(request, write=write)
            token = await self._credential.token()
            try:
                send = self._follow if follow else self._send
                answer = await send(method, url, headers, body, token)
            except GitHubUnreachable as error:
                if last or (error.maybe_done and not again):
                    raise
                _log.warning("github_retry", request=request, reason=str(error))
                await self.sleep(2.0 ** (attempt - 1) * (0.5 + self._around.jitter()))
                continue
            if answer.status < 300 or (answer.status in _MOVED and not follow):
                return answer
            if answer.status == 401 and self._credential.drop(token) and not last:
                continue
            self._pause_or_refuse(request, answer, attempt)
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _pause_or_refuse(self, request: str, answer: Answer, attempt: int) -> None:
        message, documentation_url = answer.problem()
        seconds = asked_to_wait(answer.status, answer.headers, message, self._around.clock())
        if seconds is None:
            needed = answer.headers.get("x-accepted-github-permissions")
            raise GitHubRefused(request, answer.status, message, documentation_url, needed)
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
            moved = _MOVED if method == "GET" else {307, 308}
            if answer.status not in moved or "location" not in answer.headers:
                break
            url = moved_to(url, answer.headers["location"])
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
            return Answer(known.status, {**known.headers, **rate(answer.headers)}, known.body)
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
                answer = Answer(response.status, lower, await read(response, request, _MOST_BYTES))
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

    def _is_own(self, url: str) -> bool:
        settings = self._around.settings
        return origin(url) in {origin(settings.api_url), origin(settings.graphql_url)}

    def _refuse_foreign(self, url: str) -> None:
        if not self._is_own(url):
            msg = f"No token is sent to {urlsplit(url).netloc}: it is not the configured GitHub."
            raise ForeignHostError(msg)
