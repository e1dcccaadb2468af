"""`/override <gate>: <reason>`: let a gate pass once, on record, until the next push."""

import re
from dataclasses import dataclass

from checks.commands.arguments import bad
from checks.commands.spec import Command
from checks.comment.words import Arguments
from checks.text import text

GATES = ("review", "signoff")
# The full-width colon is the one on a Chinese keyboard.
_FORM = re.compile(r"(?P<gate>[^\s:：]+)\s*[:：]\s*(?P<reason>.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Override:
    """Which gate, and why."""

    gate: str
    reason: str


def read(args: Arguments) -> Override:
    """Read a gate, a colon, and a sentence."""
    found = _FORM.fullmatch(args.raw)
    gate = found["gate"].strip("`") if found else ""
    if found is None or gate not in GATES:
        raise bad(
            args, 0, text("a gate and a colon go here; gates are {gates}.", gates=", ".join(GATES))
        )
    if not found["reason"]:
        raise bad(args, len(args), text("the reason goes here, for those who read this later."))
    return Override(gate, found["reason"])


COMMAND = Command(
    name="override",
    usage="/override <gate>: <reason>",
    summary=text("Lets a gate pass for this commit, on record; a push ends it."),
    permission="maintain",
    read=read,
)
