"""The sign-off of a pull request: gather what its verdict may look at, and publish what it says.

Level-triggered as reviews are, and a part of them: whatever changed, all of it is read again, and
only what differs is written. No verdict is ever read back from a comment.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Any, Literal
from urllib.parse import urlsplit

import structlog
from cachetools import LRUCache

from bot.gate import report
from bot.github import InstallationClient
from bot.judge import Judges
from bot.keys import PullRequestKey
from bot.ledger import Ledger
from bot.measured import RunMemory, measured
from bot.mirror import Mirror, MirrorError
from bot.published import read_check_runs
from bot.remarks import comment, say_assessment, say_merged
from bot.settings import Settings
from bot.sign_offs import head_of, to_remember, with_editors
from bot.signing import Ground, find_sign_offs, judge_facts, prints_at
from bot.sweeps import CHOICE, Place, why_not_run
from bot.teams import Teams
from bot.upstream import Pages, look
from bot.verdict import Verdict as Judged
from checks.decisions import Decision, Decisions, of_kind
from checks.policy import Policy
from checks.publication import Published
from checks.render import Section, Voice
from checks.signoff.facts import Choice, Content, Facts, Measured, SignOff
from checks.signoff.gate import Gate, gate, looking, unjudged
from checks.signoff.reminder import MARKER, reminder
from checks.signoff.section import SignOffSection
from checks.signoff.verdict import State, is_needed

log = structlog.get_logger()
GATE = "signoff"  # what an override names to open it
_MOST_KNOWN = 4096


@dataclass(frozen=True, slots=True)
class Signed:
    """What is said about the sign-off of one head, and what is to be remembered of it."""

    section: SignOffSection
    decisions: Decisions
    comment: Literal["sticky", "each"]

    @property
    def sections(self) -> tuple[Section, ...]:
        """Return the part of the sticky comment about it, where there is something to say."""
        silent = self.section.verdict.state is State.NOT_NEEDED or self.comment == "each"
        return () if silent else (self.section,)


@dataclass(frozen=True, slots=True)
class Hearing:
    """One head whose sign-off is judged, with all that was read of its pull request so far."""

    client: InstallationClient
    key: PullRequestKey
    pull: Any
    judged: Judged
    published: Published
    decisions: Decisions

    @property
    def place(self) -> Place:
        """Return where its runs are."""
        sweeps = self.judged.policy.sweeps
        return Place(self.client, self.key.repository, self.pull, self.judged.commits, sweeps)


@dataclass(frozen=True, slots=True)
class Gatekeeper:
    """Keeps the gate of sign-offs on all pull requests."""

    settings: Settings
    judges: Judges
    mirror: Mirror
    ledger: Ledger
    teams: Teams
    pages: Pages
    memory: RunMemory
    _policies: LRUCache[tuple[str, str], Policy] = field(
        default_factory=lambda: LRUCache(_MOST_KNOWN)
    )
    _announced: LRUCache[tuple[str, int], str] = field(
        default_factory=lambda: LRUCache(_MOST_KNOWN)
    )

    async def announce(self, client: InstallationClient, key: PullRequestKey, pull: Any) -> None:
        """Shut the gate of a new head at once, before anybody has looked at it.

        Raises GitHubError: GitHub did not answer, or refuses.
        """
        head, policy = pull["head"]["sha"], self._policy(pull)
        if policy is None or self._announced.get((key.repository, key.number)) == head:
            return
        there = await read_check_runs(client, pull, self.settings.app_id)
        wanted = looking(Voice(policy.languages))
        await report(client, key.repository, head, policy.sign_off, wanted, there)
        self._announced[key.repository, key.number] = head

    async def admit(
        self, client: InstallationClient, key: PullRequestKey, pull: Any, reason: str
    ) -> None:
        """Say at the gate that the head could not be judged: it stays shut."""
        policy = self._policy(pull)
        if policy is None:
            return
        head = pull["head"]["sha"]
        wanted = unjudged(reason, Voice(policy.languages), advisory=_advisory(policy))
        there = await read_check_runs(client, pull, self.settings.app_id)
        await report(client, key.repository, head, policy.sign_off, wanted, there)

    def _policy(self, pull: Any) -> Policy | None:
        where = (pull["base"]["repo"]["full_name"], pull["base"]["ref"])
        return self._policies.get(where)

    async def publish(self, hearing: Hearing, signed: Signed | None) -> int:
        """Report the verdict at the gate; return how many writes it took. Raises GitHubError."""
        client, pull, judged = hearing.client, hearing.pull, hearing.judged
        policy, repository = judged.policy, hearing.key.repository
        if not policy.sign_off.phrase or _has_none(judged.content):
            return 0
        self._policies[repository, pull["base"]["ref"]] = policy
        voice = Voice(
            policy.languages, f"{self.settings.github_url}/{repository}", policy.documentation_url
        )
        writes = await self._remark(hearing, signed, voice) if signed else 0
        head, wanted = judged.report.head, _wanted(judged, signed, voice)
        there = hearing.published.checks
        return writes + await report(client, repository, head, policy.sign_off, wanted, there)

    async def _remark(self, hearing: Hearing, signed: Signed, voice: Voice) -> int:
        """Say in comments of their own what the policy wants there, before the gate moves."""
        policy, section = hearing.judged.policy, signed.section
        ours, writes = hearing.published.comments, 0
        if signed.comment == "each" and section.verdict.heard:
            writes += await say_assessment(hearing.client, section, voice, ours)
        writes += await self._recipes(hearing, section, voice)
        reminded = of_kind(hearing.decisions, "reminded")
        waiting = section.verdict.state is State.WAITING and not section.facts.draft
        if not (policy.sign_off.reminder and waiting) or reminded:
            return writes
        if not any(body.startswith(MARKER) for body in ours.values()):
            await comment(hearing.client, section, reminder(section.facts, policy, voice))
            writes += 1
        await self.ledger.decide(hearing.key, Decision("reminded", GATE, ""))
        return writes

    async def _recipes(self, hearing: Hearing, section: SignOffSection, voice: Voice) -> int:
        """Note which linked recipes are not merged yet, and say it when one is."""
        noted, writes = of_kind(hearing.decisions, "recipe-open"), 0
        for url, upstream in section.facts.upstream.items():
            if upstream.state in {"open", "draft"} and url not in noted:
                await self.ledger.decide(hearing.key, Decision("recipe-open", url, ""))
            elif upstream.state == "merged" and url in noted:
                ours = hearing.published.comments
                writes += await say_merged(hearing.client, section, url, voice, ours)
                await self.ledger.undo(hearing.key, "recipe-open", url)
        return writes

    async def assess(self, hearing: Hearing) -> Signed | None:
        """Judge the sign-off of a head; None where there are none, or for our own defect.

        Raises:
            GitHubError: GitHub did not answer.
            JudgeError, SnapshotError: it could not be judged.

        """
        judged, decisions = hearing.judged, hearing.decisions
        if judged.content is None or _has_none(judged.content):
            return None
        facts = _known(hearing, judged.content)
        if is_needed(facts, judged.policy):
            facts = await self._gathered(hearing, facts)
        verdict = await self.judges.call(judge_facts, facts, judged.policy)
        remembered = to_remember(facts.sign_offs, decisions)
        comment = judged.policy.sign_off.comment
        return Signed(SignOffSection(verdict, facts), remembered, comment)

    async def _gathered(self, hearing: Hearing, facts: Facts) -> Facts:
        """Return the facts with all that GitHub and others have to be asked for."""
        client, place = hearing.client, hearing.place
        policy, content = hearing.judged.policy, facts.content
        host = urlsplit(self.settings.github_url).netloc.lower()
        ground = Ground(self.mirror.path(place.repository), content.tip, policy, host)
        said = await self._sign_offs(hearing, ground, content)
        owners = (*content.code_owners, *policy.sign_off.core) if said else ()
        links = [link for each in said for link in each.said.links]
        starts = [start for each in policy.sign_off.recipes.values() for start in each]
        runs = await measured(place, self.memory, hearing.decisions, said)
        return replace(
            facts,
            sign_offs=said,
            runs=await self._with_prints(ground, content, runs),
            choice=await _choice(place, hearing.decisions),
            upstream=await look(client, self.pages, links, starts),
            teams=await self.teams.members(client, hearing.key, owners),
        )

    async def _sign_offs(
        self, hearing: Hearing, ground: Ground, content: Content
    ) -> tuple[SignOff, ...]:
        spoken = hearing.published.spoken
        if not spoken:
            return ()
        told = await self.ledger.heads_said_at(hearing.key)
        signed = of_kind(hearing.decisions, "signed")
        heads = {said.node: head_of(said, signed, told) for said in spoken}
        found = await self.judges.call(find_sign_offs, ground, content, spoken, heads)
        lost = {each.head for each in found if each.head and each.prints is None}
        if lost and await self._fetched(hearing, lost):
            found = await self.judges.call(find_sign_offs, ground, content, spoken, heads)
        return await with_editors(hearing.client, found, spoken)

    async def _fetched(self, hearing: Hearing, lost: Collection[str]) -> bool:
        """Ask GitHub for commits that left the pull request's history, and keep them."""
        repository = hearing.key.repository
        refs = [f"+{sha}:refs/referee/signed/{sha}" for sha in sorted(lost)]
        url = f"{self.settings.github_url}/{repository}.git"
        try:
            await self.mirror.fetch(url, repository, refs, await hearing.client.token())
        except MirrorError as error:
            log.info("signed_commit_gone", repository=repository, reason=str(error))
            return False
        return True

    async def _with_prints(
        self, ground: Ground, content: Content, runs: tuple[Measured, ...] | None
    ) -> tuple[Measured, ...] | None:
        if not runs:
            return runs
        heads = {each.run.head_sha for each in runs} & {*content.commits}
        done = await self.judges.call(prints_at, ground, sorted(heads))
        return tuple(replace(each, prints=done.get(each.run.head_sha)) for each in runs)


