"""`/reuse-sweep-run [<run id>]`: the older name of `/use`, which may leave the run out."""

from itertools import islice

from bot.commands import Answer, Asked, refused
from bot.commands.use import choose, place_of
from bot.runs import head_of, runs_of_branch
from bot.sweeps import Place, looked_at
from checks.sweeps.reuse import unfit
from checks.sweeps.runs import newest, of_workflows
from checks.text import text

MOST_LISTED = 300
MOST_TRIED = 10  # each takes some requests


async def act(asked: Asked) -> Answer:
    """Choose the run that is named, or else the newest of the pull request that succeeded.

    It need not be of the head: to merge the target branch into the pull request takes no sweep.
    """
    place = await place_of(asked)
    if (why := unfit(place.labels, place.sweeps)) is not None:
        return refused(text("No sweep can be reused now: {why}.", why=why))
    run = asked.arguments.run or await _newest(place)
    if run is None:
        return refused(
            text(
                "No sweep of this pull request's commits has succeeded and can be reused; {command}"
                " takes one of which jobs failed.",
                command="/use <run id>",
            )
        )
    return await choose(asked, place, run)


async def _newest(place: Place) -> int | None:
    found, _ = await runs_of_branch(
        place.client, place.repository, head_of(place.pull), MOST_LISTED
    )
    every = newest(of_workflows(found, place.sweeps.workflows))
    green = (run for run in every if run.conclusion == "success" and run.head_sha in place.commits)
    for run in islice(green, MOST_TRIED):
        if (await looked_at(place, run.id)).why_not is None:
            return run.id
    return None
