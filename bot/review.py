"""One review, from a pull request's key to what stands on GitHub: the hops of the design in order.

Level-triggered: reads the newest state, judges it, and writes the difference. Running it twice,
or again after a crash at any point, changes nothing more.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import structlog

from bot.admission import admission
from bot.damage import SnapshotError
from bot.ending import end
from bot.gates import Gates
from bot.github import GitHub, GitHubRefused, InstallationClient
from bot.hearing import Hearing
from bot.judge import JudgeError
from bot.keys import FixKey, PullRequestKey, RunsKey
from bot.labels import facts_of, sweep_label
from bot.mirror import MirrorError, Trouble
from bot.permission import Roles
from bot.publish import (
    HeadMovedError,
    LabelsRefusedError,
    LockedError,
    Publisher,
    ReviewRefusedError,
    Target,
    Written,
)
from bot.published import read_published
from bot.pull_request import is_own_branch
from bot.seal import seal_of
from bot.sharing import speaker
from bot.signoff import Gatekeeper, Signed, Unjudged
from bot.sources import Sources
from bot.standing import read_standing
from bot.turns import turn
from bot.verdict import Verdict
from checks.decisions import Decisions, merged
from checks.permissions import missed
from checks.plan import Context, plan
from checks.publication import Plan, Published
from checks.render import Voice
from checks.sharing import Shared
from checks.signoff.forged import Forged

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Reviewer(Sources):
    """Reviews pull requests, one at a time for each key (see `bot.jobs`)."""

    github: GitHub
    roles: Roles
    gates: Gates
    gatekeeper: Gatekeeper

    async def review(self, key: PullRequestKey) -> None:
        """Bring what we say on a pull request up to date with its newest head.

        Raises:
            GitHubError, MirrorError, StaleMirrorError: to be tried again. What GitHub can still
                be told about our trouble has been said on the pull request.

        """
        client = self.github.installation(key.installation_id)
        pull = await read_pull(client, key)
        if pull is None:
            return
        if pull["state"] != "open":
            await end(self, client, key, pull)
            return
        try:
            await self._announce(client, key, pull)
            verdict = await self.judge(client, key, pull)
        except (MirrorError, JudgeError, SnapshotError) as error:
            if isinstance(error, MirrorError) and error.trouble is Trouble.UNREACHABLE:
                raise
            if await self._speaks(client, key, pull):
                await self.gates.admit(client, key, pull, str(error))
            await self._publish(client, key, pull, admission(pull, str(error)))
            if isinstance(error, MirrorError):
                raise
            return
        await self._publish(client, key, pull, verdict)

    async def announce(self, key: PullRequestKey) -> None:
        """Shut the gate of a new head, which the review of it opens. Raises GitHubError.

        Where it cannot be told which gate there is, the review says so.
        """
        client = self.github.installation(key.installation_id)
        pull = await read_pull(client, key)
        if pull is None or pull["state"] != "open":
            return
        try:
            await self._announce(client, key, pull)
        except (MirrorError, JudgeError, SnapshotError) as error:
            log.warning("not_announced", key=str(key), reason=str(error))

    async def _announce(self, client: InstallationClient, key: PullRequestKey, pull: Any) -> None:
        async with turn(key.repository, key.number, "comment"):
            await self.gates.announce(client, key, pull)

    async def give_up(self, key: PullRequestKey, reason: str) -> None:
        """Say in the check run of the head that it is not reviewed, and why.

        That needs the least of GitHub. Raises GitHubError.
        """
        client = self.github.installation(key.installation_id)
        pull = await read_pull(client, key)
        if pull is None or pull["state"] != "open":
            return
        if not await self._speaks(client, key, pull):
            log.warning("not_admitted", key=str(key), reason=reason)  # the check run is another's
            return
        await self.gates.admit(client, key, pull, reason)
        standing = await read_standing(client, pull, self.settings.app_id)
        verdict, published = admission(pull, reason), Published(standing=standing)
        head, context = pull["head"]["sha"], Context(lacks=await client.lacks())
        wanted = await Saying(verdict, published, Voice(), context).plan()
        publisher = Publisher(client, Target(key.repository, key.number, head))
        with suppress(HeadMovedError):
            await publisher.publish(Plan(head, check_run=wanted.check_run))

    async def _speaks(self, client: InstallationClient, key: PullRequestKey, pull: Any) -> bool:
        return await speaker(client, self.ledger, key, pull) == key.number

    async def _publish(
        self, client: InstallationClient, key: PullRequestKey, pull: Any, verdict: Verdict
    ) -> None:
        async with turn(key.repository, key.number, "comment"):
            await self._say(client, key, pull, verdict)

    async def _say(
        self, client: InstallationClient, key: PullRequestKey, pull: Any, verdict: Verdict
    ) -> None:
        head = pull["head"]["sha"]
        gate = verdict.policy.sign_off
        published = await read_published(client, pull, self.settings, gate)
        decisions: Decisions = merged(published.decisions, await self.ledger.known(key))
        hearing = Hearing(client, key, pull, verdict, published, decisions)
        signed = await self.gatekeeper.assess(hearing)
        said = await self._saying(hearing, signed)
        try:
            written = await _write(client, Target(key.repository, key.number, head), said)
        except HeadMovedError as moved:
            # The push that moved it has its own delivery, which asks for the next review.
            log.info("head_moved", key=str(key), was=head, now=str(moved))
            return
        if said.speaks and verdict.judged:
            written.writes += await self.gatekeeper.publish(hearing, signed)
        await self.ledger.saw_head(key, head, pull["updated_at"])
        log.info(
            "reviewed",
            key=str(key),
            head=head,
            findings=len(verdict.report.findings),
            writes=written.writes,
            unresolved=written.unresolved,
        )

    async def _saying(self, hearing: Hearing, signed: Signed | Unjudged | None) -> "Saying":
        """Gather what the plan is made of besides the verdict."""
        client, key, pull, verdict = hearing.client, hearing.key, hearing.pull, hearing.judged
        decisions, sections = hearing.decisions, verdict.sections
        if isinstance(signed, Signed):
            decisions, sections = signed.decisions, (*sections, *signed.sections)
        speaks = await speaker(client, self.ledger, key, pull)
        if speaks != key.number:
            sections = (Shared(speaks), *sections)
        elif forged := Forged(hearing.published.standing, verdict.policy.sign_off):
            sections = (forged, *sections)
        facts = facts_of(pull, verdict, hearing.published, decisions)
        url = f"{self.settings.github_url}/{key.repository}"
        context = Context(
            advisory=verdict.advisory,
            can_fix=is_own_branch(pull),
            decisions=decisions,
            seal=seal_of(self.settings, pull),
            sections=sections,
            label=await sweep_label(client, self.roles, key.repository, pull, facts),
            lacks=missed(await client.lacks(), verdict.policy),
        )
        voice = Voice(verdict.languages, url, verdict.documentation_url)
        return Saying(verdict, hearing.published, voice, context, speaks == key.number)


@dataclass(frozen=True, slots=True)
class Saying:
    """All that a plan is made of; see `checks.plan`.

    Only who `speaks` for the head writes its check run; see `bot.sharing`.
    """

    verdict: Verdict
    published: Published
    voice: Voice
    context: Context
    speaks: bool = True

    async def plan(self) -> Plan:
        """Plan in a thread: thousands of findings take a while to put into words."""
        report, files = self.verdict.report, self.verdict.files
        made = await asyncio.to_thread(
            plan, report, self.published, files, self.voice, self.context
        )
        return made if self.speaks else replace(made, check_run=None)


async def _write(client: InstallationClient, target: Target, said: Saying) -> Written:
    """Publish; what GitHub refuses is left out or said elsewhere, and the rest goes on."""
    while True:
        try:
            return await Publisher(client, target).publish(await said.plan())
        except LabelsRefusedError as refused:
            log.warning("labels_refused", target=str(target), reason=str(refused))
            label = said.context.label.refused(target.head)
            said = replace(said, context=replace(said.context, label=label))
        except LockedError as locked:
            if said.context.locked:
                raise
            log.warning("conversation_locked", target=str(target), reason=str(locked))
            said = replace(said, context=replace(said.context, locked=True))
        except ReviewRefusedError as refused:
            if not said.verdict.files:
                raise
            log.warning("review_refused", target=str(target), reason=str(refused))
            said = replace(said, verdict=replace(said.verdict, files=()))


async def read_pull(
    client: InstallationClient, key: PullRequestKey | FixKey | RunsKey
) -> Any | None:
    """Return what the API says of a pull request; None, and a log line, if it is out of reach.

    In an archived repository nothing can be said or done.

    Raises:
        GitHubError: GitHub did not answer, or refused for another reason.

    """
    place = {"repository": key.repository, "number": str(key.number)}
    try:
        pull = await client.getitem("/repos/{+repository}/pulls/{number}", place)
    except GitHubRefused as error:
        if not error.gone:
            raise
        log.info("out_of_reach", key=str(key), reason=str(error))
        return None
    if pull["base"]["repo"]["archived"]:
        log.info("out_of_reach", key=str(key), reason="The repository is archived.")
        return None
    return pull
