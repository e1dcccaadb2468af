"""What happens when somebody gives a command: one file each, named as the command.

A file's `act` carries the command out. It may be called again after a crash in the middle, so
whatever it does must be the same when done twice. Grammar and rights are in `checks/commands`.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from bot.comments import Said
from bot.damage import SnapshotError
from bot.github import GitHubBusy, GitHubRefused, InstallationClient
from bot.jobs import Jobs
from bot.judge import JudgeError
from bot.keys import PullRequestKey, RunsKey
from bot.ledger import Ledger
from bot.permission import Role, at_least
from bot.published import read_published
from bot.pull_request import author_of, is_own_branch
from bot.review import Reviewer
from checks.commands.registry import all_commands
from checks.commands.spec import BadArgumentError, Command
from checks.comment.words import Arguments
from checks.decisions import MAX_REASON, Decision, Kind, merged
from checks.policy import Policy
from checks.signoff.version import version
from checks.text import Text, as_json, from_json, text

Reaction = Literal["rocket", "+1", "confused"]
OF_RUNS = {"unofficial", "reuse"}


@dataclass(frozen=True, slots=True)
class Desk:
    """What all commands share."""

    reviewer: Reviewer
    jobs: Jobs
    ledger: Ledger


@dataclass(frozen=True, slots=True)
class Asked:
    """One command, who gave it where, and the pull request as GitHub's API tells of it.

    Args:
        desk: what all commands share.
        client: GitHub as the installation sees it.
        pull: the pull request.
        policy: of the target branch.
        said: the comment.
        role: what the sender may do in the repository.
        arguments: what the command's grammar made of its words.
        resumed: whether it was cut short before, so that it may be half done.
        position: which of the comment's commands it is, from 0.

    """

    desk: Desk
    client: InstallationClient
    pull: Any
    policy: Policy
    said: Said
    role: Role
    arguments: Any
    resumed: bool
    position: int = 0

    @property
    def key(self) -> PullRequestKey:
        """Return the pull request's key."""
        return self.said.pull_request

    @property
    def head(self) -> str:
        """Return the pull request's head when the command was carried out."""
        return str(self.pull["head"]["sha"])

    async def head_then(self) -> str:
        """Return the head that deliveries had told of before the command; "" if nobody knows.

        Only commands are asked about whose words `bot.comments.may_sign` takes note of.
        """
        told = await self.desk.ledger.heads_said_at(self.key)
        return told.get((self.said.place, self.said.id, version(self.said.body)), "")

    async def decisions(self) -> tuple[Decision, ...]:
        """Return what people decided about the pull request. Raises GitHubError."""
        settings = self.desk.reviewer.settings
        published = await read_published(self.client, self.pull, settings)
        return merged(published.decisions, await self.desk.ledger.known(self.key))

    async def decide(self, kind: Kind, subject: str, reason: str = "") -> None:
        """Keep a decision of whoever gave the command, and let the next review show it."""
        said = self.said
        shown = reason[:MAX_REASON]
        decision = Decision(kind, subject, said.sender, shown, self.head, said.url)
        key = self.key
        await self.desk.ledger.decide(key, decision)
        if kind in OF_RUNS:
            runs = RunsKey(key.installation_id, key.repository, key.number)
            await self.desk.jobs.mark(runs, at_once=True)
        # What is shown of runs needs no review, which would only be in its way.
        await self.desk.jobs.mark(key, at_once=kind not in OF_RUNS)


@dataclass(frozen=True, slots=True)
class Answer:
    """How a command ended: a reaction, and words only when there is something to say.

    `rows` follow the words as a list, `page` after them is Markdown of ours.
    """

    reaction: Reaction
    words: Text | None = None
    rows: tuple[Text, ...] = ()
    page: str = ""


def done(words: Text | None = None, *rows: Text, page: str = "") -> Answer:
    """Say that what was asked for is done."""
    return Answer("+1", words, rows, page)


def started(words: Text | None = None, *rows: Text) -> Answer:
    """Say that what was asked for has begun and goes on elsewhere."""
    return Answer("rocket", words, rows)


