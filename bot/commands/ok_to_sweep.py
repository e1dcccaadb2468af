"""`/ok-to-sweep [<head SHA>]`: let exactly one commit be measured.

What counts is the commit that whoever says it could see. A comment does not tell which one that
was, so a head that we had not reviewed by then needs its full SHA.
"""

from bot.commands import Answer, Asked, done, refused
from bot.published import first_seen
from checks.decisions import of_kind
from checks.text import text


async def act(asked: Asked) -> Answer:
    """Approve the head if it is the commit that was meant; an earlier approval ends."""
    head, given = asked.head, asked.arguments.head
    command = f"/ok-to-sweep {head}"
    if given is not None and not head.startswith(given):
        words = text(
            "You approved {old}, and the head is {new}. Look at what is new, then say {command}.",
            old=given[:7],
            new=head[:7],
            command=command,
        )
        return refused(words, page=f"{_repository(asked)}/compare/{given}...{head}")
    # The beginning of a SHA can be made to fit another commit.
    if given != head and not await _could_be_seen(asked):
        words = text(
            "You may not have seen {head}, which came when you wrote. Look at it, then say"
            " {command}.",
            head=head[:7],
            command=command,
        )
        return refused(words, page=f"{asked.pull['html_url']}/commits/{head}")
    await _approve(asked)
    return done()


async def _could_be_seen(asked: Asked) -> bool:
    app_id = asked.desk.reviewer.settings.app_id
    seen = await first_seen(asked.client, asked.key.repository, asked.head, app_id)
    return seen is not None and seen < asked.said.written_at


async def _approve(asked: Asked) -> None:
    for earlier in of_kind(await asked.decisions(), "sweep-approved"):
        if earlier != asked.head:
            await asked.desk.ledger.undo(asked.key, "sweep-approved", earlier)
    await asked.decide("sweep-approved", asked.head)


def _repository(asked: Asked) -> str:
    return f"{asked.desk.reviewer.settings.github_url}/{asked.key.repository}"
