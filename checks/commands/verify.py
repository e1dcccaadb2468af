"""`/verify [<comment URL>]`: judge the sign-off again; its signer's own binds it to the head."""

import re
from dataclasses import dataclass

from checks.commands.arguments import at_most, bad
from checks.commands.spec import Command
from checks.comment.words import Arguments
from checks.text import text

_COMMENT = re.compile(r"https?://\S+#(?:issuecomment-|pullrequestreview-|discussion_r)\d{1,18}")


@dataclass(frozen=True, slots=True)
class Verify:
    """Which comment, by its address; "" for all of whoever asks."""

    url: str = ""


def read(args: Arguments) -> Verify:
    """Read the address of a comment, or nothing."""
    if args and not _COMMENT.fullmatch(args[0]):
        raise bad(args, 0, text("the address of a comment goes here, as its date links to it."))
    at_most(args, 1)
    return Verify(args[0] if args else "")


COMMAND = Command(
    name="verify",
    usage="/verify [<comment URL>]",
    summary=text("Judges the sign-off again; your own then holds for the newest commit."),
    permission="read",
    read=read,
)
