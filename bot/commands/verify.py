"""`/verify [<comment URL>]`: judge the sign-off again; its signer's own binds it to the head."""

from bot.commands import Answer, Asked, done, refused
from bot.published import read_published
from bot.sign_offs import subject
from checks.decisions import Decision
from checks.publication import Spoken
from checks.text import text


async def act(asked: Asked) -> Answer:
    """Bind what the sender signed to the head that this was said at; judge again in any case."""
    await asked.desk.jobs.mark(asked.key, at_once=True)
    settings = asked.desk.reviewer.settings
    published = await read_published(asked.client, asked.pull, settings)
    mine = [said for said in published.spoken if _is_meant(said, asked)]
    if not mine:
        return done()
    head = await asked.head_then()
    if not head:
        return refused(
            text(
                "Which commit was the newest when you wrote this is not known, so your sign-off is"
                " bound to none; say {command} once more.",
                command="/verify",
            )
        )
    for said in mine:
        by, url = asked.said.sender, asked.said.url
        decision = Decision("signed", subject(said.comment), by, "", head, url)
        await asked.desk.ledger.decide(asked.key, decision)
    await asked.desk.jobs.mark(asked.key, at_once=True)
    return done()


def _is_meant(said: Spoken, asked: Asked) -> bool:
    """Tell whether the sender wrote it, and means it; nobody can verify for somebody else."""
    wanted = asked.arguments.url
    own = said.comment.author == asked.said.sender and said.url != asked.said.url
    return own and (not wanted or said.url == wanted)
