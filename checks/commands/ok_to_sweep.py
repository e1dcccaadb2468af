"""`/ok-to-sweep [<head SHA>]`: let one commit of a fork be measured."""

import re
from dataclasses import dataclass

from checks.commands.arguments import at_most, bad
from checks.commands.spec import Command
from checks.comment.words import Arguments
from checks.text import text


@dataclass(frozen=True, slots=True)
class OkToSweep:
    """The commit, or the beginning of its SHA; None for the head when the comment was written."""

    head: str | None


def read(args: Arguments) -> OkToSweep:
    """Read a commit, if there is one."""
    if not len(args):
        return OkToSweep(None)
    if not re.fullmatch(r"[0-9a-fA-F]{7,40}", args[0]):
        raise bad(args, 0, text("the SHA of a commit goes here, at least seven digits of it."))
    at_most(args, 1)
    return OkToSweep(args[0].lower())


COMMAND = Command(
    name="ok-to-sweep",
    usage="/ok-to-sweep [<head SHA>]",
    summary=text("Lets exactly this commit of a fork be measured; a push ends it."),
    permission="maintain",
    read=read,
)
