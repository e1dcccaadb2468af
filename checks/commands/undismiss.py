"""`/undismiss <finding>`: count a dismissed finding again."""

from dataclasses import dataclass

from checks.commands.arguments import at_most, finding
from checks.commands.spec import Command
from checks.comment.words import Arguments
from checks.text import text


@dataclass(frozen=True, slots=True)
class Undismiss:
    """Which finding, by the name of its rule or the beginning of its fingerprint."""

    finding: str


def read(args: Arguments) -> Undismiss:
    """Read a finding."""
    which = finding(args, 0)
    at_most(args, 1)
    return Undismiss(which)


COMMAND = Command(
    name="undismiss",
    usage="/undismiss <finding>",
    summary=text("Counts a dismissed finding again."),
    permission="write",
    read=read,
)
