"""`/reuse-sweep-run [<run id>]`: the older name of `/use`, which may leave the run out."""

from dataclasses import dataclass

from checks.commands.arguments import at_most, run_id
from checks.commands.spec import Command
from checks.comment.words import Arguments
from checks.text import text


@dataclass(frozen=True, slots=True)
class ReuseSweepRun:
    """The id of a workflow run; None for the newest that succeeded and can be reused."""

    run: int | None


def read(args: Arguments) -> ReuseSweepRun:
    """Read a run, if there is one."""
    run = run_id(args, 0) if len(args) else None
    at_most(args, 1)
    return ReuseSweepRun(run)


COMMAND = Command(
    name="reuse-sweep-run",
    usage="/reuse-sweep-run [<run id>]",
    summary=text(
        "Chooses the run whose results are reused; without an id, the newest that succeeded."
    ),
    permission="write",
    read=read,
)
