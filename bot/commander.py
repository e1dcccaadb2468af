"""Carry out the commands that a comment gives, each once, in order, and answer there.

Whoever wrote it sees 👀 at once, then 🚀, 👍 or 😕, and one comment of ours when there is
something to say. Nothing runs for what we say ourselves, for bots that the policy does not name,
or when somebody edits another one's words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import structlog

from bot.answer import react, reply
from bot.commands import (
    Answer,
    Asked,
    Desk,
    answer_from,
    answer_json,
    carry_out,
    forbidden,
    read_arguments,
    why_not,
)
from bot.comments import Said, read_said
from bot.damage import SnapshotError
from bot.github import GitHubRefused, InstallationClient
from bot.judge import JudgeError
from bot.keys import CommentKey
from bot.ledger import Order, Turn
from bot.permission import Role, Roles, at_least
from bot.review import read_pull
from checks.commands.registry import all_commands
from checks.comment.parse import Call, Inert, Parsed, parse
from checks.comment.reasons import Reason
from checks.render import MAX_COMMENT, Voice, within
from checks.text import code, text

log = structlog.get_logger()
# For the name of a command and `_NO_ROOM`, in all languages.
ROOM_FOR_EACH = 1_200
MOST_OF_A_STRANGER, AN_HOUR = 30, 3600.0
_NO_ROOM = text("There is no room for this answer here. Ask again in a comment of its own.")


@dataclass(frozen=True, slots=True)
class Step:
    """One command of a comment: where it stands, and how it went or goes."""

    order: Order
    call: Call | Inert
    turn: Turn
    answer: Answer | None


@dataclass(frozen=True, slots=True)
class Commander:
    """Runs commands; see `bot.commands` for what each of them does."""

    desk: Desk
    roles: Roles

    async def run(self, key: CommentKey) -> None:
        """Carry out the commands of one version of a comment.

        Raises:
            GitHubError, MirrorError, StoreError: to be tried again; what is done stays done.

        """
        stored = await self.desk.jobs.delivered(key.guid)
        if stored is None:
            log.warning("comment_gone", key=str(key))
            return
        said = read_said(*stored)
        parsed = parse(said.body, before=said.before, names=all_commands())
        calls: list[Call | Inert] = [*parsed.commands, *_misspelt(said, parsed)]
        if not calls:
            return
        steps = await self._begun(said, calls, key.guid)
        if any(step.turn is Turn.DUPLICATE for step in steps):
            log.info("duplicate", comment=said.url, delivery=key.guid)
            return
        client = self.desk.reviewer.github.installation(key.installation_id)
        if not await self._overheard(client, said):
            await self._answer(client, said, steps)

    async def _overheard(self, client: InstallationClient, said: Said) -> bool:
        """Tell whether a stranger says too much to be heard, which is said once.

        Each answer costs writes, of which GitHub takes 500 an hour for all pull requests.
        """
        repository = said.pull_request.repository
        count = await self.desk.ledger.comments_of(said.sender, repository, AN_HOUR)
        if said.bot or count <= MOST_OF_A_STRANGER:
            return False
        if at_least(await self.roles.role(client, repository, said.sender), "triage"):
            return False
        log.warning("overheard", comment=said.url, by=said.sender)
        if count == MOST_OF_A_STRANGER + 1:
            words = text(
                "{login} gave commands in more than {most} comments within an hour; the next ones"
                " are not heard until an hour after.",
                login=said.sender,
                most=MOST_OF_A_STRANGER,
            )
            await reply(client, said, Voice().paragraphs(words), maybe_there=True)
        return True

    async def give_up(self, key: CommentKey, reason: str) -> None:
        """Say below the comment that its commands were not, or not all, carried out.

        A bot gets no answer. Raises GitHubError, StoreError.
        """
        stored = await self.desk.jobs.delivered(key.guid)
        if stored is None or (said := read_said(*stored)).bot:
            return
        parsed = parse(said.body, before=said.before, names=all_commands())
        steps = await self._begun(said, parsed.commands, key.guid)
        left = [step for step in steps if step.answer is None and step.turn is not Turn.DUPLICATE]
        if not left:
            return
        given = tuple(f"/{command.name}" for command in parsed.commands)
        words = text(
            "Referee could not carry out {commands}: {reason} That is no mistake of yours. Nothing"
            " more is tried; say it again to have it tried again.",
            commands=given,
            reason=reason,
        )
        client = self.desk.reviewer.github.installation(key.installation_id)
        await react(client, said, "confused")
        await reply(client, said, Voice().paragraphs(words), maybe_there=True)
        for step in left:
            await self.desk.ledger.end(step.order, answer_json(Answer("confused", words)))

    async def _begun(self, said: Said, calls: Sequence[Call | Inert], guid: str) -> list[Step]:
        orders = [Order(said, position, call.text) for position, call in enumerate(calls)]
        begun = await self.desk.ledger.begin(orders, guid)
        return [
            Step(order, call, turn, answer_from(outcome) if outcome else None)
            for order, call, (turn, outcome) in zip(orders, calls, begun, strict=True)
        ]

    async def _answer(self, client: InstallationClient, said: Said, steps: Sequence[Step]) -> None:
        """Acknowledge, run what has not run, and say how it went."""
        if not said.bot:
            await react(client, said, "eyes")
        try:
            asked = await self._asked(client, said)
        except (GitHubRefused, JudgeError, SnapshotError) as error:
            if said.bot or (why := why_not(error)) is None:
                raise
            await _say(client, said, steps[:1], [why], Voice())
            return
        if asked is None:
            return
        answers = [step.answer or await self._run(asked, step) for step in steps]
        await _say(client, said, steps, answers, Voice(asked.policy.languages))

    async def _asked(self, client: InstallationClient, said: Said) -> Asked | None:
        """Return what the commands need to know; None when nobody is to be answered."""
        pull = await read_pull(client, said.pull_request)
        if pull is None:
            return None
        policy = await self.desk.reviewer.policy(client, said.pull_request, pull)
        given = policy.allowed_apps.get(str(said.app_id))
        if said.bot and given is None:
            log.info("bot_ignored", comment=said.url, app=said.app_id)
            return None
        role = await self._role(client, said, given)
        return Asked(self.desk, client, pull, policy, said, role, None, resumed=False)

    async def _role(self, client: InstallationClient, said: Said, given: Role | None) -> Role:
        """Return the role of the sender; GitHub tells none of an App, so that the policy gives it.

        Whoever writes through an App keeps their own.
        """
        if given is not None and said.by_app:
            return given
        return await self.roles.role(client, said.pull_request.repository, said.sender)

    async def _run(self, asked: Asked, step: Step) -> Answer:
        answer = await self._carried_out(asked, step)
        log.info(
            "command",
            command=step.call.text,
            by=asked.said.sender,
            role=asked.role,
            comment=asked.said.url,
            outcome=answer.reaction,
        )
        await self.desk.ledger.end(step.order, answer_json(answer))
        return answer

    async def _carried_out(self, asked: Asked, step: Step) -> Answer:
        if isinstance(step.call, Inert):
            return _no_such_command(step.call)
        command = all_commands()[step.call.name]
        if (why := forbidden(asked, command)) is not None:
            return Answer("confused", why)
        judges = self.desk.reviewer.judges
        arguments, problem = await judges.call(read_arguments, command.name, step.call.args)
        if problem is not None:
            return Answer("confused", problem)
        asked = replace(
            asked,
            arguments=arguments,
            resumed=step.turn is Turn.RESUMED,
            position=step.order.position,
        )
        return await carry_out(command.name, asked)


async def _say(
    client: InstallationClient,
    said: Said,
    steps: Sequence[Step],
    answers: Sequence[Answer],
    voice: Voice,
) -> None:
    """Answer with at most one comment, and with the reactions."""
    words = _words(voice, steps, answers)
    if words:
        again = any(step.turn is not Turn.NEW for step in steps)
        await reply(client, said, words, maybe_there=again)
    for reaction in sorted({answer.reaction for answer in answers}):
        await react(client, said, reaction)


def _misspelt(said: Said, parsed: Parsed) -> Iterator[Inert]:
    """Yield what was surely meant as a command; of an edit, only what it brought."""
    known: set[str] = set()
    if said.before is not None:
        known = {each.text for each in parse(said.before, names=all_commands()).inert}
    for each in parsed.inert:
        if each.reason is Reason.UNKNOWN_NAME and each.suggestion and each.text not in known:
            yield each


def _no_such_command(found: Inert) -> Answer:
    name = found.text.split()[0]
    close = f"/{found.suggestion}"
    words = text(
        "There is no command {name}; did you mean {close}? Nothing was done.",
        name=name,
        close=close,
    )
    return Answer("confused", words)


def _words(voice: Voice, steps: Sequence[Step], answers: Sequence[Answer]) -> str:
    """Return what to say about all commands, in one comment; "" when the reactions say it all."""
    said = [_said(voice, answer) for answer in answers]
    if len(steps) == 1:
        return said[0]
    parts = []
    room = MAX_COMMENT - ROOM_FOR_EACH * len(steps)
    for step, words in zip(steps, said, strict=True):
        if not words:
            continue
        fits = len(words) <= room
        room -= len(words) if fits else 0
        shown = words if fits else voice.paragraphs(_NO_ROOM)
        parts.append(f"**{code(step.call.text)}**\n\n{shown}")
    return "\n\n".join(parts)


def _said(voice: Voice, answer: Answer) -> str:
    parts = [voice.paragraphs(answer.words)] if answer.words is not None else []
    rows = [f"- {voice.inline(row)}" for row in answer.rows]
    shown = within(rows, MAX_COMMENT // 2)
    if len(shown) < len(rows):
        shown.append("- " + voice.inline(text("and {count} more", count=len(rows) - len(shown))))
    if shown:
        parts.append("\n".join(shown))
    if answer.page:
        parts.append(answer.page)
    return "\n\n".join(parts)
