"""`/use <run id>`: merge with the results of this run."""

from bot.commands import Answer, Asked, done, refused
from bot.sweeps import CHOICE, Place, looked_at
from checks.text import text


async def act(asked: Asked) -> Answer:
    """Choose the run, if all its results can be reused."""
    return await choose(asked, await place_of(asked), asked.arguments.run)


async def place_of(asked: Asked) -> Place:
    """Return where to look for runs."""
    commits = await asked.desk.reviewer.commits(asked.client, asked.key, asked.pull)
    policy = asked.policy
    return Place(
        asked.client, asked.key.repository, asked.pull, commits, policy.sweeps, policy.labels
    )


async def choose(asked: Asked, place: Place, run: int) -> Answer:
    """Keep the choice of a run, or say why it cannot be made."""
    number = str(run)
    reuse = await looked_at(place, run)
    if reuse.why_not is not None:
        return refused(text("Run {run} cannot be reused: {why}.", run=number, why=reuse.why_not))
    await asked.decide("reuse", CHOICE, number)
    if not reuse.partial:
        return done()
    return done(text("Jobs of run {run} failed: the merge goes without their results.", run=number))
