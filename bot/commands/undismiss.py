"""`/undismiss <finding>`: count a dismissed finding again."""

from bot.commands import Answer, Asked, done, refused
from checks.decisions import of_kind
from checks.text import text


async def act(asked: Asked) -> Answer:
    """Take back the decision about a finding, named by its fingerprint or its rule."""
    desk, key = asked.desk, asked.key
    decisions = await asked.decisions()
    verdict = await desk.reviewer.judge(asked.client, key, asked.pull)
    wanted = asked.arguments.finding
    of_rule = {f.fingerprint for f in verdict.report.findings if f.rule == wanted}
    meant = [
        each
        for each in of_kind(decisions, "dismissed")
        if each.startswith(wanted) or each in of_rule
    ]
    if not meant and not asked.resumed:
        return refused(text("No finding called {finding} is dismissed.", finding=wanted))
    for each in meant:
        await desk.ledger.undo(key, "dismissed", each)
    await desk.jobs.mark(key, at_once=True)
    return done()
