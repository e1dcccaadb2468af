"""`/signoff`: post the current checklist to fill in."""

from bot.commands import Answer, Asked, done, refused
from checks.render import MAX_COMMENT, fenced
from checks.signoff.template import form_of
from checks.text import text

ROOM_FOR_WORDS = 2_000  # with a long path and a long branch, in all languages


async def act(asked: Asked) -> Answer:
    """Answer with the target branch's checklist, to copy: posted by us it signs nothing."""
    layouts = asked.policy.layouts.values()
    paths = [path for layout in layouts for path in layout.checklist]
    found = await asked.desk.reviewer.file(asked.client, asked.key, asked.pull, paths)
    if found is None:
        return refused(text("This repository has no checklist to sign."))
    path, content = found
    judges, phrase = asked.desk.reviewer.judges, asked.policy.sign_off.phrase
    page = fenced("markdown", await judges.call(form_of, content, phrase))
    if len(page) > MAX_COMMENT - ROOM_FOR_WORDS:
        return refused(text("The checklist {path} is too long for a comment.", path=path))
    words = text(
        "This is the checklist of {branch} ({path}). Copy it, tick what you have reviewed, and post"
        " it as a comment of your own.",
        branch=asked.pull["base"]["ref"],
        path=path,
    )
    return done(words, page=page)
