"""`/use <run id>`: merge with the results of this run."""

from bot.commands import Answer, Asked, done, refused
from bot.sweeps import CHOICE, Place, why_not_run
from checks.text import text


async def act(asked: Asked) -> Answer:
    """Choose the run, if all its results can be reused."""
    return await choose(asked, await place_of(asked), asked.arguments.run)


async def place_of(asked: Asked) -> Place:
    """Return where to look for runs."""
    commits = await asked.desk.reviewer.commits(asked.client, asked.key, asked.pull)
    return Place(asked.client, asked.key.repository, asked.pull, commits, asked.policy.sweeps)


async def choose(asked: Asked, place: Place, run: int) -> Answer:
    """Keep the choice of a run, or say why it cannot be made."""
    number = str(run)
    why = await why_not_run(place, run)
    if why is not None:
        return refused(text("Run {run} cannot be reused: {why}.", run=number, why=why))
    await asked.decide("reuse", CHOICE, number)
    return done()
