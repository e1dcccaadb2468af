"""Which of several open pull requests at one commit says whether it passes.

GitHub keeps check runs and statuses by commit, and branch protection asks for the newest of a name:
https://docs.github.com/en/rest/guides/using-the-rest-api-to-interact-with-checks. Without an order
among them, a pull request into a branch with a mild policy, or none, would open the gate of every
other one with the same head.
"""

from __future__ import annotations

from typing import Any

from bot.github import Client, GitHubBusy, GitHubRefused
from bot.keys import PullRequestKey
from bot.ledger import Ledger

_OF_COMMIT = "/repos/{+repository}/commits/{head}/pulls{?per_page}"
_PULL = "/repos/{+repository}/pulls/{number}"


async def speaker(client: Client, ledger: Ledger, key: PullRequestKey, pull: Any) -> int:
    """Return the number of the pull request whose verdict stands at the head of `pull`.

    That is one into the default branch before all others, and of several the first. Raises
    GitHubError, StoreError.
    """
    head, found = pull["head"]["sha"], {key.number: pull}
    # GitHub does not find all commits of forks, but deliveries tell of their pull requests.
    numbers = {*await ledger.pull_requests_at(key.repository, head)}
    numbers |= await _of_commit(client, key.repository, head)
    for number in numbers - {key.number}:
        place = {"repository": key.repository, "number": str(number)}
        try:
            other = await client.getitem(_PULL, place)
        except GitHubRefused as error:
            if not error.gone:
                raise
            continue
        if other["state"] == "open" and other["head"]["sha"] == head:
            found[number] = other
    return min(found, key=lambda number: (_aside(found[number]), number))


async def _of_commit(client: Client, repository: str, head: str) -> set[int]:
    place = {"repository": repository, "head": head, "per_page": "100"}
    try:
        return {pull["number"] async for pull in client.getiter(_OF_COMMIT, place)}
    except GitHubBusy:
        raise
    except GitHubRefused:  # a commit that it does not know, or a permission that is missing
        return set()


def _aside(pull: Any) -> bool:
    base = pull["base"]
    return bool(base["ref"] != base["repo"]["default_branch"])
