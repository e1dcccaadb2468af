"""`/rerun`: run failed, all or some jobs of the newest runs again."""

from dataclasses import dataclass
from typing import Literal

from checks.commands.arguments import at_most, bad, run_id
from checks.commands.spec import BadArgumentError, Command
from checks.comment.words import Arguments
from checks.text import text, visible


@dataclass(frozen=True, slots=True)
class Rerun:
    """What to run again: ``jobs`` is a glob of job names, byte for byte as it was typed."""

    scope: Literal["failed", "all", "run", "jobs"]
    run: int | None = None
    jobs: str | None = None


def read(args: Arguments) -> Rerun:
    """Read a word, a run, or a glob; names of jobs have spaces, so a glob is all there is."""
    if not len(args):
        return Rerun("failed")
    if (scope := args[0]) in {"failed", "all"}:
        at_most(args, 1)
        return Rerun("all" if scope == "all" else "failed")
    try:
        run = run_id(args, 0)
    except BadArgumentError:
        return Rerun("jobs", jobs=_glob(args))
    at_most(args, 1)
    return Rerun("run", run)


def _glob(args: Arguments) -> str:
    glob = args[0] if len(args) == 1 else args.raw
    if visible(glob) != glob:
        raise bad(args, 0, text("a job's name has no invisible characters: {glob}.", glob=glob))
    return glob


COMMAND = Command(
    name="rerun",
    usage="/rerun [failed|all|<run id>|<job glob>]",
    summary=text("Runs the failed jobs of the newest runs again, or all, one run, or some jobs."),
    permission="write",
    read=read,
)
