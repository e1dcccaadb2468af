"""`/explain <rule>`: the documentation of a rule."""

from bot.commands import Answer, Asked, done
from checks.docs import rule_markdown
from checks.registry import find_rule


async def act(asked: Asked) -> Answer:
    """Answer with the page of the rule."""
    return done(page=await asked.desk.reviewer.judges.call(page_of, asked.arguments.rule))


def page_of(name: str) -> str:
    """Return the page of a rule that there is. Runs in the worker, where all rules are at hand."""
    rule = find_rule(name)
    assert rule is not None
    return rule_markdown(rule).replace("# ", "### ", 1)
