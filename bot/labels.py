"""The labels of a pull request that start sweeps: what is asked about them, and how they change.

https://docs.github.com/en/rest/issues/labels. Set with the App's token, as labels that a workflow
sets with its own start no workflow:
https://docs.github.com/en/actions/how-tos/write-workflows/choose-when-workflows-run/trigger-a-workflow
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, TypeVar

import structlog
from cachetools import TTLCache

from bot.github import Client, GitHubBusy, GitHubRefused
from bot.permission import Roles
from bot.pull_request import author_of
from bot.runs import head_of, unfinished
from bot.verdict import Verdict
from checks.decisions import Decisions, of_kind, override_of
from checks.plan import GATE
from checks.policy import Policy
from checks.policy_types import at_least
from checks.publication import LabelChange, Published
from checks.sweeps.label import Answers, Facts, SweepLabel, decide
from checks.sweeps.runs import WorkflowRun, of_workflows

log = structlog.get_logger()
T = TypeVar("T")
# Until GitHub shows the run that a label started.
_SECONDS_TO_A_RUN = 60.0
_changed: TTLCache[tuple[str, int], bool] = TTLCache(1024, _SECONDS_TO_A_RUN)


def facts_of(pull: Any, verdict: Verdict, published: Published, decisions: Decisions) -> Facts:
    """Return what the decision about the label rests on."""
    report, dismissed = verdict.report, of_kind(decisions, "dismissed")
    blocking = sum(finding.fingerprint not in dismissed for finding in report.blocking)
    overridden = override_of(decisions, GATE, report.head) is not None
    return Facts(
        policy=verdict.policy,
        head=report.head,
        complete=not report.errors,
        blocking=0 if overridden else blocking,
        jobs=verdict.jobs,
        author=author_of(pull),
        draft=bool(pull["draft"]),
        labels=tuple(label["name"] for label in pull["labels"]),
        touches=published.touches,
        before=published.sight,
        decisions=decisions,
    )


async def sweep_label(
    client: Client, roles: Roles, repository: str, pull: Any, facts: Facts
) -> SweepLabel:
    """Decide about a pull request's label, asking GitHub only where the facts leave it open.

    Raises GitHubError: GitHub did not answer. What it refuses to tell is unknown.
    """
    decided = decide(facts)
    if decided is None:
        decided = decide(facts, await _answers(client, roles, repository, pull, facts))
    assert decided is not None, "with answers there is a decision"
    return decided


async def _answers(
    client: Client, roles: Roles, repository: str, pull: Any, facts: Facts
) -> Answers:
    labels = facts.policy.labels
    role = await _told(roles.role(client, repository, facts.author))
    approved = facts.head in of_kind(facts.decisions, "sweep-approved")
    if not approved and (role is None or not at_least(role, labels.permission)):
        return Answers(role, None, None)  # enough to decide
    exists = await _told(has_label(client, repository, labels.automatic))
    running = await _told(running_sweeps(client, repository, pull, facts.policy))
    return Answers(role, exists, running)


async def _told(question: Awaitable[T]) -> T | None:
    """Return an answer; None where GitHub refuses to give it."""
    try:
        return await question
    except GitHubBusy:
        raise
    except GitHubRefused as error:
        log.warning("not_told", reason=str(error))
        return None


async def has_label(client: Client, repository: str, name: str) -> bool:
    """Tell whether a repository has a label: setting one that it lacks would make it."""
    place = {"repository": repository, "per_page": "100"}
    async for label in client.getiter("/repos/{+repository}/labels{?per_page}", place):
        if label["name"].casefold() == name.casefold():
            return True
    return False


async def running_sweeps(
    client: Client, repository: str, pull: Any, policy: Policy
) -> tuple[WorkflowRun, ...]:
    """Return the sweeps of a pull request's branch that wait or run.

    Workflows cancel what they have running when a label that they know is set or taken off.
    """
    if not policy.sweeps.workflows:
        return ()
    found = await unfinished(client, repository, head_of(pull))
    return of_workflows(found, policy.sweeps.workflows)


def just_set(repository: str, number: int) -> bool:
    """Tell whether we set labels a moment ago, so that GitHub may not show their run yet."""
    return (repository, number) in _changed


async def change_labels(client: Client, repository: str, number: int, change: LabelChange) -> int:
    """Take labels off and put labels on; return how many writes it took.

    Raises GitHubError: GitHub did not answer, or refuses.
    """
    place = {"repository": repository, "number": str(number)}
    url = "/repos/{+repository}/issues/{number}/labels"
    for name in change.remove:
        try:
            await client.delete(url + "/{name}", {**place, "name": name})
        except GitHubRefused as error:
            if error.status != 404:  # somebody else took it off
                raise
    if change.add:
        await client.post(url, place, data={"labels": list(change.add)})
        _changed[repository, number] = True
    return len(change.remove) + bool(change.add)
