"""A clock whose time passes when a journey says so."""

import asyncio
from dataclasses import dataclass, field

from bot.clock import Clock


@dataclass
class Later:
    """Hours that pass at once: timers wake that are due by then."""

    now: float = 0.0
    _waiting: dict[asyncio.Event, float] = field(default_factory=dict)

    @property
    def clock(self) -> Clock:
        """Return what the bot looks at."""
        return Clock(lambda: self.now, self._sleep)

    @property
    def sleeping(self) -> int:
        """Return how many timers wait."""
        return len(self._waiting)

    async def _sleep(self, seconds: float) -> None:
        wake = asyncio.Event()
        self._waiting[wake] = self.now + seconds
        try:
            await wake.wait()
        finally:
            self._waiting.pop(wake, None)

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds
        for wake in [wake for wake, until in self._waiting.items() if until <= self.now]:
            del self._waiting[wake]
            wake.set()
