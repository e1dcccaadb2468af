"""Look at what a sign-off links as its recipe: an engine's pull request, or a page of its.

Only addresses that begin as the policy says are looked at; all that comes back is hostile.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit

import aiohttp
import structlog
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver

from bot.github import Client, GitHubBusy, GitHubRefused
from checks.signoff.facts import Upstream
from checks.signoff.model import Link

log = structlog.get_logger()
MOST_LINKS = 10
MOST_BYTES = 512 * 1024
_MOST_REDIRECTS = 3
_TIMEOUT = aiohttp.ClientTimeout(total=10, sock_connect=5)
_PLAIN = re.compile(r"https?://[A-Za-z0-9.-]+(?::\d{1,5})?/[\w.~%/+,:;=@!$&'()*?#-]*", re.ASCII)


def listed(url: str, starts: Sequence[str]) -> bool:
    """Tell whether an address begins as one of some others, and stays below it."""
    if not _PLAIN.fullmatch(url) or urlsplit(url).username is not None:
        return False
    parts = urlsplit(url).path.lower().replace("%2e", ".").replace("%2f", "/").split("/")
    return not {".", ".."} & {*parts} and any(url.startswith(start) for start in starts if start)


class PublicResolver(AbstractResolver):
    """Finds only addresses of the public Internet, so that no policy can reach into a network."""

    def __init__(self) -> None:
        self._inner = ThreadedResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Return the public addresses of a host. Raises OSError when there is none."""
        found = await self._inner.resolve(host, port, family)
        public = [each for each in found if ipaddress.ip_address(each["host"]).is_global]
        if not public:
            raise OSError(f"{host} is not on the public Internet")
        return public

    async def close(self) -> None:
        """Close nothing: there is nothing open."""


@dataclass(frozen=True, slots=True)
class Pages:
    """Reads pages with a session of its own: no cookies, no credentials.

    ``private`` lets it reach addresses that are not public, as the sandbox's are not.
    """

    private: bool = False

    async def read(self, url: str, starts: Sequence[str]) -> Upstream:
        """Return what a page says, following redirects as long as they stay on the list."""
        if _is_address(url) and not self.private:
            return Upstream(url, "unknown")
        resolver = None if self.private else PublicResolver()
        connector = aiohttp.TCPConnector(resolver=resolver, use_dns_cache=False)
        jar = aiohttp.DummyCookieJar()
        try:
            async with aiohttp.ClientSession(
                connector=connector, cookie_jar=jar, timeout=_TIMEOUT
            ) as session:
                return await _page(session, url, starts)
        except (TimeoutError, aiohttp.ClientError, OSError, ValueError) as error:
            log.warning("page_unreadable", url=url, reason=str(error))
            return Upstream(url, "unknown")


def _is_address(url: str) -> bool:
    try:
        ipaddress.ip_address((urlsplit(url).hostname or "").strip("[]"))
    except ValueError:
        return False
    return True


async def _page(session: aiohttp.ClientSession, url: str, starts: Sequence[str]) -> Upstream:
    there = url
    for _ in range(_MOST_REDIRECTS):
        async with session.get(there, allow_redirects=False) as response:
            if response.status in {301, 302, 303, 307, 308}:
                there = urljoin(there, response.headers.get("location", ""))
                if not listed(there, starts):
                    return Upstream(url, "unknown")
                continue
            if response.status in {404, 410}:
                return Upstream(url, "missing")
            if response.status != 200:
                return Upstream(url, "unknown")
            content = await _bounded(response)
            return Upstream(url, "published", text=content.decode("utf-8", "replace"))
    return Upstream(url, "unknown")


async def _bounded(response: aiohttp.ClientResponse) -> bytes:
    """Return the beginning of an answer, and read no more of it."""
    content = b""
    async for chunk in response.content.iter_chunked(64 * 1024):
        content += chunk
        if len(content) >= MOST_BYTES:
            break
    return content[:MOST_BYTES]


async def look(
    client: Client, pages: Pages, links: Sequence[Link], starts: Sequence[str]
) -> dict[str, Upstream]:
    """Return what the linked recipes are now, by address, at most ten of them.

    Raises GitHubError: GitHub did not answer.
    """
    wanted = {link.url: link for link in links if listed(link.url, starts)}
    chosen = list(wanted.values())[:MOST_LINKS]
    found = await asyncio.gather(*(_look(client, pages, link, starts) for link in chosen))
    return {each.url: each for each in found}


async def _look(client: Client, pages: Pages, link: Link, starts: Sequence[str]) -> Upstream:
    if link.kind != "pull-request" or link.number is None:
        return await pages.read(link.url, starts)
    place = {"repository": link.repository, "number": str(link.number), "per_page": "100"}
    url = "/repos/{+repository}/pulls/{number}"
    try:
        pull = await client.getitem(url, place)
        files = await client.getitem(url + "/files{?per_page}", place)
    except GitHubBusy:
        raise
    except GitHubRefused as error:
        log.warning("recipe_unreadable", url=link.url, reason=str(error))
        return Upstream(link.url, "unknown")
    return Upstream(link.url, _state(pull), pull["title"] or "", _patches(files))


def _state(pull: Any) -> Any:
    if pull["merged"]:
        return "merged"
    if pull["state"] != "open":
        return "closed"
    return "draft" if pull["draft"] else "open"


def _patches(files: Any) -> str:
    """Return what a pull request adds: that is the recipe."""
    patches = (file.get("patch") or "" for file in files)
    added = (
        line[1:] for patch in patches for line in patch.split("\n") if line.startswith(("+", " "))
    )
    return "\n".join(added)[:MOST_BYTES]
