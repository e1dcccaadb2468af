"""`/fix [rule]`: commit or suggest the mechanical fixes."""

from dataclasses import dataclass

from checks.commands.arguments import at_most, rules
from checks.commands.spec import Command
from checks.comment.words import Arguments
from checks.text import text


@dataclass(frozen=True, slots=True)
class Fix:
    """The name or glob of the rules whose findings to fix; None for all."""

    rules: str | None


def read(args: Arguments) -> Fix:
    """Read the name of a rule or a glob, if there is one."""
    at_most(args, 1)
    return Fix(rules(args, 0) if len(args) else None)


COMMAND = Command(
    name="fix",
    usage="/fix [<rule or glob>]",
    summary=text("Commits every mechanical fix, or those of one rule; on a fork, suggests them."),
    permission="write",
    author=True,
    read=read,
)
