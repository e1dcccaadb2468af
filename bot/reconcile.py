"""Mark every open pull request that the App can see: at start and on a timer.

Deliveries get lost and databases too; since a review writes only differences, looking again
costs little and repeats nothing.
"""

import asyncio

import structlog

from bot.attention import PullRequestKey
from bot.github import GitHub, GitHubError
from bot.jobs import Jobs

log = structlog.get_logger()


async def reconcile(github: GitHub, jobs: Jobs) -> int:
    """Mark the open pull requests of all installations; return how many.

    Raises:
        GitHubError: GitHub did not answer, or not as hoped.
        StoreError: the store cannot be written.

    """
    marked = 0
    # https://docs.github.com/en/rest/apps/apps#list-installations-for-the-authenticated-app
    async for installation in github.app.getiter("/app/installations?per_page=100"):
        if installation["suspended_at"]:
            continue
        number = installation["id"]
        client = github.installation(number)
        repositories = client.getiter(
            "/installation/repositories?per_page=100", iterable_key="repositories"
        )
        async for repository in repositories:
            name = repository["full_name"]
            async for pull in client.getiter(
                "/repos/{+name}/pulls?state=open&per_page=100", {"name": name}
            ):
                await jobs.mark(PullRequestKey(number, name, pull["number"]))
                marked += 1
    return marked


async def keep_reconciling(github: GitHub, jobs: Jobs, every_seconds: float) -> None:
    """Reconcile now and every so many seconds until cancelled; trouble is logged, not fatal."""
    while True:
        try:
            log.info("reconciled", open_pull_requests=await reconcile(github, jobs))
        except GitHubError as error:
            log.warning("not_reconciled", reason=str(error))
        await asyncio.sleep(every_seconds)