def refused(words: Text, *rows: Text, page: str = "") -> Answer:
    """Say why nothing was done."""
    return Answer("confused", words, rows, page)


def forbidden(asked: Asked, command: Command) -> Text | None:
    """Say why a command may not run here now, for this person."""
    said, rights = asked.said, command.rights(asked.policy)
    if said.before is not None and said.sender != said.author:
        return text(
            "{editor} edited what {author} wrote; only {author} can give commands there.",
            editor=said.sender,
            author=said.author,
        )
    if not rights.enabled:
        return text("The policy of this repository switches {command} off.", command=command.usage)
    if asked.pull["state"] != "open" and not command.closed:
        return text("This pull request is closed.")
    if rights.author and said.sender == author_of(asked.pull) and _may_push(asked):
        return None
    wanted: Role = rights.permission or "admin"
    if at_least(asked.role, wanted):
        return None
    return _too_little(asked, command, wanted)


def _may_push(asked: Asked) -> bool:
    """Tell whether the branch is its author's to change.

    Members of an organisation may open pull requests from branches that they cannot push to:
    https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/proposing-changes-to-your-work-with-pull-requests/creating-a-pull-request
    """
    return not is_own_branch(asked.pull) or at_least(asked.role, "write")


def _too_little(asked: Asked, command: Command, wanted: Role) -> Text:
    login, shown, role = asked.said.sender, f"/{command.name}", asked.role
    if asked.said.by_app:
        return text(
            "{login} may not use {command}: it needs the role {wanted}, and the policy gives it"
            " {role}.",
            login=login,
            command=shown,
            wanted=wanted,
            role=role,
        )
    return text(
        "{login} may not use {command}: it needs the role {wanted}, and GitHub says {role}.",
        login=login,
        command=shown,
        wanted=wanted,
        role=role,
    )


Act = Callable[[Asked], Awaitable[Answer]]


async def carry_out(name: str, asked: Asked) -> Answer:
    """Run the command of that name.

    Raises:
        GitHubError, MirrorError, StoreError: to be tried again. What GitHub refuses for good, and
            what cannot be judged, is an answer.

    """
    act: Act = import_module(f"bot.commands.{name.replace('-', '_')}").act
    try:
        return await act(asked)
    except (GitHubRefused, JudgeError, SnapshotError) as error:
        if (why := why_not(error)) is not None:
            return why
        if isinstance(error, GitHubBusy):
            raise
        return refused(text("GitHub refused: {reason}", reason=str(error)))


def why_not(error: GitHubRefused | JudgeError | SnapshotError) -> Answer | None:
    """Return the answer to a command that will not do either when it is tried again, if so."""
    if not isinstance(error, GitHubRefused):
        return refused(text("This pull request cannot be judged: {reason}", reason=str(error)))
    return refused(not_permitted(error.lacks)) if error.lacks else None


def not_permitted(permission: str) -> Text:
    """Say which permission the App was not given."""
    return text(
        "GitHub does not let Referee do this: its App needs the permission {permission}.",
        permission=permission,
    )


def read_arguments(name: str, raw: str) -> tuple[Any, Text | None]:
    """Return a command's arguments, or what is wrong with them. Runs in the worker process."""
    command = all_commands()[name]
    try:
        return command.read(Arguments.of(raw)), None
    except BadArgumentError as error:
        return None, error.message(command.usage)


def answer_json(answer: Answer) -> str:
    """Return an answer as the ledger keeps it."""
    words = as_json(answer.words) if answer.words else None
    rows = [as_json(row) for row in answer.rows]
    kept = {"reaction": answer.reaction, "words": words, "rows": rows, "page": answer.page}
    return json.dumps(kept)


def answer_from(kept: str) -> Answer:
    """Return the answer that `answer_json` wrote down."""
    found = json.loads(kept)
    words = from_json(found["words"]) if found["words"] else None
    return Answer(found["reaction"], words, tuple(map(from_json, found["rows"])), found["page"])
