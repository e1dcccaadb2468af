"""The button "Apply fixes": commit every mechanical fix to the pull request's branch."""

import base64
from dataclasses import dataclass

import structlog

from bot.attention import FixKey
from bot.github import InstallationClient
from bot.queries import COMMIT
from bot.review import Reviewer, is_own_branch
from checks.fix import Fixed

log = structlog.get_logger()
MAY_COMMIT = {"write", "maintain", "admin"}


@dataclass(frozen=True, slots=True)
class Fixer:
    """Commits fixes; the push that this makes brings the next review."""

    reviewer: Reviewer

    async def apply(self, key: FixKey) -> None:
        """Commit the fixes for the head that the person saw, if it is still the head.

        GitHub commits only on top of that head (`expectedHeadOid`), so a repeated press or a
        crash after the commit changes nothing more.

        Raises:
            GitHubError, MirrorError, StaleMirrorError: to be tried again.

        """
        client = self.reviewer.github.installation(key.installation_id)
        if not await _may_commit(client, key):
            log.info("fix_refused", key=str(key), reason="no permission to write")
            return
        place = {"repository": key.repository, "number": str(key.number)}
        pull = await client.getitem("/repos/{+repository}/pulls/{number}", place)
        if pull["state"] != "open" or pull["head"]["sha"] != key.sha or not is_own_branch(pull):
            log.info("fix_refused", key=str(key), reason="the head moved, closed or is a fork's")
            return
        verdict = await self.reviewer.judge(client, key, pull, fix=True)
        assert verdict.fixed is not None
        if verdict.fixed.files:
            await _commit(client, key, pull["head"]["ref"], verdict.fixed)
            log.info("fixed", key=str(key), files=len(verdict.fixed.files))


async def _may_commit(client: InstallationClient, key: FixKey) -> bool:
    # https://docs.github.com/en/rest/collaborators/collaborators#get-repository-permissions-for-a-user
    answer = await client.getitem(
        "/repos/{+repository}/collaborators/{login}/permission",
        {"repository": key.repository, "login": key.login},
    )
    return answer["permission"] in MAY_COMMIT or answer.get("role_name") in MAY_COMMIT


async def _commit(client: InstallationClient, key: FixKey, branch: str, fixed: Fixed) -> None:
    rules = "\n".join(sorted({f"- {finding.rule}" for finding in fixed.findings}))
    body = f"Asked by {key.login}.\n\n{rules}"
    additions = [
        {"path": path, "contents": base64.b64encode(content).decode()}
        for path, content in fixed.files.items()
    ]
    commit = {
        "branch": {"repositoryNameWithOwner": key.repository, "branchName": branch},
        "expectedHeadOid": key.sha,
        "fileChanges": {"additions": additions},
        "message": {"headline": "Apply Referee's fixes", "body": body},
    }
    await client.graphql(COMMIT, input=commit)
