"""Read what stands at a head under our names: of ours, and of others who use the same names."""

from __future__ import annotations

from typing import Any

from bot.github import GitHubRefused, InstallationClient
from checks.policy_types import SignOff
from checks.publication import REVIEW, PostedStatus, PublishedCheckRun, Standing

_CHECK_RUNS = "/repos/{+repository}/commits/{head}/check-runs{?check_name,filter,per_page}"
_STATUSES = "/repos/{+repository}/commits/{head}/statuses{?per_page}"
NO_GATE = SignOff()
_MOST_CHECK_RUNS, _MOST_STATUSES = 1_000, 3_000


async def read_standing(
    client: InstallationClient, pull: Any, app_id: int, gate: SignOff = NO_GATE
) -> Standing:
    """Return it for a pull request, as the API tells of it.

    Args:
        client: of the installation.
        pull: the pull request.
        app_id: our App.
        gate: what the check run and the status of the gate are called, beside the review's.

    Without a permission there is nothing of ours. Raises GitHubError: GitHub did not answer.
    """
    place = {
        "repository": pull["base"]["repo"]["full_name"],
        "head": pull["head"]["sha"],
        "per_page": "100",
    }
    checks: dict[str, PublishedCheckRun] = {}
    apps: dict[str, tuple[str, ...]] = {}
    for name in dict.fromkeys(filter(None, (REVIEW, gate.check, gate.status))):
        for run in await _check_runs(client, {**place, "check_name": name}):
            app = run["app"] or {}  # of a deleted App there is nothing more
            if app.get("id") == app_id:
                checks[name] = _check_run(run)
            else:
                apps[name] = tuple(dict.fromkeys((*apps.get(name, ()), app.get("slug", ""))))
    if not gate.status:
        return Standing(checks, apps)
    statuses = await _statuses(client, place, gate.status)
    return Standing(checks, apps, statuses, await client.login())


async def _check_runs(client: InstallationClient, place: dict[str, str]) -> list[Any]:
    """Return the newest of each suite, the oldest first.

    Workflows have a suite for each of their runs, and name their jobs as they like: ours may stand
    below hundreds. GitHub looks at the newest 1,000 suites:
    https://docs.github.com/en/rest/checks/runs#list-check-runs-for-a-git-reference
    """
    wanted = {**place, "filter": "latest"}
    found: list[Any] = []
    try:
        async for run in client.getiter(_CHECK_RUNS, wanted, iterable_key="check_runs"):
            found.append(run)
            if len(found) == _MOST_CHECK_RUNS:
                break
    except GitHubRefused as error:
        if not error.lacks:
            raise
        return []
    return sorted(found, key=lambda run: int(run["id"]))


def _check_run(run: Any) -> PublishedCheckRun:
    done, title = run["status"] == "completed", run["output"]["title"] or ""
    conclusion = run["conclusion"] or ""
    return PublishedCheckRun(run["id"], run["external_id"] or "", done, title, conclusion)


async def _statuses(
    client: InstallationClient, place: dict[str, str], context: str
) -> tuple[PostedStatus, ...]:
    """Return those of a context, the newest first: https://docs.github.com/en/rest/commits/statuses.

    GitHub tells contexts apart whatever their case, so that `Gate` replaces `gate`. Other programs
    may have posted hundreds since; beyond 3,000 nobody looks.
    """
    found, seen = [], 0
    try:
        async for each in client.getiter(_STATUSES, place):
            seen += 1
            if each["context"].casefold() == context.casefold():
                by = each["creator"]["login"] if each["creator"] else ""
                found.append(PostedStatus(each["state"], each["description"] or "", by))
            if seen >= _MOST_STATUSES:
                break
    except GitHubRefused as error:
        if not error.lacks:
            raise
    return tuple(found)
