"""What a request proves itself with: the App's JSON Web Token or an installation's token."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any, Protocol

import jwt

from bot.settings import Settings

# The issue time lies back for clocks that differ, and 10 minutes is the most GitHub takes:
# https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app
_JWT_BACK, _JWT_AHEAD, _JWT_REFRESH = 60, 480, 420
_TOKEN_MARGIN = 300


class Credential(Protocol):
    """Something that a request proves itself with."""

    async def token(self) -> str:
        """Return a token that is good for some minutes."""

    def drop(self, token: str) -> bool:
        """Forget a token that GitHub refused; say whether asking again may give another one."""


class AppCredential:
    """The App itself, by a signed token that is made here."""

    def __init__(self, settings: Settings, clock: Callable[[], float]) -> None:
        self._settings, self._clock = settings, clock
        self._token, self._refresh_at = "", 0.0

    async def token(self) -> str:
        """Return a JSON Web Token with at least a minute to live."""
        now = self._clock()
        if not 0 <= self._refresh_at - now <= _JWT_REFRESH:
            claims = {
                "iat": int(now) - _JWT_BACK,
                "exp": int(now) + _JWT_AHEAD,
                "iss": str(self._settings.app_id),
            }
            self._token = jwt.encode(claims, self._settings.private_key, algorithm="RS256")
            self._refresh_at = now + _JWT_REFRESH
        return self._token

    def drop(self, token: str) -> bool:  # noqa: ARG002
        """Say no: the next token would be refused for the same reason."""
        return False


class InstallationCredential:
    """One installation, by a token that GitHub gives for an hour."""

    def __init__(self, ask: Callable[[], Awaitable[Any]], clock: Callable[[], float]) -> None:
        """Take `ask` to create an access token and return GitHub's answer.

        `granted` is what the newest token may do; None where GitHub did not say.
        https://docs.github.com/en/rest/apps/apps#create-an-installation-access-token-for-an-app
        """
        self._ask, self._clock = ask, clock
        self._token, self._expires_at = "", 0.0
        self.granted: dict[str, str] | None = None
        self._asking = asyncio.Lock()

    async def token(self) -> str:
        """Return a token with at least five minutes to live; one request serves all who wait."""
        async with self._asking:
            if self._clock() > self._expires_at - _TOKEN_MARGIN:
                answer = await self._ask()
                self._token = answer["token"]
                self.granted = answer.get("permissions")
                self._expires_at = datetime.fromisoformat(answer["expires_at"]).timestamp()
            return self._token

    def drop(self, token: str) -> bool:
        """Forget the token where it is still the newest one."""
        if token == self._token:
            self._expires_at = 0.0
        return True
