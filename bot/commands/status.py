"""`/status`: the state of the pull request at a glance."""

from bot.commands import Answer, Asked, done, not_permitted, refused
from bot.commands.use import place_of
from bot.damage import SnapshotError
from bot.judge import JudgeError
from bot.mirror import MirrorError
from bot.published import read_published
from bot.sweeps import runs_section
from checks.decisions import Decision, Decisions, merged
from checks.render import Voice
from checks.sweeps.section import Runs
from checks.text import Text, text

ROOM = 10_000  # characters of what is said of runs


async def act(asked: Asked) -> Answer:
    """Answer with what stands on GitHub now, and what people decided."""
    desk, key = asked.desk, asked.key
    published = await read_published(asked.client, asked.pull, desk.reviewer.settings)
    run = published.check_run
    if "checks=write" in await asked.client.lacks():
        return refused(not_permitted("checks=write"))
    if run is None or not run.completed:
        await desk.jobs.mark(key, at_once=True)
        return done(
            text("{head} is not reviewed yet; a review is on its way.", head=asked.head[:7])
        )
    words = text("{head} is reviewed:", head=asked.head[:7])
    decisions = merged(published.decisions, await desk.ledger.known(key))
    page = _page(asked, run.title, published.sticky_id, await _runs(asked, decisions))
    return done(words, *map(_row, decisions), page=page)


async def _runs(asked: Asked, decisions: Decisions) -> Runs:
    try:
        return await runs_section(await place_of(asked), decisions)
    except (MirrorError, JudgeError, SnapshotError) as error:
        trouble = text("Runs cannot be shown: {reason}", reason=str(error))
        return Runs((), asked.policy.sweeps, trouble=trouble)


def _page(asked: Asked, title: str, sticky: int | None, runs: Runs) -> str:
    """Return our check run's title, which is ours to repeat, where the rest stands, the runs."""
    where = "" if sticky is None else f"{asked.pull['html_url']}#issuecomment-{sticky}"
    said = runs.markdown(Voice(asked.policy.languages), ROOM)
    return "\n\n".join(filter(None, (title, where, said)))


def _row(decision: Decision) -> Text:
    return text(
        "{kind}: {subject}, by {login}: {reason}",
        kind=decision.kind,
        subject=decision.subject,
        login=decision.by,
        reason=decision.reason or "–",
    )
