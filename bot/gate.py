"""Keep the sign-off's check run and commit status as they should be, writing only differences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import structlog

from bot.github import Client, GitHubBusy, GitHubRefused
from checks.policy_types import SignOff
from checks.publication import PublishedCheckRun
from checks.signoff.gate import Gate

log = structlog.get_logger()


async def report(
    client: Client,
    repository: str,
    head: str,
    policy: SignOff,
    wanted: Gate,
    there: Mapping[str, PublishedCheckRun],
    *,
    anew: bool = True,
) -> int:
    """Bring check run and commit status at a head up to date; return how many writes it took.

    Args:
        client: of the installation.
        repository: "owner/name".
        head: the commit.
        policy: what they are called.
        wanted: what they should say; that somebody looks at it only says it where nothing is said.
        there: our check runs at the head, by name.
        anew: whether to say it where nothing is said yet.

    What GitHub refuses for want of a permission, or beyond 1,000 statuses, is logged.

    Raises GitHubError: GitHub did not answer.
    """
    said = []
    if policy.check and (anew or policy.check in there):
        said.append(_check_run(client, repository, head, policy.check, wanted, there))
    if policy.status:
        said.append(_status(client, repository, head, policy.status, wanted, anew))
    writes = 0
    for each in said:
        try:
            writes += await each
        except GitHubBusy:
            raise
        except GitHubRefused as error:
            if not error.lacks and error.status != 422:
                raise
            log.warning("gate_refused", repository=repository, head=head, reason=str(error))
    return writes


async def _check_run(
    client: Client,
    repository: str,
    head: str,
    name: str,
    wanted: Gate,
    there: Mapping[str, PublishedCheckRun],
) -> int:
    known = there.get(name)
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
    client: Client, repository: str, head: str, context: str, wanted: Gate, anew: bool
) -> int:
    place = {"repository": repository, "head": head, "per_page": "100"}
    url = "/repos/{+repository}/commits/{head}/statuses{?per_page}"
    # The newest first: https://docs.github.com/en/rest/commits/statuses
    listed = await client.getitem(url, place)
    newest = next((each for each in listed if each["context"] == context), None)
    says = (newest["state"], newest["description"]) if newest else None
    if newest is None and not anew:
        return 0
    if (newest and wanted.conclusion is None) or says == (wanted.state, wanted.description):
        return 0
    body = {"state": wanted.state, "description": wanted.description, "context": context}
    await client.post("/repos/{+repository}/statuses/{head}", place, data=body)
    return 1
