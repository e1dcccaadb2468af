"""Keep what our comment on a pull request says of workflow runs true, and nothing else of it.

A sweep has hundreds of jobs, each with its news: what they change is looked at without a review.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import structlog
from cachetools import LRUCache

from bot.damage import SnapshotError
from bot.github import GitHubError, GitHubRefused, InstallationClient, merged_as, pull_requests_at
from bot.judge import JudgeError
from bot.keys import PullRequestKey, RunKey, RunsKey, ShaKey
from bot.ledger import Ledger
from bot.published import read_published
from bot.results import ResultReader
from bot.review import Reviewer, read_pull
from bot.runs import run_of
from bot.sweeps import CHOICE, Place, runs_section, with_new, with_results
from bot.turns import turn
from bot.verdict import Ground
from checks.decisions import merged, of_kind
from checks.render import Voice
from checks.summary import with_runs
from checks.sweeps.section import Runs
from checks.text import text

log = structlog.get_logger()
_MOST, _MOST_SHOWN = 4096, 64
CameTo = tuple[tuple[int, int, str | None], ...]
Write = Callable[[Ground, Runs], Awaitable[None]]
_PATIENCE = 1.0  # seconds that what became of runs is not shown for the sake of their results
_READ_SECONDS = 90.0
_NUMBER = re.compile(r"#([1-9][0-9]{0,8})\b")
_COMMENT = "/repos/{+repository}/issues/comments/{id}"


@dataclass(frozen=True, slots=True)
class Found:
    """Runs with what could be read of their results, and why that is not all."""

    runs: Runs
    error: Exception | None = None


@dataclass(frozen=True, slots=True)
class Before:
    """What is shown of the runs of a pull request, and what was known of it then."""

    ground: Ground
    runs: Runs


@dataclass(frozen=True, slots=True)
class Follower:
    """Follows the runs of pull requests."""

    reviewer: Reviewer
    ledger: Ledger
    reader: ResultReader
    _came_to: LRUCache[tuple[str, int], CameTo] = field(default_factory=lambda: LRUCache(_MOST))
    _before: LRUCache[tuple[str, int], Before] = field(
        default_factory=lambda: LRUCache(_MOST_SHOWN)
    )

    async def follow(self, key: RunsKey) -> bool:
        """Bring the part about runs up to date; the first review makes the comment for it.

        Returns whether a sign-off has to be judged anew, because of what came of runs.

        Raises:
            GitHubError, MirrorError, TimeoutError: to be tried again.

        """
        client = self.reviewer.github.installation(key.installation_id)
        pull = await read_pull(client, key)
        if pull is None or pull["state"] != "open":
            return False
        published = await read_published(client, pull, self.reviewer.settings)
        if published.sticky_id is None:
            return False
        of = PullRequestKey(key.installation_id, key.repository, key.number)
        decisions = merged(published.decisions, await self.ledger.known(of))
        before = self._before.get((key.repository, key.number))
        write = partial(self._write, client, key, published.sticky_id)
        if before is not None:  # who asked for a run waits for its row, and not for git
            new = await with_new(_place(client, key, pull, before.ground), decisions, before.runs)
            if new is not None:
                await write(before.ground, new)
        try:
            ground = await self.reviewer.ground(client, key, pull)
        except (JudgeError, SnapshotError) as error:
            log.warning("not_followed", key=str(key), reason=str(error))  # the review says it
            return False
        runs = await runs_section(_place(client, key, pull, ground), decisions)
        await self._show(key, _place(client, key, pull, ground), Before(ground, runs), write)
        return bool(ground.policy.sign_off.phrase) and self._is_news(key, runs)

    async def _show(self, key: RunsKey, place: Place, now: Before, write: Write) -> None:
        """Write what became of runs, once if what they measured does not take long to read."""
        before = self._before.get((key.repository, key.number), now)
        reading = asyncio.create_task(self._with_results(key, place, now.runs, now.ground))
        try:
            if not (await asyncio.wait((reading,), timeout=_PATIENCE))[0]:
                await write(now.ground, now.runs.with_results_of(before.runs))
            found = await reading
        finally:
            reading.cancel()
        await write(now.ground, found.runs)
        if found.error is not None:
            raise found.error
        self._before[key.repository, key.number] = Before(now.ground, found.runs)

    def _is_news(self, key: RunsKey, runs: Runs) -> bool:
        """Tell whether runs came to something else than when they were last looked at."""
        what = tuple((each.run.id, each.run.attempt, each.run.conclusion) for each in runs.shown)
        before = self._came_to.get((key.repository, key.number), ())
        self._came_to[key.repository, key.number] = what
        return what != before

    async def _with_results(self, key: RunsKey, place: Place, runs: Runs, ground: Ground) -> Found:
        """Return runs with what they measured; what GitHub does not give is said, and the error."""
        try:
            async with asyncio.timeout(_READ_SECONDS):
                thresholds, reused = ground.thresholds, partial(self._reused, place, key)
                found = await with_results(self.reader, place, runs, thresholds, reused)
                return Found(found)
        except (GitHubError, TimeoutError) as error:
            reason = str(error) or "it took too long"
            said = text("Results could not be read; Referee tries again: {reason}", reason=reason)
            return Found(replace(runs, trouble=said), error)

    async def _reused(self, place: Place, key: RunsKey, commit: str) -> int | None:
        """Return the run whose results the merge that made a commit reuses, as far as we know.

        Somebody chose it on the pull request.
        """
        number = await merged_as(place.client, place.repository, commit)
        if number is None:
            return None
        merge = PullRequestKey(key.installation_id, key.repository, number)
        chosen = of_kind(merged((), await self.ledger.known(merge)), "reuse").get(CHOICE)
        return int(chosen.reason) if chosen else None

    async def about(self, key: RunKey) -> list[RunsKey]:
        """Return the pull requests one of whose runs a run is. Raises GitHubError, StoreError."""
        found = await self.ledger.about_run(key)
        if not found:
            head = ShaKey(key.installation_id, key.repository, key.sha)
            found = await pull_requests_at(self.reviewer.github, head)
        numbers = [each.number for each in found] or await self._named(key)
        return [RunsKey(key.installation_id, key.repository, number) for number in numbers]

    async def _named(self, key: RunKey) -> list[int]:
        """Return the pull request that the title of a dispatched run names; it is looked at again.

        Whether the run is about its head is for `bot.sweeps` to say.
        """
        client = self.reviewer.github.installation(key.installation_id)
        run = await run_of(client, key.repository, key.run)
        if run is None or run.event != "workflow_dispatch":
            return []
        return [int(number) for number in _NUMBER.findall(run.title)[:1]]

    async def _write(
        self, client: InstallationClient, key: RunsKey, comment: int, ground: Ground, runs: Runs
    ) -> None:
        voice = Voice(ground.policy.languages)
        place = {"repository": key.repository, "id": str(comment)}
        async with turn(key.repository, key.number, "comment"):
            try:
                before = (await client.getitem(_COMMENT, place))["body"]
                after = with_runs(before, lambda room: runs.markdown(voice, room))
                if after != before:
                    await client.patch(_COMMENT, place, data={"body": after})
                    log.info("runs_shown", key=str(key), runs=len(runs.shown))
            except GitHubRefused as error:
                # Deleted: the next review makes another one. Locked: nobody may say more.
                if not error.gone and not error.locked:
                    raise


def _place(client: InstallationClient, key: RunsKey, pull: Any, ground: Ground) -> Place:
    policy = ground.policy
    return Place(client, key.repository, pull, ground.commits, policy.sweeps, policy.labels)
