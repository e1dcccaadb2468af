"""`/sweep`: ask for a benchmark sweep of this pull request, or for none."""

from dataclasses import dataclass

from checks.commands.arguments import at_most, one_of
from checks.commands.spec import Command
from checks.comment.words import Arguments
from checks.policy_types import KINDS
from checks.sweeps.swap import NONE
from checks.text import text

WORDS = (*KINDS, NONE)


@dataclass(frozen=True, slots=True)
class Sweep:
    """Which kind of sweep; None for the one that the policy prefers."""

    kind: str | None


def read(args: Arguments) -> Sweep:
    """Read a kind of sweep, if there is one."""
    kind = one_of(args, 0, WORDS) if len(args) else None
    at_most(args, 1)
    return Sweep(kind)


COMMAND = Command(
    name="sweep",
    usage=f"/sweep [{'|'.join(WORDS)}]",
    summary=text("Sets the label that starts a sweep of this kind, or takes it away."),
    permission="write",
    read=read,
)
