"""One head whose sign-off is judged: all facts about it, gathered once."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

import structlog

from bot.github import InstallationClient
from bot.judge import Judges
from bot.keys import PullRequestKey
from bot.ledger import Ledger
from bot.measured import RunMemory, measured, with_results
from bot.mirror import Mirror, MirrorError, Trouble
from bot.permission import Roles, at_least
from bot.pull_request import author_of
from bot.settings import Settings
from bot.sign_offs import head_of, with_editors
from bot.signing import Ground, find_sign_offs, prints_at
from bot.sweeps import CHOICE, Place, looked_at
from bot.teams import Teams
from bot.upstream import Pages, look
from bot.verdict import Verdict as Judged
from checks.decisions import Decision, Decisions, of_kind
from checks.publication import Published
from checks.signoff.facts import Choice, Content, Facts, Measured, SignOff
from checks.signoff.proving import runs_to_read
from checks.signoff.signers import Heard, heard
from checks.signoff.verdict import is_needed

log = structlog.get_logger()
GATE = "signoff"  # what an override names to open it
PART = f"{GATE}:"  # and, with the name of an obligation, to let only that pass
MOST_FETCHES = 32


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
class Gatherer:
    """Asks git, GitHub and others for the facts of sign-offs."""

    settings: Settings
    judges: Judges
    mirror: Mirror
    ledger: Ledger
    teams: Teams
    pages: Pages
    memory: RunMemory
    roles: Roles

    async def facts(self, hearing: Hearing, content: Content) -> Facts:
        """Return the facts; where no sign-off is needed, nobody is asked for more of them.

        Raises:
            GitHubError: GitHub did not answer.
            JudgeError, SnapshotError: what people said could not be read.

        """
        known = _known(hearing, content)
        if not is_needed(known, hearing.judged.policy):
            return known
        policy, host = hearing.judged.policy, urlsplit(self.settings.github_url).netloc.lower()
        path = self.mirror.path(hearing.key.repository)
        ground = Ground(path, content.tip, policy, host)
        found = replace(known, sign_offs=await self._sign_offs(hearing, ground, content))
        owners = (*content.code_owners, *policy.sign_off.core) if found.sign_offs else ()
        teams = await self.teams.members(hearing.client, hearing.key, owners)
        found = await self._bound(hearing, ground, replace(found, teams=teams))
        return await self._evidence(hearing, ground, found)

    async def _evidence(self, hearing: Hearing, ground: Ground, facts: Facts) -> Facts:
        """Return the facts with the runs and recipes that prove something.

        What strangers link is not looked at, and what may count only after what does: they could
        crowd it out.
        """
        policy, place = ground.policy, hearing.place
        said = sorted(heard(facts, policy), key=lambda each: each.undecided)
        counting = [each.sign_off for each in said if _may_count(each)]
        links = [link for each in counting for link in each.said.links]
        starts = [start for each in policy.sign_off.recipes.values() for start in each]
        runs, older = await measured(place, self.memory, hearing.decisions, counting)
        runs = await self._with_prints(ground, facts.content, runs)
        found = replace(
            facts,
            dismissed=await self._accepted(hearing, facts.content),
            runs=runs,
            older_runs=older,
            choice=await _choice(place, hearing.decisions),
            upstream=await look(hearing.client, self.pages, links, starts),
        )
        if not runs:
            return found
        wanted = await self.judges.call(runs_to_read, found, policy)
        return replace(found, runs=await with_results(place, self.memory, runs, wanted))

    async def _accepted(self, hearing: Hearing, content: Content) -> dict[str, Decision]:
        """Return which findings maintainers dismissed.

        Whoever may write can dismiss a finding; a gate opens only to those who may override it.
        """
        found = of_kind(hearing.decisions, "dismissed")
        here = {
            x.fingerprint: found[x.fingerprint] for x in content.findings if x.fingerprint in found
        }
        client, repository = hearing.client, hearing.key.repository
        logins = sorted({each.by for each in here.values()})
        roles = {login: await self.roles.role(client, repository, login) for login in logins}
        return {x: each for x, each in here.items() if at_least(roles[each.by], "maintain")}

    async def _sign_offs(
        self, hearing: Hearing, ground: Ground, content: Content
    ) -> tuple[SignOff, ...]:
        spoken = hearing.published.spoken
        if not spoken:
            return ()
        told = await self.ledger.heads_said_at(hearing.key)
        signed = of_kind(hearing.decisions, "signed")
        heads = {said.node: head_of(said, signed, told) for said in spoken}
        return await self.judges.call(find_sign_offs, ground, content, spoken, heads)

    async def _bound(self, hearing: Hearing, ground: Ground, facts: Facts) -> Facts:
        """Return the facts with who edited sign-offs, and with commits that git has to ask for.

        Those that strangers signed are not asked for: they could crowd out an owner's.
        """
        counting = [each.sign_off for each in heard(facts, ground.policy) if _may_count(each)]
        lost = {each.head for each in counting if each.head and each.prints is None}
        said = facts.sign_offs
        if lost and await self._fetched(hearing, lost):
            said = await self._sign_offs(hearing, ground, facts.content)
        edited = await with_editors(hearing.client, said, hearing.published.spoken)
        return replace(facts, sign_offs=edited)

    async def _fetched(self, hearing: Hearing, lost: Collection[str]) -> bool:
        """Ask GitHub for commits that left the pull request's history, and keep them."""
        repository = hearing.key.repository
        url, token = f"{self.settings.github_url}/{repository}.git", await hearing.client.token()
        found, parts = False, deque([sorted(lost)])
        for _ in range(MOST_FETCHES):
            if not parts:
                break
            part = parts.popleft()
            refs = [f"+{sha}:refs/referee/signed/{sha}" for sha in part]
            try:
                await self.mirror.fetch(url, repository, refs, token)
                found = True
            except MirrorError as error:
                log.info("signed_commit_gone", repository=repository, reason=str(error))
                if error.trouble is not Trouble.MISSING_REF:
                    break
                # One that is gone takes all others of a request with it.
                half = len(part) // 2
                parts.extend(each for each in (part[:half], part[half:]) if half)
        return found

    async def _with_prints(
        self, ground: Ground, content: Content, runs: tuple[Measured, ...] | None
    ) -> tuple[Measured, ...] | None:
        if not runs:
            return runs
        heads = {each.run.head_sha for each in runs} & {*content.commits}
        done = await self.judges.call(prints_at, ground, sorted(heads))
        return tuple(replace(each, prints=done.get(each.run.head_sha)) for each in runs)


def _may_count(each: Heard) -> bool:
    return each.ignored is None or each.undecided


def _known(hearing: Hearing, content: Content) -> Facts:
    """Return what is known of a pull request without asking anybody."""
    pull, let = hearing.pull, of_kind(hearing.decisions, "overridden")
    return Facts(
        repository=hearing.key.repository,
        number=pull["number"],
        author=author_of(pull),
        content=content,
        body=pull["body"] or "",
        draft=bool(pull["draft"]),
        labels=tuple(sorted(hearing.place.labels)),
        overridden=let.get(GATE),
        accepted={x.removeprefix(PART): each for x, each in let.items() if x.startswith(PART)},
    )


async def _choice(place: Place, decisions: Decisions) -> Choice | None:
    chosen = of_kind(decisions, "reuse").get(CHOICE)
    if chosen is None or not chosen.reason.isdecimal():
        return None
    reuse = await looked_at(place, int(chosen.reason))
    return Choice(chosen, reuse.why_not, reuse.partial)
