"""The sign-off of a pull request: gather what its verdict may look at, and publish what it says.

Level-triggered as reviews are, and a part of them: whatever changed, all of it is read again, and
only what differs is written. No verdict is ever read back from a comment.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import structlog

from bot.damage import SnapshotError
from bot.gate import report
from bot.gates import Gates
from bot.github import GitHubError, GitHubRefused
from bot.hearing import GATE, Gatherer, Hearing
from bot.jobs import StoreError
from bot.judge import JudgeError, Judges
from bot.ledger import Ledger
from bot.recorded import keep
from bot.remarks import comment, say_assessment, say_merged
from bot.settings import Settings
from bot.sign_offs import to_remember
from bot.standing import read_standing
from bot.verdict import Verdict as Judged
from checks.decisions import Decision, Decisions, of_kind
from checks.render import Section, Voice
from checks.signoff.facts import Facts
from checks.signoff.gate import Gate, gate, unjudged, unneeded
from checks.signoff.reminder import MARKER, reminder
from checks.signoff.section import SignOffSection
from checks.signoff.verdict import State, verdict

log = structlog.get_logger()
FACTS = "facts"  # where they are kept, in the data folder


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
class Unjudged:
    """Why the sign-off of a head could not be judged."""

    reason: str


@dataclass(frozen=True, slots=True)
class Gatekeeper:
    """Keeps the gate of sign-offs on all pull requests."""

    settings: Settings
    judges: Judges
    ledger: Ledger
    gatherer: Gatherer
    gates: Gates

    async def publish(self, hearing: Hearing, signed: Signed | Unjudged | None) -> int:
        """Report the verdict at the gate; return how many writes it took. Raises GitHubError."""
        client, pull, judged = hearing.client, hearing.pull, hearing.judged
        policy, repository = judged.policy, hearing.key.repository
        there, head = hearing.published.standing, judged.report.head
        former = self.gates.learn(pull, policy if signed else None)
        if signed is None:
            if former is None:
                return 0
            # This head's gate was shut when the target branch still asked for sign-offs, and may
            # have had another name then.
            wanted = unneeded(Voice(policy.languages))
            there = await read_standing(client, pull, self.settings.app_id, former)
            return await report(client, repository, head, former, wanted, there, anew=False)
        voice = Voice(
            policy.languages, f"{self.settings.github_url}/{repository}", policy.documentation_url
        )
        writes = 0
        if isinstance(signed, Signed):
            writes += await self._remarks(hearing, signed, voice)
        wanted = _wanted(judged, signed, voice)
        return writes + await report(client, repository, head, policy.sign_off, wanted, there)

    async def _remarks(self, hearing: Hearing, signed: Signed, voice: Voice) -> int:
        """Remark what can be remarked: a locked conversation holds up no verdict."""
        try:
            return await self._remark(hearing, signed, voice)
        except GitHubRefused as error:
            if not error.locked:
                raise
            log.warning("conversation_locked", key=str(hearing.key), reason=str(error))
            return 0

    async def _remark(self, hearing: Hearing, signed: Signed, voice: Voice) -> int:
        """Say in comments of their own what the policy wants there, before the gate moves."""
        policy, section = hearing.judged.policy, signed.section
        ours, writes = hearing.published.comments, 0
        known = any(not each.stranger for each in section.verdict.heard)
        if signed.comment == "each" and known:
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

    async def assess(self, hearing: Hearing) -> Signed | Unjudged | None:
        """Judge the sign-off of a head; None where a repository knows none.

        What goes wrong there hides nothing of the rest of a review. Raises GitHubError.
        """
        judged = hearing.judged
        if not judged.policy.sign_off.phrase or (judged.content and not judged.content.signs):
            return None
        if judged.content is None:
            return Unjudged("; ".join(str(error.text) for error in judged.report.errors))
        try:
            facts = await self.gatherer.facts(hearing, judged.content)
            await self._keep(facts)
            found = await self.judges.call(verdict, facts, judged.policy)
        except (GitHubError, StoreError):
            raise
        except (JudgeError, SnapshotError) as error:
            log.warning("sign_off_unjudged", key=str(hearing.key), reason=str(error))
            return Unjudged(str(error))
        except Exception as error:  # a defect of ours
            log.exception("sign_off_unjudged", key=str(hearing.key))
            return Unjudged(f"{type(error).__name__}, which the log of Referee explains.")
        known = [each.sign_off for each in found.heard if not each.stranger]
        remembered = to_remember(known, hearing.decisions)
        return Signed(SignOffSection(found, facts), remembered, judged.policy.sign_off.comment)

    async def _keep(self, facts: Facts) -> None:
        """Keep the facts for whoever asks why; that they cannot be kept loses no verdict."""
        if not self.settings.record_facts:
            return
        try:
            await self.judges.call(keep, facts, self.settings.data_dir / FACTS)
        except OSError as error:
            log.warning("facts_not_kept", number=facts.number, reason=str(error))


def _wanted(judged: Judged, signed: Signed | Unjudged, voice: Voice) -> Gate:
    advisory = judged.policy.sign_offs_advise
    if isinstance(signed, Unjudged):
        return unjudged(signed.reason, voice, advisory=advisory)
    return gate(signed.section, voice, advisory=advisory)
