"""`/help`: what the person who asks may do here, now."""

from bot.commands import Answer, Asked, done, forbidden
from checks.commands.registry import all_commands
from checks.render import Voice
from checks.text import code, text


async def act(asked: Asked) -> Answer:
    """List the commands that would run."""
    voice = Voice(asked.policy.languages)
    rows = [
        f"- {code(command.usage)}: {voice.inline(command.summary)}"
        for command in all_commands().values()
        if forbidden(asked, command) is None
    ]
    words = text(
        "{login}, these commands run for you here, each at the start of a line:",
        login=asked.said.sender,
    )
    return done(words, page="\n".join(rows))
