"""`/use <run id>`: merge with the results of this run."""

from dataclasses import dataclass

from checks.commands.arguments import at_most, run_id
from checks.commands.spec import Command
from checks.comment.words import Arguments
from checks.text import text


@dataclass(frozen=True, slots=True)
class Use:
    """The id of a workflow run."""

    run: int


def read(args: Arguments) -> Use:
    """Read a run."""
    run = run_id(args, 0)
    at_most(args, 1)
    return Use(run)


COMMAND = Command(
    name="use",
    usage="/use <run id>",
    summary=text("Chooses the run whose results are reused at the merge."),
    permission="write",
    read=read,
)
