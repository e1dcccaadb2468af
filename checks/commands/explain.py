"""`/explain <rule>`: the documentation of a rule."""

from dataclasses import dataclass

from checks.commands.arguments import at_most, rule
from checks.commands.spec import Command
from checks.comment.words import Arguments
from checks.text import text


@dataclass(frozen=True, slots=True)
class Explain:
    """Which rule to explain."""

    rule: str


def read(args: Arguments) -> Explain:
    """Read the name of a rule."""
    name = rule(args, 0)
    at_most(args, 1)
    return Explain(name)


COMMAND = Command(
    name="explain",
    usage="/explain <rule>",
    summary=text("Says what a rule finds, why it matters and what to do instead."),
    permission="read",
    read=read,
    closed=True,
)
