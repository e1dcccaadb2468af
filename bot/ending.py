"""Say on a pull request that it is closed, and how: nothing there is kept up to date any more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import structlog

from bot.damage import SnapshotError
from bot.github import GitHubRefused, InstallationClient
from bot.judge import JudgeError
from bot.keys import PullRequestKey
from bot.mirror import MirrorError, Trouble
from bot.published import read_published
from bot.sources import Sources
from bot.standing import NO_GATE
from bot.turns import turn
from checks.ending import Ending, with_ending
from checks.policy import Policy
from checks.policy_types import SignOff
from checks.publication import REVIEW, Standing
from checks.render import Voice

log = structlog.get_logger()
_COMMENT = "/repos/{+repository}/issues/comments/{id}"


async def end(sources: Sources, client: InstallationClient, key: PullRequestKey, pull: Any) -> None:
    """Bring the comment on a closed pull request up to date, if we said anything there.

    Raises GitHubError, MirrorError.
    """
    policy = await _policy(sources, client, key, pull)
    gate = policy.sign_off if policy else NO_GATE
    async with turn(key.repository, key.number, "comment"):
        published = await read_published(client, pull, sources.settings, gate)
        if published.sticky_id is None:
            return
        ending = _ending(pull, _verdicts(published.standing, gate))
        voice = Voice(policy.languages if policy else ("en",))
        body = with_ending(published.sticky_body, ending, voice)
        if body == published.sticky_body:
            return
        place = {"repository": key.repository, "id": str(published.sticky_id)}
        try:
            await client.patch(_COMMENT, place, data={"body": body})
        except GitHubRefused as error:
            if not error.gone and not error.locked:  # else somebody deleted or locked it since
                raise
        log.info("ended", key=str(key), merged=bool(ending.merged))


def _ending(pull: Any, verdicts: Sequence[tuple[str, str]]) -> Ending:
    head, by = pull["head"]["sha"], pull["merged_by"]
    if not pull["merged"]:
        return Ending(head, verdicts=verdicts)
    return Ending(head, pull["merge_commit_sha"] or "", by["login"] if by else "", verdicts)


def _verdicts(standing: Standing, gate: SignOff) -> list[tuple[str, str]]:
    """Return what we said at the head, as GitHub calls it."""
    found = [
        (name, standing.checks[name].conclusion)
        for name in (REVIEW, gate.check)
        if name in standing.checks
    ]
    ours = [each.state for each in standing.statuses if each.by == standing.us]
    found += [(gate.status, state) for state in ours[:1] if gate.status not in dict(found)]
    return [each for each in found if each[1]]


async def _policy(
    sources: Sources, client: InstallationClient, key: PullRequestKey, pull: Any
) -> Policy | None:
    """Return the policy for a closed pull request; None when its target branch is gone."""
    try:
        return await sources.policy(client, key, pull)
    except (MirrorError, JudgeError, SnapshotError) as error:
        if isinstance(error, MirrorError) and error.trouble is not Trouble.MISSING_REF:
            raise
        log.info("no_policy", key=str(key), reason=str(error))
        return None
