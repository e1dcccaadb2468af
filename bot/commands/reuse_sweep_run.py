"""`/reuse-sweep-run [<run id>]`: the older name of `/use`, which may leave the run out."""

from bot.commands import Answer, Asked, refused
from bot.commands.use import choose, place_of
from bot.runs import head_of, runs_at
from bot.sweeps import Place, why_not_run
from checks.sweeps.runs import newest, of_workflows
from checks.text import text


async def act(asked: Asked) -> Answer:
    """Choose the run that is named, or else the newest of the head that can be reused."""
    place = await place_of(asked)
    run = asked.arguments.run or await _newest(place)
    if run is None:
        return refused(
            text("No run of {head} can be reused; name one with its id.", head=asked.head[:7])
        )
    return await choose(asked, place, run)


async def _newest(place: Place) -> int | None:
    found = await runs_at(place.client, place.repository, head_of(place.pull))
    for run in newest(of_workflows(found, place.sweeps.workflows)):
        if await why_not_run(place, run.id) is None:
            return run.id
    return None
