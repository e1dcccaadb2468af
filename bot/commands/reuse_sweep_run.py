"""`/reuse-sweep-run [<run id>]`: the older name of `/use`, which may leave the run out."""

from bot.commands import Answer, Asked, refused
from bot.commands.use import choose, place_of
from bot.runs import head_of, runs_of_branch
from bot.sweeps import Place, looked_at
from checks.sweeps.runs import newest, of_workflows
from checks.text import text

MOST_LISTED = 300


async def act(asked: Asked) -> Answer:
    """Choose the run that is named, or else the newest of the pull request that succeeded.

    It need not be of the head: to merge the target branch into the pull request takes no sweep.
    """
    place = await place_of(asked)
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
    for run in newest(of_workflows(found, place.sweeps.workflows)):
        if run.conclusion != "success" or run.head_sha not in place.commits:
            continue
        if (await looked_at(place, run.id)).why_not is None:
            return run.id
    return None
