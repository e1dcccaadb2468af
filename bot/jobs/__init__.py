"""What needs attention, and whose turn it is.

Work is level-triggered: a job carries only the key of a pull request, reads the newest state
when it runs and applies the difference. So the queue is a set of keys. Marking a key that is
waiting changes nothing; marking one that is running makes it run once more.

Reviews, what somebody waits for, and the results of runs, which take a while to come, have places
of their own, so that none holds up another.
Comments on one pull request run one by one, in the order in which they were written: the second
waits until the first is done or given up.

A key whose work fails is tried again, less and less often. It is given up when it fails for a
reason that does not pass by itself for the 5th time (a comment) or the 10th (anything else), or
because of GitHub, the network or the disk for an hour or a day; errors that pass by themselves say
so by their attribute `passing`. That is said on the pull request. As long as this cannot be said,
nothing is given up: for that hour or day if it is refused, and for ever if that passes by itself.
What was given up stays listed for 30 days (`referee jobs`), and the next mark of its key starts
anew. It is looked at again on a timer too, but tried once and said once for each reason.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from enum import StrEnum
from typing import Protocol

from bot.delivery import Delivery
from bot.keys import Key, Lead, PullRequestKey, RunsKey, Task

Work = Callable[[Task], Awaitable[None]]
Resolve = Callable[[Lead], Awaitable[Sequence[PullRequestKey | RunsKey]]]
GiveUp = Callable[[Key, BaseException], Awaitable[None]]


async def say_nothing(key: Key, error: BaseException) -> None:
    """Give a key up in silence, where nobody is to be told."""


class StoreError(Exception):
    """The store cannot be read or written; the text is one sentence that says why."""

    passing = True


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

    async def mark(self, key: Key, *, at_once: bool = False) -> None:
        """Ask for one more run of the key, and return once that is durable. Raises StoreError.

        `at_once` for what somebody waits for: it waits for no burst of deliveries to be over.
        """

    async def look_again(self, key: Key) -> None:
        """Ask for one more run of the key without any news of it. Raises StoreError.

        As `mark`, but what was given up is tried once, and when it fails for the same reason that
        is not said again.
        """

    async def run(
        self, work: Work, resolve: Resolve, concurrency: int, give_up: GiveUp = say_nothing
    ) -> None:
        """Run `work` for the marked keys until cancelled, `concurrency` at once, no key twice.

        `resolve` first turns a `Lead` into the keys that it leads to, and those are
        marked. What raises is logged and tried again later, after a growing delay or the
        `retry_after` seconds that the exception carries, whichever is longer, until `give_up` says
        why nothing more is tried.
        """

    async def delivered(self, guid: str) -> tuple[str, bytes] | None:
        """Return the event and body of a delivery, or None when it is not kept any more.

        Raises StoreError.
        """

    async def known(self, guids: Sequence[str]) -> set[str]:
        """Return those of some GUIDs whose deliveries are kept. Raises StoreError."""

    async def log_read_until(self) -> float | None:
        """Return until when GitHub's log was read, in seconds since 1970; None in a new store.

        Raises StoreError.
        """

    async def log_was_read_until(self, at: float) -> None:
        """Keep until when GitHub's log was read. Raises StoreError."""

    async def problems(self) -> list[str]:
        """Return one sentence per reason why nothing is stored or run; none when all is well."""

    async def close(self) -> None:
        """Finish what is being written and close the store."""
