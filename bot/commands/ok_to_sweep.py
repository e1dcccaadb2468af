"""`/ok-to-sweep [<head SHA>]`: let exactly one commit be measured.

What counts is the commit that whoever says it has looked at. Nothing but its full SHA tells which
one that was: a branch can be moved while somebody writes, also back to a commit that was there
before, and the beginning of a SHA can be made to fit another commit.
"""

from bot.commands import Answer, Asked, done, refused
from checks.decisions import of_kind
from checks.text import text


async def act(asked: Asked) -> Answer:
    """Approve the head if its full SHA is given; an earlier approval ends."""
    head, given = asked.head, asked.arguments.head or ""
    if given != head:
        return _look(asked, given)
    for earlier in of_kind(await asked.decisions(), "sweep-approved"):
        if earlier != head:
            await asked.desk.ledger.undo(asked.key, "sweep-approved", earlier)
    await asked.decide("sweep-approved", head)
    return done()


def _look(asked: Asked, given: str) -> Answer:
    """Say what to look at, and what to say then."""
    head, base = asked.head, asked.pull["base"]["sha"]
    command = f"/ok-to-sweep {head}"
    if head.startswith(given):
        words = text(
            "Look at the commit {head}, then name it: {command}", head=head[:7], command=command
        )
        return refused(words, page=_compare(asked, base, head))
    words = text(
        "You approved {old}, and the head is {new}. Look at what is new, then say {command}.",
        old=given[:7],
        new=head[:7],
        command=command,
    )
    return refused(words, page=_compare(asked, given, head))


def _compare(asked: Asked, old: str, new: str) -> str:
    url = asked.desk.reviewer.settings.github_url
    return f"{url}/{asked.key.repository}/compare/{old}...{new}"
