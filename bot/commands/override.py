"""`/override <gate>: <reason>`: let a gate pass once, on record, until the next push."""

from bot.commands import Answer, Asked, done, refused
from checks.text import text


async def act(asked: Asked) -> Answer:
    """Keep the decision for the head that it was said at; a push since then ends it at once."""
    then, now, command = await asked.head_then(), asked.head, f"/override {asked.arguments.gate}:"
    if not then:
        await asked.desk.jobs.mark(asked.key, at_once=True)
        return refused(
            text(
                "Which commit was the newest when you wrote this is not known; say {command} once"
                " more.",
                command=command,
            )
        )
    if then != now:
        return refused(
            text(
                "You approved {old}, and the head is {new}. Look at what is new, then say"
                " {command}.",
                old=then[:7],
                new=now[:7],
                command=command,
            )
        )
    await asked.decide("overridden", asked.arguments.gate, asked.arguments.reason)
    return done()
