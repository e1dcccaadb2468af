"""The button "Apply fixes": commit every mechanical fix to the pull request's branch.

Whoever presses it sees an outcome: the commit, or a neutral check run `referee/fix` at the head
that says why nothing was committed. Only a press whose wish has come true in another way, such
as the second of two, ends without a word.
"""

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import structlog

from bot.damage import SnapshotError
from bot.github import GraphQLError, InstallationClient
from bot.judge import JudgeError
from bot.keys import FixKey
from bot.permission import Roles, at_least
from bot.pull_request import is_own_branch
from bot.queries import COMMIT
from bot.review import Reviewer, read_pull
from bot.verdict import Verdict
from checks.fix import Fixed
from checks.render import Voice, utf8
from checks.text import Text, text

log = structlog.get_logger()
ANSWER_NAME = "referee/fix"


class BranchMovedError(Exception):
    """The branch moved while the fixes were made; the job is tried again and sees the new head."""


@dataclass(frozen=True, slots=True)
class Fixer:
    """Commits fixes; the push that this makes brings the next review."""

    reviewer: Reviewer

    async def apply(self, key: FixKey) -> None:
        """Commit the fixes for the head that the person saw, if it is still the head.

        GitHub commits only on top of that head (`expectedHeadOid`), so a repeated press or a
        crash after the commit changes nothing more.

        Raises:
            GitHubError, MirrorError, StaleMirrorError, BranchMovedError: to be tried again.

        """
        client = self.reviewer.github.installation(key.installation_id)
        pull = await read_pull(client, key)
        if pull is None:
            return
        if pull["state"] != "open":
            log.info("fix_refused", key=str(key), reason="The pull request is closed.")
            return
        try:
            verdict = await self.reviewer.judge(client, key, pull, fix="*")
        except (JudgeError, SnapshotError) as error:
            await self._answer(client, key, pull, _not_made(str(error)), Voice())
            return
        refusal = await _carry_out(client, self.reviewer.roles, key, pull, verdict)
        if refusal is not None:
            await self._answer(client, key, pull, refusal, Voice(verdict.languages))

    async def give_up(self, key: FixKey, reason: str) -> None:
        """Say why nothing was committed. Raises GitHubError."""
        client = self.reviewer.github.installation(key.installation_id)
        pull = await read_pull(client, key)
        if pull is not None and pull["state"] == "open":
            await self._answer(client, key, pull, _not_made(reason), Voice())

    async def _answer(
        self, client: InstallationClient, key: FixKey, pull: Any, why: Text, voice: Voice
    ) -> None:
        """Say at the head why nothing was committed; what its newest answer says is not repeated.

        It is a check run of its own, so that it cannot cross a review of the same pull request.
        """
        log.info("fix_refused", key=str(key), reason=str(why))
        head, summary = pull["head"]["sha"], voice.paragraphs(why)
        identity = hashlib.sha256(summary.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        if await self._newest_answer(client, key, head) == identity:
            return
        title = voice.inline(text("Nothing was committed"))
        run = {
            "name": ANSWER_NAME,
            "head_sha": head,
            "external_id": identity,
            "status": "completed",
            "conclusion": "neutral",
            "output": {"title": title, "summary": summary},
        }
        place = {"repository": key.repository}
        await client.post("/repos/{+repository}/check-runs", place, data=run)

    async def _newest_answer(
        self, client: InstallationClient, key: FixKey, head: str
    ) -> str | None:
        """Return the identity of our newest answer at a commit."""
        answer = await client.getitem(
            "/repos/{+repository}/commits/{head}/check-runs{?check_name,app_id,filter}",
            {
                "repository": key.repository,
                "head": head,
                "check_name": ANSWER_NAME,
                "app_id": str(self.reviewer.settings.app_id),
                "filter": "latest",
            },
        )
        newest = max(answer["check_runs"], key=lambda run: int(run["id"]), default=None)
        return newest["external_id"] if newest else None


async def _carry_out(
    client: InstallationClient, roles: Roles, key: FixKey, pull: Any, verdict: Verdict
) -> Text | None:
    """Commit what can be fixed; return why nothing was committed if somebody has to know."""
    assert verdict.fixed is not None
    head, files = pull["head"]["sha"], committable(verdict.fixed)
    if not is_own_branch(pull):
        return text("The branch is in another repository, to which Referee cannot commit.")
    role = await roles.role(client, key.repository, key.login)
    if not at_least(role, "write"):
        return text("{login} may not write to this repository.", login=key.login)
    if head != key.sha and files:
        return text(
            "The fixes for {pressed} were asked for, but {head} was pushed before they were made."
            " Press the button again for those that are left.",
            pressed=key.sha[:7],
            head=head[:7],
        )
    if head != key.sha:
        log.info("fix_refused", key=str(key), reason="The head moved and has nothing to fix.")
        return None
    if not files:
        return text("No finding can be fixed mechanically any more.")
    return await commit(client, key, pull["head"]["ref"], verdict.fixed)


def _not_made(reason: str) -> Text:
    return text("The fixes could not be made: {reason}", reason=reason)


def committable(fixed: Fixed) -> Mapping[str, bytes]:
    """Return the files that GitHub's API can commit."""
    return {path: content for path, content in fixed.files.items() if utf8(path)}


async def commit(client: InstallationClient, key: FixKey, branch: str, fixed: Fixed) -> Text | None:
    """Commit in one go on top of `key.sha`; return why GitHub did not take it.

    Raises:
        GitHubError: to be tried again.
        BranchMovedError: somebody pushed.

    """
    files = committable(fixed)
    rules = "\n".join(sorted({f"- {finding.rule}" for finding in fixed.findings}))
    additions = [
        {"path": path, "contents": base64.b64encode(content).decode()}
        for path, content in files.items()
    ]
    commit = {
        "branch": {"repositoryNameWithOwner": key.repository, "branchName": branch},
        "expectedHeadOid": key.sha,
        "fileChanges": {"additions": additions},
        "message": {
            "headline": "Apply Referee's fixes",
            "body": f"Asked by {key.login}.\n\n{rules}",
        },
    }
    try:
        await client.graphql(COMMIT, input=commit)
    except GraphQLError as error:
        if "STALE_DATA" in error.types:
            raise BranchMovedError(
                f"{key.repository}: {branch} is not at {key.sha[:7]}."
            ) from error
        if "" in error.types:  # what GitHub refuses has a type; its own trouble has none
            raise
        return text(
            "GitHub did not take the commit: {reason}. The App needs the permission to write"
            " contents, and the rules of the branch must let it commit; then press again.",
            reason="; ".join(str(each["message"]) for each in error.errors).rstrip("."),
        )
    log.info("fixed", key=str(key), files=len(files))
    return None
