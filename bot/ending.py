"""Say on a pull request that it is closed, and how: nothing there is kept up to date any more."""

from __future__ import annotations

from typing import Any

import structlog

from bot.damage import SnapshotError
from bot.github import GitHubRefused, InstallationClient
from bot.judge import JudgeError
from bot.keys import PullRequestKey
from bot.mirror import MirrorError, Trouble
from bot.published import read_published
from bot.sources import Sources
from bot.turns import turn
from checks.ending import Ending, with_ending
from checks.policy import Policy
from checks.publication import REVIEW
from checks.render import Voice

log = structlog.get_logger()
_COMMENT = "/repos/{+repository}/issues/comments/{id}"


async def end(sources: Sources, client: InstallationClient, key: PullRequestKey, pull: Any) -> None:
    """Bring the comment on a closed pull request up to date, if we said anything there.

    Raises GitHubError, MirrorError.
    """
    async with turn(key.repository, key.number, "comment"):
        published = await read_published(client, pull, sources.settings)
        if published.sticky_id is None:
            return
        policy = await _policy(sources, client, key, pull)
        gates = filter(None, (REVIEW, policy.sign_off.check if policy else ""))
        there = [
            (name, published.checks[name].conclusion) for name in gates if name in published.checks
        ]
        by = pull["merged_by"]["login"] if pull["merged_by"] else ""
        commit = pull["merge_commit_sha"] if pull["merged"] else ""
        ending = Ending(pull["head"]["sha"], commit or "", by, [each for each in there if each[1]])
        voice = Voice(policy.languages if policy else ("en",))
        body = with_ending(published.sticky_body, ending, voice)
        if body == published.sticky_body:
            return
        place = {"repository": key.repository, "id": str(published.sticky_id)}
        try:
            await client.patch(_COMMENT, place, data={"body": body})
        except GitHubRefused as error:
            if not error.gone:  # else somebody deleted it since
                raise
        log.info("ended", key=str(key), merged=bool(commit))


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
