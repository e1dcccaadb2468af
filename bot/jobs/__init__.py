"""What needs attention, and whose turn it is.

Work is level-triggered: a job carries only the key of a pull request, reads the newest state
when it runs and applies the difference. So the queue is a set of keys. Marking a key that is
waiting changes nothing; marking one that is running makes it run once more.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from enum import StrEnum
from typing import Protocol

from bot.delivery import Delivery
from bot.keys import CommentKey, FixKey, Key, PullRequestKey, RunKey, ShaKey

Work = Callable[[PullRequestKey | FixKey | CommentKey], Awaitable[None]]
Resolve = Callable[[ShaKey | RunKey], Awaitable[Sequence[PullRequestKey]]]


class StoreError(Exception):
    """The store cannot be read or written; the text is one sentence that says why."""


class Stored(StrEnum):
    """Whether a delivery was seen for the first time."""

    NEW = "new"
    DUPLICATE = "duplicate"


class Jobs(Protocol):
    """The store of deliveries and of the keys that need attention."""

    async def store(self, delivery: Delivery, keys: Sequence[Key]) -> Stored:
        """Keep the delivery and mark its keys, both or neither, and return once they are durable.

        A delivery whose GUID is known changes nothing. Raises StoreError.
        """

    async def mark(self, key: Key) -> None:
        """Ask for one more run of the key, and return once that is durable. Raises StoreError."""

    async def run(self, work: Work, resolve: Resolve, concurrency: int) -> None:
        """Run `work` for the marked keys until cancelled, `concurrency` at once, no key twice.

        A ShaKey or RunKey is first turned into pull requests by `resolve`, and those are marked.
        What raises is logged and tried again later, after a growing delay or the
        `retry_after` seconds that the exception carries, whichever is longer.
        """

    async def delivered(self, guid: str) -> tuple[str, bytes] | None:
        """Return the event and body of a delivery, or None when it is not kept any more.

        Raises StoreError.
        """

    async def problems(self) -> list[str]:
        """Return one sentence per reason why nothing is stored or run; none when all is well."""

    async def close(self) -> None:
        """Finish what is being written and close the store."""
