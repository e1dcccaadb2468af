"""Commits that the App makes through the API.

https://docs.github.com/en/graphql/reference/mutations#createcommitonbranch
"""

import base64
import binascii
from dataclasses import dataclass
from typing import Any

from bot.sandbox.auth import Viewer
from bot.sandbox.branches import push
from bot.sandbox.delivery import Json
from bot.sandbox.git import GitError
from bot.sandbox.graphql_errors import TypedError
from bot.sandbox.permissions import FORBIDDEN
from bot.sandbox.site import Site
from bot.sandbox.state import Repository


@dataclass(frozen=True)
class Made:
    """A commit and the branch that it is on."""

    repository: Repository
    branch: str
    commit: str


def decoded(value: Any) -> bytes:
    """The bytes behind a Base64String.

    Raises ValueError when it is none.
    """
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, TypeError) as error:
        raise ValueError("It is no base64.") from error


async def commit_on_branch(site: Site, viewer: Viewer, given: Json) -> Made:
    """Commit files on top of a branch's expected head and move the branch; tells of the push.

    Raises TypedError: STALE_DATA when the branch has another head, FORBIDDEN without
    `contents: write`, NOT_FOUND or UNPROCESSABLE for what does not fit.
    """
    repository = _repository(site, viewer, given["branch"].get("repositoryNameWithOwner") or "")
    branch = (given["branch"].get("branchName") or "").removeprefix("refs/heads/")
    head = repository.git.resolve(f"refs/heads/{branch}")
    if head is None:
        raise TypedError("NOT_FOUND", f"Could not resolve to a branch with the name '{branch}'.")
    if head != given["expectedHeadOid"]:
        expected = f'Expected branch to point to "{given["expectedHeadOid"]}" but it did not.'
        raise TypedError("STALE_DATA", f"{expected}  Pull and try again.")
    tree = _tree(repository, head, given.get("fileChanges") or {})
    text = "\n\n".join(filter(None, (given["message"].get(it) for it in ("headline", "body"))))
    bot = site.state.app.bot
    commit = repository.git.commit(tree, [head], text, bot.login, site.state.clock())
    await push(site, repository, branch, commit, bot)
    return Made(repository, branch, commit)


def _repository(site: Site, viewer: Viewer, name: str) -> Repository:
    """The repository, for an installation that may commit to it."""
    found, own = site.state.repository(name), viewer.installation
    if found is None or own is None or found.installation is not own:
        raise TypedError("NOT_FOUND", f"Could not resolve to a Repository with the name '{name}'.")
    if not own.may("contents=write"):
        raise TypedError("FORBIDDEN", FORBIDDEN)
    return found


def _tree(repository: Repository, head: str, changes: Json) -> str:
    additions = {it["path"]: it["contents"] for it in changes.get("additions") or ()}
    deletions = [it["path"] for it in changes.get("deletions") or ()]
    try:
        return repository.git.write(head, additions, deletions)
    except GitError as error:
        raise TypedError("UNPROCESSABLE", str(error)) from error
