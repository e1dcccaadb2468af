"""Keep the sign-off's check run and commit status as they should be, writing only differences."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

import structlog

from bot.github import Client, GitHubBusy, GitHubRefused
from checks.policy_types import SignOff
from checks.publication import Standing
from checks.signoff.gate import Gate, status_due

log = structlog.get_logger()


async def report(
    client: Client,
    repository: str,
    head: str,
    policy: SignOff,
    wanted: Gate,
    standing: Standing,
    *,
    anew: bool = True,
) -> int:
    """Bring check run and commit status at a head up to date; return how many writes it took.

    A status that others posted too, or that GitHub refuses, has a check run of the same name beside
    it, which only we can write. Of a name that is required, both have to pass:
    https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/collaborating-on-repositories-with-code-quality-features/troubleshooting-required-status-checks

    Args:
        client: of the installation.
        repository: "owner/name".
        head: the commit.
        policy: what they are called.
        wanted: what they should say; that somebody looks at it only says it where nothing is said.
        standing: what is said there.
        anew: whether to say it where nothing is said yet.

    What GitHub refuses for want of a permission, or beyond 1,000 statuses, is logged.

    Raises GitHubError: GitHub did not answer.
    """
    writes, names = 0, {policy.check} if anew else {policy.check} & {*standing.checks}
    if policy.status and (anew or standing.statuses):
        posted = _status(client, repository, head, policy.status, wanted, standing)
        written = await _unless_refused(posted, repository, head)
        writes += written or 0
        if written is None or standing.forgers or policy.status in standing.checks:
            names.add(policy.status)
    for name in sorted(filter(None, names)):
        said = _check_run(client, repository, head, name, wanted, standing)
        writes += await _unless_refused(said, repository, head) or 0
    return writes


async def _unless_refused(written: Awaitable[int], repository: str, head: str) -> int | None:
    """Return how many writes it took; None if GitHub refused. Raises GitHubError."""
    try:
        return await written
    except GitHubBusy:
        raise
    except GitHubRefused as error:
        if not error.lacks and error.status != 422:
            raise
        log.warning("gate_refused", repository=repository, head=head, reason=str(error))
    return None


async def _check_run(
    client: Client, repository: str, head: str, name: str, wanted: Gate, standing: Standing
) -> int:
    known = standing.checks.get(name)
    if known is not None and (wanted.conclusion is None or known.external_id == wanted.identity):
        return 0
    body: dict[str, Any] = {
        "external_id": wanted.identity,
        "status": "completed" if wanted.conclusion else "in_progress",
        "output": {"title": wanted.title[:250], "summary": wanted.summary},
    }
    if wanted.conclusion:
        body["conclusion"] = wanted.conclusion
    place = {"repository": repository}
    if known is not None:
        url = f"/repos/{{+repository}}/check-runs/{known.id}"
        await client.patch(url, place, data=body)
    else:
        url = "/repos/{+repository}/check-runs"
        await client.post(url, place, data={**body, "name": name, "head_sha": head})
    return 1


async def _status(
    client: Client, repository: str, head: str, context: str, wanted: Gate, standing: Standing
) -> int:
    if standing.forgers:
        log.warning("status_forged", head=head, name=context, by=standing.forgers)
    if not status_due(wanted, standing):
        return 0
    body = {"state": wanted.state, "description": wanted.description, "context": context}
    place = {"repository": repository, "head": head}
    await client.post("/repos/{+repository}/statuses/{head}", place, data=body)
    return 1
