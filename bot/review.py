"""One review, from a pull request's key to what stands on GitHub: the hops of the design in order.

Level-triggered: reads the newest state, judges it, and writes the difference. Running it twice,
or again after a crash at any point, changes nothing more.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import structlog

from bot.damage import DamagedError, SnapshotError
from bot.github import GitHub, GitHubRefused, InstallationClient
from bot.judge import JudgeError, Judges
from bot.keys import FixKey, PullRequestKey
from bot.labels import facts_of, sweep_label
from bot.ledger import Ledger
from bot.mirror import Mirror, MirrorError, Trouble
from bot.permission import Roles
from bot.publish import (
    HeadMovedError,
    LabelsRefusedError,
    Publisher,
    ReviewRefusedError,
    Target,
    Written,
)
from bot.published import read_published
from bot.pull_request import read_pull_request
from bot.seal import seal_of
from bot.settings import Settings
from bot.sweeps import CHOICE, Place, runs_section
from bot.verdict import Case, Verdict
from checks.decisions import Decisions, merged, of_kind
from checks.model import InternalError, Report
from checks.plan import plan
from checks.policy import Policy
from checks.publication import Plan, Published
from checks.render import Voice
from checks.sweeps.label import SweepLabel
from checks.text import text

log = structlog.get_logger()


class StaleMirrorError(Exception):
    """git does not serve the head yet that the API names; the job is tried again."""


@dataclass(frozen=True, slots=True)
class Reviewer:
    """Reviews pull requests, one at a time for each key (see `bot.jobs`)."""

    settings: Settings
    github: GitHub
    mirror: Mirror
    judges: Judges
    ledger: Ledger
    roles: Roles

    async def review(self, key: PullRequestKey) -> None:
        """Bring what we say on a pull request up to date with its newest head.

        Raises:
            GitHubError, MirrorError, StaleMirrorError: to be tried again. What GitHub can still
                be told about our trouble has been said on the pull request.

        """
        client = self.github.installation(key.installation_id)
        pull = await read_pull(client, key)
        if pull is None or pull["state"] != "open":
            return
        try:
            verdict = await self.judge(client, key, pull)
        except (MirrorError, JudgeError, SnapshotError) as error:
            if isinstance(error, MirrorError) and error.trouble is Trouble.UNREACHABLE:
                raise
            await self._publish(client, key, pull, _admission(pull, error))
            if isinstance(error, MirrorError):
                raise
            return
        await self._publish(client, key, pull, verdict)

    async def policy(self, client: InstallationClient, key: PullRequestKey, pull: Any) -> Policy:
        """Return the policy in force for a pull request.

        Raises:
            MirrorError, SnapshotError, JudgeError: it could not be read.

        """
        base = f"refs/heads/{pull['base']['ref']}"
        git_dir = await self._fetch(client, key, base)
        return await self.judges.policy(git_dir, base, self.settings.policy_preset)

    async def file(
        self, client: InstallationClient, key: PullRequestKey, pull: Any, paths: Sequence[str]
    ) -> tuple[str, bytes] | None:
        """Return the first of some files that the target branch has, with its path.

        Raises:
            MirrorError, SnapshotError, JudgeError: it could not be read.

        """
        base = f"refs/heads/{pull['base']['ref']}"
        git_dir = await self._fetch(client, key, base)
        return await self.judges.file(git_dir, base, paths)

    async def commits(
        self, client: InstallationClient, key: PullRequestKey, pull: Any
    ) -> tuple[str, ...]:
        """Return the commits of a pull request, the newest first.

        Raises:
            MirrorError, SnapshotError, JudgeError: they could not be read.

        """
        base, head = f"refs/heads/{pull['base']['ref']}", f"refs/pull/{key.number}/head"
        git_dir = await self._fetch(client, key, base, head)
        return await self.judges.commits(git_dir, base, head)

    async def config_keys(
        self, client: InstallationClient, key: PullRequestKey, pull: Any
    ) -> dict[str, tuple[str, ...]]:
        """Return the config keys at the head by master config.

        Raises:
            MirrorError, SnapshotError, JudgeError: they could not be read.

        """
        base, head = f"refs/heads/{pull['base']['ref']}", f"refs/pull/{key.number}/head"
        git_dir = await self._fetch(client, key, base, head)
        return await self.judges.config_keys(git_dir, base, head, self.settings.policy_preset)

    async def judge(
        self,
        client: InstallationClient,
        key: PullRequestKey | FixKey,
        pull: Any,
        *,
        fix: str | None = None,
    ) -> Verdict:
        """Fetch both revisions and judge them; with ``fix`` also apply mechanical fixes.

        Args:
            client: of the installation.
            key: which pull request.
            pull: what the API says of it.
            fix: a glob of the rules for which the verdict's ``fixed`` is wanted.

        Raises:
            MirrorError, SnapshotError, JudgeError: it could not be judged.
            StaleMirrorError: git is behind the API; try again.

        """
        base, head = f"refs/heads/{pull['base']['ref']}", f"refs/pull/{key.number}/head"
        preset = self.settings.policy_preset
        chosen = of_kind(merged((), await self.ledger.known(key)), "reuse").get(CHOICE)
        pull_request = replace(
            read_pull_request(pull), reuse=int(chosen.reason) if chosen else None
        )
        git_dir = await self._fetch(client, key, base, head)
        case = Case(git_dir, base, head, pull_request, preset, fix=fix)
        try:
            verdict = await self.judges.judge(case)
        except DamagedError as error:
            log.warning("mirror_made_again", repository=key.repository, reason=str(error))
            await self.mirror.forget(key.repository)
            await self._fetch(client, key, base, head)
            verdict = await self.judges.judge(case)
        if verdict.report.head != pull["head"]["sha"]:
            raise StaleMirrorError(
                f"{key.repository}#{key.number}: git has {verdict.report.head[:7]},"
                f" the API says {pull['head']['sha'][:7]}."
            )
        return verdict

    async def _fetch(
        self, client: InstallationClient, key: PullRequestKey | FixKey, *refs: str
    ) -> Path:
        return await self.mirror.fetch(
            f"{self.settings.github_url}/{key.repository}.git",
            key.repository,
            [f"+{ref}:{ref}" for ref in refs],
            await client.token(),
        )

    async def _publish(
        self, client: InstallationClient, key: PullRequestKey, pull: Any, verdict: Verdict
    ) -> None:
        head = pull["head"]["sha"]
        published = await read_published(client, pull, self.settings)
        decisions = merged(published.decisions, await self.ledger.known(key))
        place = Place(client, key.repository, pull, verdict.commits, verdict.policy.sweeps)
        runs = await runs_section(place, decisions)
        verdict = replace(verdict, sections=(*verdict.sections, runs))
        voice = Voice(
            verdict.languages,
            f"{self.settings.github_url}/{key.repository}",
            verdict.documentation_url,
        )
        target = Target(key.repository, key.number, head)
        facts = facts_of(pull, verdict, published, decisions)
        label = await sweep_label(client, self.roles, key.repository, pull, facts)
        seal, lacks, own = seal_of(self.settings, pull), await client.lacks(), is_own_branch(pull)
        said = Saying(verdict, published, voice, decisions, seal, label, lacks, can_fix=own)
        try:
            written = await _write(client, target, said)
        except HeadMovedError as moved:
            # The push that moved it has its own delivery, which asks for the next review.
            log.info("head_moved", key=str(key), was=head, now=str(moved))
            return
        log.info(
            "reviewed",
            key=str(key),
            head=head,
            findings=len(verdict.report.findings),
            writes=written.writes,
            unresolved=written.unresolved,
        )


@dataclass(frozen=True, slots=True)
class Saying:
    """All that a plan is made of; see `checks.plan`."""

    verdict: Verdict
    published: Published
    voice: Voice
    decisions: Decisions
    seal: bytes
    label: SweepLabel
    lacks: frozenset[str]
    can_fix: bool

    async def plan(self) -> Plan:
        """Plan in a thread: thousands of findings take a while to put into words."""
        return await asyncio.to_thread(
            plan,
            self.verdict.report,
            self.published,
            self.verdict.files,
            self.voice,
            advisory=self.verdict.advisory,
            can_fix=self.can_fix,
            decisions=self.decisions,
            seal=self.seal,
            sections=self.verdict.sections,
            label=self.label,
            lacks=self.lacks,
        )


async def _write(client: InstallationClient, target: Target, said: Saying) -> Written:
    """Publish; what GitHub refuses is left out or said elsewhere, and the rest goes on."""
    while True:
        try:
            return await Publisher(client, target).publish(await said.plan())
        except LabelsRefusedError as refused:
            log.warning("labels_refused", target=str(target), reason=str(refused))
            said = replace(said, label=said.label.refused(str(refused)))
        except ReviewRefusedError as refused:
            if not said.verdict.files:
                raise
            log.warning("review_refused", target=str(target), reason=str(refused))
            said = replace(said, verdict=replace(said.verdict, files=()))


async def read_pull(client: InstallationClient, key: PullRequestKey | FixKey) -> Any | None:
    """Return what the API says of a pull request; None, and a log line, if it is out of reach.

    Raises:
        GitHubError: GitHub did not answer, or refused for another reason.

    """
    place = {"repository": key.repository, "number": str(key.number)}
    try:
        return await client.getitem("/repos/{+repository}/pulls/{number}", place)
    except GitHubRefused as error:
        if not error.gone:
            raise
        log.info("out_of_reach", key=str(key), reason=str(error))
        return None


def is_own_branch(pull: Any) -> bool:
    """Tell whether the head is a branch of the same repository, to which we may commit."""
    head = pull["head"]["repo"]
    return head is not None and head["id"] == pull["base"]["repo"]["id"]


def _admission(pull: Any, error: Exception) -> Verdict:
    """Return a verdict that says only that, and why, we could not judge."""
    what = text(
        "Nothing could be checked: {reason} Referee tries again within the hour.", reason=str(error)
    )
    report = Report(
        base=pull["base"]["sha"], head=pull["head"]["sha"], errors=(InternalError("", what),)
    )
    return Verdict(report, (), ("en",), "", advisory=False)
