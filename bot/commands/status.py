"""`/status`: the state of the pull request at a glance."""

from bot.commands import Answer, Asked, done, not_permitted, refused
from bot.published import read_published
from checks.decisions import Decision, merged
from checks.text import Text, text


async def act(asked: Asked) -> Answer:
    """Answer with what stands on GitHub now, and what people decided."""
    desk, key = asked.desk, asked.key
    published = await read_published(asked.client, asked.pull, desk.reviewer.settings)
    run = published.check_run
    if "checks=write" in await asked.client.lacks():
        return refused(not_permitted("checks=write"))
    if run is None or not run.completed:
        await desk.jobs.mark(key)
        return done(
            text("{head} is not reviewed yet; a review is on its way.", head=asked.head[:7])
        )
    words = text("{head} is reviewed:", head=asked.head[:7])
    decisions = merged(published.decisions, await desk.ledger.known(key))
    return done(words, *map(_row, decisions), page=_page(asked, run.title, published.sticky_id))


def _page(asked: Asked, title: str, sticky: int | None) -> str:
    """Return the title of our check run, which is ours to repeat, and where all the rest stands."""
    return title if sticky is None else f"{title}\n\n{asked.pull['html_url']}#issuecomment-{sticky}"


def _row(decision: Decision) -> Text:
    return text(
        "{kind}: {subject}, by {login}: {reason}",
        kind=decision.kind,
        subject=decision.subject,
        login=decision.by,
        reason=decision.reason or "–",
    )
