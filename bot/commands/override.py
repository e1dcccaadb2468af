"""`/override <gate>: <reason>`: let a gate pass once, on record, until the next push."""

from bot.commands import Answer, Asked, done


async def act(asked: Asked) -> Answer:
    """Keep the decision; whoever keeps the gate reads it, for this head only."""
    await asked.decide("overridden", asked.arguments.gate, asked.arguments.reason)
    return done()
