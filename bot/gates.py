"""The gate that pull requests into each branch have: shut on a new head, before anybody looked.

https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/collaborating-on-repositories-with-code-quality-features/troubleshooting-required-status-checks
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import structlog
from cachetools import LRUCache

from bot.gate import report
from bot.github import InstallationClient
from bot.keys import NameKey, PullRequestKey
from bot.sharing import speaker
from bot.sources import Sources
from bot.standing import read_standing
from checks.policy import Policy
from checks.policy_types import SignOff
from checks.publication import REVIEW, Standing
from checks.render import Voice
from checks.signoff.gate import looking, unjudged

log = structlog.get_logger()
_MOST_KNOWN = 4096
Branch = tuple[str, str]  # repository and target branch


@dataclass(frozen=True, slots=True)
class Gates(Sources):
    """Knows which branches ask for sign-offs, by the policy last seen there."""

    _policies: LRUCache[Branch, Policy | None] = field(
        default_factory=lambda: LRUCache(_MOST_KNOWN)
    )
    _former: LRUCache[Branch, SignOff] = field(default_factory=lambda: LRUCache(_MOST_KNOWN))
    _announced: LRUCache[tuple[str, int], tuple[str, Branch]] = field(
        default_factory=lambda: LRUCache(_MOST_KNOWN)
    )
    _judged: LRUCache[tuple[str, str], Branch] = field(
        default_factory=lambda: LRUCache(_MOST_KNOWN)
    )  # for which branch a head was judged last

    def learn(self, pull: Any, policy: Policy | None) -> SignOff | None:
        """Note the policy of a target branch, None where it asks for no sign-offs.

        What stands at the head is said for that branch from now on.

        Returns what the gate was called where it asks for none any more.
        """
        branch = _branch(pull)
        self._judged[branch[0], pull["head"]["sha"]] = branch
        before, self._policies[branch] = self._policies.get(branch), policy
        if policy is not None:
            return None
        if before is not None:
            self._former[branch] = before.sign_off
        return self._former.get(branch)

    async def is_forged(self, client: InstallationClient, key: NameKey) -> bool:
        """Tell whether somebody else used a name that we report under. Raises GitHubError.

        Case tells no statuses apart. Of a repository of which nothing is known yet, any name may be
        ours.
        """
        known = [self._policies[it] for it in list(self._policies) if it[0] == key.repository]
        gates = [it.sign_off for it in known if it]
        names = {REVIEW, *(name.casefold() for it in gates for name in (it.check, it.status))}
        if known and key.name.casefold() not in names:
            return False
        return key.by != await client.login()

    async def announce(self, client: InstallationClient, key: PullRequestKey, pull: Any) -> None:
        """Shut the gate of a new head at once, unless something is said there already.

        What was said for another branch, whose policy may be milder, does not count.

        Raises:
            GitHubError, StoreError: GitHub or the store did not answer, or refuses.
            MirrorError, SnapshotError, JudgeError: which gate it has could not be read.

        """
        head = pull["head"]["sha"]
        where = (key.repository, key.number)
        if self._announced.get(where) == (head, _branch(pull)):
            return
        if _branch(pull) not in self._policies:
            self._policies[_branch(pull)] = await self.gate(client, key, pull)
        policy, anew = self._policies[_branch(pull)], await self._turns(client, key, pull)
        wanted = looking(Voice(policy.languages if policy else ("en",)))
        if policy is not None:
            gate = policy.sign_off
            there = await read_standing(client, pull, self.settings.app_id, gate)
            there = replace(there, checks={}, statuses=()) if anew else there
            await report(client, key.repository, head, gate, wanted, there)
        if anew:
            await report(client, key.repository, head, SignOff(check=REVIEW), wanted, Standing())
        self._announced[where] = head, _branch(pull)

    async def _turns(self, client: InstallationClient, key: PullRequestKey, pull: Any) -> bool:
        """Tell whether a pull request speaks for a head that was judged for another branch."""
        judged = self._judged.get((key.repository, pull["head"]["sha"]), _branch(pull))
        if judged == _branch(pull):
            return False
        return await speaker(client, self.ledger, key, pull) == key.number

    async def admit(
        self, client: InstallationClient, key: PullRequestKey, pull: Any, reason: str
    ) -> None:
        """Say at the gate that the head could not be judged: it stays shut. Raises GitHubError."""
        policy = self._policies.get(_branch(pull))
        if policy is None:
            return
        wanted = unjudged(reason, Voice(policy.languages), advisory=policy.sign_offs_advise)
        there = await read_standing(client, pull, self.settings.app_id, policy.sign_off)
        await report(client, key.repository, pull["head"]["sha"], policy.sign_off, wanted, there)


def _branch(pull: Any) -> Branch:
    return pull["base"]["repo"]["full_name"], pull["base"]["ref"]