def _wanted(judged: Judged, signed: Signed | None, voice: Voice) -> Gate:
    advisory = _advisory(judged.policy)
    if signed is not None:
        return gate(signed.section, voice, advisory=advisory)
    reasons = "; ".join(str(error.text) for error in judged.report.errors)
    return unjudged(reasons, voice, advisory=advisory)


def _has_none(content: Content | None) -> bool:
    """Tell whether a repository knows no sign-offs: nobody owns anything, nothing is to fill in."""
    return content is not None and content.template is None and not content.code_owners


def _advisory(policy: Policy) -> bool:
    return "advisory" in (policy.mode, policy.sign_off.mode)


def _known(hearing: Hearing, content: Content) -> Facts:
    """Return what is known of a pull request without asking anybody."""
    pull = hearing.pull
    return Facts(
        repository=hearing.key.repository,
        number=pull["number"],
        author=pull["user"]["login"] if pull["user"] else "",
        content=content,
        body=pull["body"] or "",
        draft=bool(pull["draft"]),
        fork=(pull["head"]["repo"] or {}).get("id") != pull["base"]["repo"]["id"],
        labels=tuple(sorted(hearing.place.labels)),
        overridden=of_kind(hearing.decisions, "overridden").get(GATE),
    )


async def _choice(place: Place, decisions: Decisions) -> Choice | None:
    chosen = of_kind(decisions, "reuse").get(CHOICE)
    if chosen is None or not chosen.reason.isdecimal():
        return None
    return Choice(chosen, await why_not_run(place, int(chosen.reason)))
