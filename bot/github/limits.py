"""When the next request may go out: GitHub's pauses and our own budget of writes."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Mapping

from bot.github.errors import GitHubBusy

# https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits
_WRITES = ((80, 60.0), (500, 3600.0))
LONGEST_WAIT = 120.0
# No limit of GitHub's lasts longer, so what asks for more is a mistake of something in between.
_LONGEST_LIMIT = 3600.0


class Limits:
    """The limits of one installation; every request passes through `wait`."""

    def __init__(
        self,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
        writes: tuple[tuple[int, float], ...] = _WRITES,
    ) -> None:
        """Take `writes` as (how many, in how many seconds)."""
        self._clock, self._sleep, self._writes = clock, sleep, writes
        self._written: deque[float] = deque(maxlen=max(most for most, _ in writes))
        self._paused_until = 0.0

    def pause(self, seconds: float) -> None:
        """Hold back every request of this installation for so long."""
        self._paused_until = max(self._paused_until, self._clock() + seconds)

    async def wait(self, request: str, *, write: bool) -> None:
        """Return when the request may go out. Raises GitHubBusy where that takes too long."""
        waited = 0.0
        while (seconds := self._seconds(write=write)) > 0:
            if waited + seconds > LONGEST_WAIT:
                raise GitHubBusy(request, 429, "a rate limit is used up", seconds)
            waited += seconds
            await self._sleep(seconds)
        if write:
            self._written.append(self._clock())

    def _seconds(self, *, write: bool) -> float:
        now = self._clock()
        seconds = self._paused_until - now
        for most, window in self._writes if write else ():
            if len(self._written) >= most:
                seconds = max(seconds, self._written[-most] + window - now)
        return seconds


def asked_to_wait(
    status: int, headers: Mapping[str, str], message: str, now: float
) -> float | None:
    """Return how many seconds an answer asks to wait; None when it is not about a rate limit.

    Source: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit
    """
    if status not in {403, 429}:
        return None
    if "retry-after" in headers:
        return min(_LONGEST_LIMIT, _seconds(headers["retry-after"], 60.0))
    if headers.get("x-ratelimit-remaining") == "0":
        reset = _seconds(headers.get("x-ratelimit-reset", ""), now + 60.0)
        return min(_LONGEST_LIMIT, max(1.0, reset - now))
    if status == 429 or "rate limit" in message.lower():
        return 60.0
    return None


def _seconds(text: str, otherwise: float) -> float:
    return float(text) if text.isdecimal() else otherwise
