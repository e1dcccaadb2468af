"""What is done for each kind of key, and who is told when it cannot be done."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import structlog

from bot.commander import Commander
from bot.damage import UnreadableError
from bot.fix import BranchMovedError, Fixer
from bot.follow import Follower
from bot.github import GitHubError, GitHubRefused, pull_requests_at
from bot.jobs import Jobs
from bot.judge import JudgeError
from bot.keys import (
    CommentKey,
    FixKey,
    HeadKey,
    Key,
    Lead,
    NameKey,
    PullRequestKey,
    PushKey,
    RunKey,
    RunsKey,
    ShaKey,
    Task,
)
from bot.mirror import MirrorError
from bot.review import Reviewer
from bot.sources import StaleMirrorError

log = structlog.get_logger()
# Their texts are sentences for people; of anything else only the name is said in public.
_SAYABLE = (BranchMovedError, GitHubError, JudgeError, MirrorError, StaleMirrorError)


@dataclass(frozen=True, slots=True)
class Worker:
    """Does what `bot.jobs` asks for."""

    reviewer: Reviewer
    fixer: Fixer
    follower: Follower
    commander: Commander
    jobs: Jobs

    async def work(self, key: Task) -> None:
        """Do what a key needs; raises what is to be tried again.

        A review is followed by a look at the runs of its head.
        """
        async with self._permitted(key):
            if isinstance(key, CommentKey):
                await self.commander.run(key)
            elif isinstance(key, FixKey):
                await self.fixer.apply(key)
            elif isinstance(key, HeadKey):
                of = PullRequestKey(key.installation_id, key.repository, key.number)
                await self.reviewer.announce(of)
            elif isinstance(key, RunsKey):
                if await self.follower.follow(key):
                    of = PullRequestKey(key.installation_id, key.repository, key.number)
                    await self.jobs.mark(of)
            else:
                await self.reviewer.review(key)
                await self.jobs.mark(RunsKey(key.installation_id, key.repository, key.number))

    async def resolve(self, key: Lead) -> Sequence[PullRequestKey | RunsKey]:
        """Return the pull requests that a commit, a name, a run or a push is about.

        Raises GitHubError, and what `bot.sources` raises for a push.
        """
        async with self._permitted(key):
            if isinstance(key, RunKey):
                return await self.follower.about(key)
            if isinstance(key, PushKey):
                return await pull_requests_into(self.reviewer, key)
            if isinstance(key, NameKey):
                client = self.reviewer.github.installation(key.installation_id)
                if not await self.reviewer.gates.is_forged(client, key):
                    return ()
                key = ShaKey(key.installation_id, key.repository, key.sha)
            return await pull_requests_at(self.reviewer.github, key)
        return ()

    async def give_up(self, key: Key, error: BaseException) -> None:
        """Say on the pull request that nothing more is tried. Raises GitHubError.

        Of a commit or of runs nobody asked for anything: it was news.
        """
        reason = f"{type(error).__name__}, which the log of Referee explains."
        reason = str(error) if isinstance(error, _SAYABLE) else reason
        if isinstance(key, CommentKey):
            await self.commander.give_up(key, reason)
        elif isinstance(key, FixKey):
            await self.fixer.give_up(key, reason)
        elif isinstance(key, PullRequestKey):
            await self.reviewer.give_up(key, reason)

    @asynccontextmanager
    async def _permitted(self, key: Key) -> AsyncIterator[None]:
        """End a job, with a line in the log, that the App lacks a permission for.

        To try again would change nothing, unless GitHub grants other permissions by now.
        """
        try:
            yield
        except (GitHubError, UnreadableError) as error:
            client = self.reviewer.github.installation(key.installation_id)
            lacks = error.lacks if isinstance(error, GitHubError) else "contents=read"
            if lacks is None or await client.allows_otherwise():
                raise
            log.warning("not_permitted", key=str(key), permission=lacks, reason=str(error))


async def pull_requests_into(reviewer: Reviewer, key: PushKey) -> Sequence[PullRequestKey]:
    """Return the open pull requests into a branch, if what decides about them has changed there."""
    client = reviewer.github.installation(key.installation_id)
    place = {"repository": key.repository, "base": key.branch, "state": "open", "per_page": "100"}
    pulls = client.getiter("/repos/{+repository}/pulls{?base,state,per_page}", place)
    try:
        numbers = [pull["number"] async for pull in pulls]
    except GitHubRefused as error:
        if not error.gone:
            raise
        return ()
    if not numbers or not await reviewer.target_changed(client, key):
        return ()
    return [PullRequestKey(key.installation_id, key.repository, number) for number in numbers]
