"""Commit statuses, as the App and workflows write them."""

from typing import Annotated, Literal

from pydantic import Field

from bot.sandbox.answers import Answer, RefusedError, page, validation_failed
from bot.sandbox.checks import set_status
from bot.sandbox.rest.routes import Call, Input, Routes
from bot.sandbox.shapes.checks import commit_status

routes = Routes()
MOST = 1_000  # of a context at a commit: https://docs.github.com/en/rest/commits/statuses
LONGEST = 140


class NewStatus(Input):
    """A status to create."""

    state: Literal["error", "failure", "pending", "success"]
    target_url: str | None = None
    description: str | None = None
    context: Annotated[str, Field(min_length=1)] = "default"


@routes.add("POST", "/repos/{owner}/{repo}/statuses/{sha}")
async def create_status(call: Call) -> Answer:
    """Say how a commit stands."""
    repository, wanted, sha = call.repository, call.read(NewStatus), call.parameters["sha"]
    if repository.git.resolve(sha) != sha:
        raise RefusedError(422, f"No commit found for SHA: {sha}")
    if len(wanted.description or "") > LONGEST:
        message = f"description is too long (maximum is {LONGEST} characters)"
        raise validation_failed("Status", "custom", "description", message)
    context = wanted.context.casefold()
    if sum((it.sha, it.context.casefold()) == (sha, context) for it in repository.statuses) >= MOST:
        message = "This SHA and context has reached the maximum number of statuses."
        raise validation_failed("Status", "custom", "context", message)
    made = set_status(
        call.site, repository, sha, call.bot,
        wanted.context, wanted.state, wanted.description, wanted.target_url,
    )  # fmt: skip
    return Answer(commit_status(call.site.state, repository, made), status=201)


@routes.add("GET", "/repos/{owner}/{repo}/commits/{ref}/statuses")
async def list_statuses(call: Call) -> Answer:
    """The statuses of a commit, the newest first."""
    repository = call.repository
    sha = repository.git.resolve(call.parameters["ref"])
    found = [each for each in reversed(repository.statuses) if each.sha == sha]
    return page(found, call.url, lambda it: commit_status(call.site.state, repository, it))
