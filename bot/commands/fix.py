"""`/fix [rule]`: commit or suggest the mechanical fixes."""

from bot.commands import Answer, Asked, done, refused
from bot.fix import commit, committable
from bot.keys import FixKey
from bot.pull_request import is_own_branch
from checks.text import text


async def act(asked: Asked) -> Answer:
    """Commit to a branch of the repository; on a fork the review's suggestions must do."""
    key, rules = asked.key, asked.arguments.rules or "*"
    verdict = await asked.desk.reviewer.judge(asked.client, key, asked.pull, fix=rules)
    assert verdict.fixed is not None
    if not committable(verdict.fixed):
        if asked.resumed:  # they were committed before we were cut short
            return done()
        return done(text("No finding can be fixed mechanically."))
    if not is_own_branch(asked.pull):
        await asked.desk.jobs.mark(key, at_once=True)
        return refused(
            text(
                "The branch is in another repository, to which Referee cannot commit; the review"
                " has the fixes as suggestions for its author to commit."
            )
        )
    fix = FixKey(key.installation_id, key.repository, key.number, asked.head, asked.said.sender)
    refusal = await commit(asked.client, fix, asked.pull["head"]["ref"], verdict.fixed)
    return done() if refusal is None else refused(refusal)
