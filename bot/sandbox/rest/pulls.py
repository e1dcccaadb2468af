"""Pull requests, and their labels."""

from bot.sandbox.answers import Answer, RefusedError, page
from bot.sandbox.conversation import add_labels, remove_label
from bot.sandbox.delivery import Json
from bot.sandbox.git import GitError
from bot.sandbox.rest.routes import Call, Input, Routes
from bot.sandbox.shapes.accounts import label
from bot.sandbox.shapes.files import diff_entry
from bot.sandbox.shapes.pulls import pull_request, pull_request_simple
from bot.sandbox.state import PullRequest

routes = Routes()
LABELS = "/repos/{owner}/{repo}/issues/{issue_number}/labels"


@routes.add("GET", "/repos/{owner}/{repo}/pulls/{pull_number}")
async def get_pull(call: Call) -> Answer:
    """One pull request."""
    return Answer(await pull_request(call.site.state, call.readable_pull))


@routes.add("GET", "/repos/{owner}/{repo}/pulls/{pull_number}/files")
async def list_files(call: Call) -> Answer:
    """The files that a pull request changes, with their patches."""
    pull = call.readable_pull
    changed = await pull.repository.git.diff(pull.merge_base, pull.head_sha)
    return page(list(changed), call.url, lambda it: diff_entry(call.site.state, pull, it))


@routes.add("GET", "/repos/{owner}/{repo}/pulls")
async def list_pulls(call: Call) -> Answer:
    """Pull requests, newest first; open ones unless `state` says otherwise."""
    query = call.url.query
    wanted = query.get("state", "open")
    found = [
        pull
        for pull in call.repository.pulls.values()
        if wanted in ("all", pull.state)
        and query.get("base", pull.base_ref) == pull.base_ref
        and query.get("head", _head(pull)) == _head(pull)
    ]
    found.sort(key=lambda pull: pull.id, reverse=query.get("direction", "desc") == "desc")
    return page(found, call.url, lambda it: pull_request_simple(call.site.state, it))


def _head(pull: PullRequest) -> str:
    return f"{pull.head_repository.owner.login}:{pull.head_ref}"


@routes.add("GET", "/repos/{owner}/{repo}/commits/{commit_sha}/pulls")
async def list_pulls_of_commit(call: Call) -> Answer:
    """The pull requests that a commit belongs to."""
    repository, wanted = call.repository, call.parameters["commit_sha"]
    commit = repository.git.resolve(wanted)
    if commit is None:
        raise RefusedError(422, f"No commit found for SHA: {wanted}")
    found = [pull for pull in repository.pulls.values() if _contains(pull, commit)]
    return page(found, call.url, lambda it: pull_request_simple(call.site.state, it))


def _contains(pull: PullRequest, commit: str) -> bool:
    try:
        own = pull.repository.git.commits(pull.merge_base, pull.head_sha)
    except GitError:
        return commit == pull.head_sha
    return commit in own or commit == pull.merge_sha


class Labels(Input):
    """Names of labels to add."""

    labels: list[str]


def _shown(call: Call, pull: PullRequest) -> list[Json]:
    return [label(call.site.state, pull.repository, it) for it in pull.labels]


@routes.add("GET", "/repos/{owner}/{repo}/labels")
async def list_repository_labels(call: Call) -> Answer:
    """The labels that the repository has."""
    repository = call.repository
    return page(
        list(repository.labels.values()),
        call.url,
        lambda it: label(call.site.state, repository, it),
    )


@routes.add("GET", LABELS)
async def list_labels(call: Call) -> Answer:
    """The labels of a pull request."""
    return page(_shown(call, call.pull), call.url, lambda it: it)


@routes.add("POST", LABELS)
async def create_labels(call: Call) -> Answer:
    """Add labels."""
    pull = call.pull
    await add_labels(call.site, pull, call.read(Labels).labels, call.bot)
    return Answer(_shown(call, pull))


@routes.add("DELETE", LABELS + "/{name}")
async def delete_label(call: Call) -> Answer:
    """Remove a label."""
    pull = call.pull
    if not await remove_label(call.site, pull, call.parameters["name"], call.bot):
        raise RefusedError(404, "Label does not exist")
    return Answer(_shown(call, pull))
