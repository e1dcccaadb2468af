"""`/check`: review again, whatever was said before."""

from bot.commands import Answer, Asked, started


async def act(asked: Asked) -> Answer:
    """Ask for a review; it speaks for itself."""
    await asked.desk.jobs.mark(asked.key, at_once=True)
    return started()
