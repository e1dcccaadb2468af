"""What people asked for and decided: each command once, each decision until it is undone."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from bot.comments import Said
from bot.jobs.sqlite import Database
from bot.keys import CommentKey, FixKey, PullRequestKey, RunKey
from checks.decisions import Decision


class Turn(StrEnum):
    """Where a command stands when a delivery tells of it.

    New; cut short by a crash or by GitHub's trouble; done, with an outcome; or another delivery
    told of it first, as when two webhooks watch one repository.
    """

    NEW = "new"
    RESUMED = "resumed"
    DONE = "done"
    DUPLICATE = "duplicate"


@dataclass(frozen=True, slots=True)
class Order:
    """One command of one version of a comment: `words` as they stand there, in `position`."""

    said: Said
    position: int
    words: str

    @property
    def key(self) -> tuple[str, int, str, int, str]:
        """Return what tells commands apart; a second delivery of the same comment is no news."""
        return (self.said.place, self.said.id, self.said.version, self.position, self.words)


Known = dict[tuple[str, str], Decision | None]
Version = tuple[str, int, str]  # of a comment: its place, its id, and `version` of what it says


class Ledger:
    """Keeps them in the store of the jobs. All methods raise StoreError."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database, self._clock = database, clock

    async def begin(self, orders: Sequence[Order], guid: str) -> list[tuple[Turn, str | None]]:
        """Note that the commands of a comment start because of delivery `guid`.

        All at once: of two deliveries that tell of one comment, one gets all of its commands.
        Returns where each stands, and the outcome that `end` noted.
        """
        now = self._clock()
        return await self._database.do(lambda c: [_begin(c, each, guid, now) for each in orders])

    async def end(self, order: Order, outcome: str) -> None:
        """Note how a command ended, in JSON; it stays there as the audit."""
        await self._database.do(
            lambda c: c.execute(
                "UPDATE command SET outcome = ? WHERE place = ? AND comment_id = ?"
                " AND version = ? AND position = ? AND words = ?",
                (outcome, *order.key),
            )
        )

    async def comments_of(self, login: str, repository: str, seconds: float) -> int:
        """Return in how many versions of comments somebody gave commands, this long until now."""
        asked = (
            "SELECT count(*) FROM (SELECT DISTINCT place, comment_id, version FROM command"
            " WHERE repository = ? AND login = ? AND started_at > ?)"
        )
        where = (repository, login, self._clock() - seconds)
        found = await self._database.do(lambda c: c.execute(asked, where).fetchone())
        return int(found[0])

    async def decide(self, key: PullRequestKey | CommentKey, decision: Decision) -> None:
        """Keep a decision; it replaces one of the same kind about the same subject."""
        content = json.dumps({slot: getattr(decision, slot) for slot in Decision.__slots__})
        await self._put(key, decision.kind, decision.subject, content)

    async def undo(self, key: PullRequestKey | CommentKey, kind: str, subject: str) -> None:
        """Keep that there is no such decision any more."""
        await self._put(key, kind, subject, None)

    async def known(self, key: PullRequestKey | CommentKey | FixKey) -> Known:
        """Return the decisions about a pull request by kind and subject; None for undone ones."""
        where = (key.repository, key.number)
        found = await self._database.do(
            lambda c: c.execute(
                "SELECT kind, subject, content FROM decision WHERE repository = ? AND number = ?",
                where,
            ).fetchall()
        )
        return {
            (kind, subject): Decision(**json.loads(content)) if content else None
            for kind, subject, content in found
        }

    async def saw_head(self, key: PullRequestKey, sha: str, at: str) -> None:
        """Note the head of a pull request of which no delivery has told yet.

        ``at`` is when GitHub says that it changed last.
        """
        row = (key.repository, key.number, sha, at)
        await self._database.do(
            lambda c: c.execute("INSERT OR IGNORE INTO head VALUES (?, ?, ?, ?)", row)
        )

    async def pull_requests_at(self, repository: str, sha: str) -> list[int]:
        """Return the numbers of the pull requests whose newest head that was told is a commit."""
        asked = "SELECT number FROM head WHERE repository = ? AND sha = ?"
        found = await self._database.do(lambda c: c.execute(asked, (repository, sha)).fetchall())
        return [number for (number,) in found]

    async def heads_said_at(self, key: PullRequestKey | CommentKey) -> dict[Version, str]:
        """Return the head that each version of what may be a sign-off was said at; "" if unknown.

        That is the one that deliveries had told before: not a question of clocks.
        """
        where = (key.repository, key.number)
        found = await self._database.do(
            lambda c: c.execute(
                "SELECT place, comment_id, version, head FROM said"
                " WHERE repository = ? AND number = ?",
                where,
            ).fetchall()
        )
        return {(place, number, version): head for place, number, version, head in found}

    async def about_run(self, key: RunKey) -> list[PullRequestKey]:
        """Return the pull requests for which somebody started a workflow run by command."""
        where = (key.repository, str(key.run))
        found = await self._database.do(
            lambda c: c.execute(
                "SELECT DISTINCT number FROM decision WHERE repository = ? AND subject = ?"
                " AND kind = 'unofficial' AND content IS NOT NULL",
                where,
            ).fetchall()
        )
        return [PullRequestKey(key.installation_id, key.repository, n) for (n,) in found]

    async def _put(
        self, key: PullRequestKey | CommentKey, kind: str, subject: str, content: str | None
    ) -> None:
        row = (key.repository, key.number, kind, subject, content, self._clock())
        await self._database.do(
            lambda c: c.execute("INSERT OR REPLACE INTO decision VALUES (?, ?, ?, ?, ?, ?)", row)
        )


def _begin(c: sqlite3.Connection, order: Order, guid: str, now: float) -> tuple[Turn, str | None]:
    said = order.said
    where = (said.pull_request.repository, said.pull_request.number)
    new = c.execute(
        "INSERT OR IGNORE INTO command VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)",
        (*order.key, *where, said.sender, guid, now),
    ).rowcount
    if new:
        return Turn.NEW, None
    first, outcome = c.execute(
        "SELECT guid, outcome FROM command WHERE place = ? AND comment_id = ? AND version = ?"
        " AND position = ? AND words = ?",
        order.key,
    ).fetchone()
    if first != guid:
        return Turn.DUPLICATE, outcome
    return (Turn.RESUMED if outcome is None else Turn.DONE), outcome
