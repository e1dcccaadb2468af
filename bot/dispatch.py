"""Dispatch a workflow and learn which run that made.

https://docs.github.com/en/rest/actions/workflows#create-a-workflow-dispatch-event
"""

from __future__ import annotations

from typing import Any

from bot.github import Client, GitHubRefused
from checks.sweeps.unofficial import Dispatch

_DISPATCHES = "/repos/{+repository}/actions/workflows/{workflow}/dispatches"
_RUNS = "/repos/{+repository}/actions/workflows/{workflow}/runs?event=workflow_dispatch&per_page=50"
_LOOKS = 4
_PAUSE = 1.5


async def dispatched(
    client: Client, repository: str, branch: str, wanted: Dispatch, nonce: str, *, maybe_there: bool
) -> int | None:
    """Dispatch once and return the run's id; None if GitHub does not show it.

    Args:
        client: of the installation.
        repository: "owner/name".
        branch: whose version of the workflow runs.
        wanted: the workflow and its inputs.
        nonce: stands in the run's title and in no other one's.
        maybe_there: whether it may be dispatched already, as after a crash.

    Raises:
        GitHubError: GitHub did not answer, or refused.

    """
    place = {"repository": repository, "workflow": wanted.workflow}
    if maybe_there and (found := await _shown(client, place, nonce)) is not None:
        return found
    content: dict[str, Any] = {"ref": branch, "inputs": dict(wanted.inputs)}
    try:
        # Since 2026-02 GitHub tells which run a dispatch made, if it is asked to.
        answer = await client.post(_DISPATCHES, place, data={**content, "return_run_details": True})
    except GitHubRefused as error:
        if error.status != 422 or "return_run_details" not in str(error):
            raise
        answer = await client.post(_DISPATCHES, place, data=content)
    return int(answer["workflow_run_id"]) if answer else await _shown(client, place, nonce)


async def _shown(client: Client, place: dict[str, str], nonce: str) -> int | None:
    """Return the run with a word in its title, which GitHub shows some seconds late."""
    for look in range(_LOOKS):
        if look:
            await client.sleep(_PAUSE)
        if (found := await _found(client, place, nonce)) is not None:
            return found
    return None


async def _found(client: Client, place: dict[str, str], nonce: str) -> int | None:
    answer = await client.getitem(_RUNS, place)
    named = (run for run in answer["workflow_runs"] if nonce in (run["display_title"] or ""))
    return next((int(run["id"]) for run in named), None)
