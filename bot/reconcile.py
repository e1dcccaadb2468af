"""Mark every open pull request that the App can see: at start and on a timer.

Deliveries get lost and databases too; since a review writes only differences, looking again
costs little and repeats nothing.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import structlog

from bot.github import GitHub, GitHubError, GitHubRefused
from bot.jobs import Jobs, StoreError
from bot.keys import PullRequestKey
from checks.permissions import lacking

log = structlog.get_logger()


async def reconcile(github: GitHub, jobs: Jobs) -> int:
    """Mark the open pull requests of all installations; return how many.

    A repository or installation that GitHub refuses is logged and does not hide the others.

    Raises:
        GitHubError: the App's installations cannot be listed.
        StoreError: the store cannot be written.

    """
    marked = 0
    # https://docs.github.com/en/rest/apps/apps#list-installations-for-the-authenticated-app
    async for installation in github.app.getiter("/app/installations?per_page=100"):
        if installation["suspended_at"]:
            continue
        _tell_lacking(installation)
        try:
            async for key in _open_pull_requests(github, installation["id"]):
                await jobs.look_again(key)
                marked += 1
        except GitHubError as error:
            log.warning("not_reconciled", installation=installation["id"], reason=str(error))
    return marked


def _tell_lacking(installation: Any) -> None:
    """Log what an installation does not grant: its pull requests may be out of our reach."""
    if lacks := sorted(lacking(installation["permissions"])):
        log.warning("permissions_lacking", installation=installation["id"], permissions=lacks)


async def _open_pull_requests(github: GitHub, installation: int) -> AsyncIterator[PullRequestKey]:
    client = github.installation(installation)
    repositories = client.getiter(
        "/installation/repositories?per_page=100", iterable_key="repositories"
    )
    async for repository in repositories:
        if repository["archived"]:  # nothing can be written there
            continue
        name = repository["full_name"]
        url = "/repos/{+name}/pulls?state=open&per_page=100"
        try:
            async for pull in client.getiter(url, {"name": name}):
                yield PullRequestKey(installation, name, pull["number"])
        except GitHubRefused as error:
            log.warning("not_reconciled", repository=name, reason=str(error))


async def keep(
    look: Callable[[], Awaitable[int]],
    every_seconds: float,
    sleep: Callable[[float], Awaitable[None]],
    *,
    done: str,
    failed: str,
) -> None:
    """Look now and every so many seconds until cancelled; trouble is logged, not fatal.

    `done` and `failed` are the words for the log; what was found is counted there.
    """
    while True:
        try:
            log.info(done, count=await look())
        except (GitHubError, StoreError) as error:
            log.warning(failed, reason=str(error))
        except Exception:  # an answer of an unknown shape; the next round must still come
            log.exception(failed)
        await sleep(every_seconds)
