"""`/dismiss <finding> <reason>`: do not count a finding, for a reason that stays on record."""

from dataclasses import dataclass

from checks.commands.arguments import finding, reason
from checks.commands.spec import Command
from checks.comment.words import Arguments
from checks.text import text


@dataclass(frozen=True, slots=True)
class Dismiss:
    """Which finding, by the name of its rule or the beginning of its fingerprint, and why."""

    finding: str
    reason: str


def read(args: Arguments) -> Dismiss:
    """Read a finding and a sentence."""
    return Dismiss(finding(args, 0), reason(args, 1))


COMMAND = Command(
    name="dismiss",
    usage="/dismiss <finding> <reason>",
    summary=text("Stops counting a finding, named by its rule or its fingerprint."),
    permission="write",
    read=read,
)
