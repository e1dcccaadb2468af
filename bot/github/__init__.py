"""GitHub's API, as the App and as each of its installations."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable

import aiohttp
from cachetools import LRUCache, TTLCache

from bot.damage import UnreadableError
from bot.github.client import Client, Surroundings
from bot.github.credentials import AppCredential, InstallationCredential
from bot.github.errors import (
    AnswerTooLong,
    ForeignHostError,
    GitHubBusy,
    GitHubError,
    GitHubRefused,
    GitHubUnreachable,
    GraphQLError,
)
from bot.github.limits import Limits
from bot.github.wire import Answer
from bot.keys import PullRequestKey, ShaKey
from bot.settings import Settings
from checks.permissions import lacking

__all__ = [
    "AnswerTooLong",
    "Client",
    "ForeignHostError",
    "GitHub",
    "GitHubBusy",
    "GitHubError",
    "GitHubRefused",
    "GitHubUnreachable",
    "GraphQLError",
    "InstallationClient",
    "merged_as",
    "pull_requests_at",
]

_CACHE_BYTES = 32 * 1024 * 1024
_MOST_INSTALLATIONS = 1024
_LOGIN_SECONDS = 3600.0
_PULLS_OF_COMMIT = "/repos/{owner}/{name}/commits/{sha}/pulls?per_page=100"
_OPEN_PULLS = "/repos/{owner}/{name}/pulls?state=open&per_page=100"
_random = secrets.SystemRandom().random


class InstallationClient(Client):
    """GitHub as one installation of the App sees it."""

    def __init__(
        self,
        around: Surroundings,
        name: str,
        credential: InstallationCredential,
        limits: Limits,
        login: Callable[[], Awaitable[str]],
    ) -> None:
        """See `Client`; ``login`` tells what people see as the author of what the App writes."""
        super().__init__(around, name, credential, limits)
        self._own, self.login = credential, login

    async def token(self) -> str:
        """Return the installation's token, for git; it must not be logged or stored.

        Raises UnreadableError: git would not get anything for it.
        """
        token = await self._own.token()
        if "contents=read" in lacking(self._own.granted):
            raise UnreadableError
        return token

    async def lacks(self) -> frozenset[str]:
        """Return the permissions that the App was not given; see `checks.permissions`."""
        await self._own.token()
        return lacking(self._own.granted)

    async def allows_otherwise(self) -> bool:
        """Tell whether, asked again, GitHub grants other permissions than before."""
        before = await self.lacks()
        self._own.drop(await self._own.token())
        return await self.lacks() != before


class GitHub:
    """The App's clients, all through one session."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        settings: Settings,
        *,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        jitter: Callable[[], float] = _random,
    ) -> None:
        cache: LRUCache[tuple[str, str, str], Answer] = LRUCache(
            _CACHE_BYTES, lambda answer: 1024 + len(answer.body)
        )
        self._around = Surroundings(session, settings, cache, clock, sleep, jitter)
        self._installations: LRUCache[int, InstallationClient] = LRUCache(_MOST_INSTALLATIONS)
        self._login: TTLCache[str, str] = TTLCache(1, _LOGIN_SECONDS, clock)
        limits = Limits(clock, sleep, writes=((5000, 3600.0),))
        self.app = Client(self._around, "app", AppCredential(settings, clock), limits)

    def installation(self, installation_id: int) -> InstallationClient:
        """Return the client of an installation; the same one for as long as it is in use."""
        if installation_id not in self._installations:
            self._installations[installation_id] = self._new(installation_id)
        return self._installations[installation_id]

    def _new(self, installation_id: int) -> InstallationClient:
        url = f"/app/installations/{installation_id}/access_tokens"
        clock = self._around.clock
        credential = InstallationCredential(lambda: self.app.post(url, data={}), clock)
        limits = Limits(clock, self._around.sleep)
        around = self._around
        return InstallationClient(around, str(installation_id), credential, limits, self.login)

    async def login(self) -> str:
        """Return the login by which the App writes, asked once an hour: Apps can be renamed.

        https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/making-authenticated-api-requests-with-a-github-app-in-a-github-actions-workflow
        Raises GitHubError.
        """
        if "login" not in self._login:
            self._login["login"] = f"{(await self.app.getitem('/app'))['slug']}[bot]"
        return self._login["login"]


async def pull_requests_at(github: GitHub, key: ShaKey) -> list[PullRequestKey]:
    """Return the open pull requests whose head is `key.sha`; none where the App sees nothing.

    Raises:
        GitHubError: GitHub did not answer, or refused for another reason.

    """
    client = github.installation(key.installation_id)
    found: set[int] = set()
    # Commits of forks are not always found by commit, so the open ones are looked through too:
    # https://docs.github.com/en/rest/commits/commits#list-pull-requests-associated-with-a-commit
    for url in (_PULLS_OF_COMMIT, _OPEN_PULLS):
        try:
            found = found or await _numbers_at(client, key, url)
        except GitHubRefused as error:
            unknown_commit = url is _PULLS_OF_COMMIT and error.status in {409, 422}
            if not error.gone and not unknown_commit:
                raise
    return [PullRequestKey(key.installation_id, key.repository, number) for number in sorted(found)]


async def merged_as(client: Client, repository: str, commit: str) -> int | None:
    """Return the pull request whose merge made a commit; None for any other commit.

    Raises GitHubError.
    """
    owner, _, name = repository.partition("/")
    where = {"owner": owner, "name": name, "sha": commit}
    async for pull in client.getiter(_PULLS_OF_COMMIT, where):
        if pull["merged_at"] and pull["merge_commit_sha"] == commit:
            return int(pull["number"])
    return None


async def _numbers_at(client: Client, key: ShaKey, url: str) -> set[int]:
    owner, _, name = key.repository.partition("/")
    where = {"owner": owner, "name": name, "sha": key.sha}
    return {
        pull["number"]
        async for pull in client.getiter(url, where)
        if pull["state"] == "open" and pull["head"]["sha"] == key.sha
    }
