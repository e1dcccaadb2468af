"""`/override <gate>: <reason>`: let a gate pass once, on record, until the next push.

With `signoff:<obligation>`, only that obligation of a sign-off counts as met.
"""

import re
from dataclasses import dataclass

from checks.commands.arguments import bad
from checks.commands.spec import Command
from checks.comment.words import Arguments
from checks.signoff.registry import all_obligations
from checks.text import text

SIGN_OFF = "signoff"
GATES = ("review", SIGN_OFF)
# The full-width colon is the one on a Chinese keyboard.
_FORM = re.compile(r"(?P<gate>[^\s:：]+)\s*[:：](?P<rest>.*)", re.DOTALL)
_PART = re.compile(
    r"\s*`?(?P<part>[A-Za-z][A-Za-z0-9-]*)`?(?P<colon>\s*[:：])?\s*(?P<reason>.*)", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Override:
    """Which gate or ``signoff:<obligation>``, and why."""

    gate: str
    reason: str


def read(args: Arguments) -> Override:
    """Read a gate, the obligation that is meant alone, a colon, and a sentence."""
    found = _FORM.fullmatch(args.raw)
    gate = found["gate"].strip("`") if found else ""
    if found is None or gate not in GATES:
        raise bad(
            args, 0, text("a gate and a colon go here; gates are {gates}.", gates=tuple(GATES))
        )
    reason = found["rest"].strip()
    if gate == SIGN_OFF and (part := _part(args, found["rest"])):
        gate, reason = f"{gate}:{part['part'].lower()}", part["reason"]
    if not reason:
        raise bad(args, len(args), text("the reason goes here, for those who read this later."))
    return Override(gate, reason)


def _part(args: Arguments, rest: str) -> re.Match[str] | None:
    """Return the obligation that stands behind the gate; None for a reason.

    What may be either is an obligation, which opens less.
    """
    found = _PART.fullmatch(rest)
    known = tuple(dict.fromkeys(each.name for each in all_obligations()))
    if found and found["part"].lower() in known and found["colon"]:
        return found
    if found is None or rest[:1].isspace():
        return None
    raise bad(
        args,
        0,
        text(
            "behind the gate goes a space and the reason, or an obligation, a colon and the reason;"
            " obligations are {obligations}.",
            obligations=tuple(known),
        ),
    )


COMMAND = Command(
    name="override",
    usage="/override <gate>: <reason>",
    summary=text(
        "Lets a gate, or one obligation such as signoff:evals, pass for this commit, on record; a"
        " push ends it."
    ),
    permission="maintain",
    read=read,
)
