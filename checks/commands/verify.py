"""`/verify [<comment URL>]`: check a sign-off again."""

import re
from dataclasses import dataclass
from typing import Literal

from checks.commands.arguments import at_most, bad
from checks.commands.spec import Command
from checks.comment.words import Arguments
from checks.text import text

_URL = re.compile(
    r"https://[^\s/?#]+/(?P<repository>[\w.-]+/[\w.-]+)/(?:pull|issues)/(?P<number>[1-9][0-9]{0,9})"
    r"(?:/[\w/]*)?#(?P<kind>issuecomment-|pullrequestreview-|discussion_r)(?P<id>[1-9][0-9]{0,17})"
)
Kind = Literal["comment", "review", "review comment"]
_KINDS: dict[str, Kind] = {
    "issuecomment-": "comment",
    "pullrequestreview-": "review",
    "discussion_r": "review comment",
}


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment of a pull request, as its address names it."""

    repository: str
    number: int
    kind: Kind
    id: int


@dataclass(frozen=True, slots=True)
class Verify:
    """The comment with the sign-off; None for the newest sign-off."""

    comment: Comment | None


def read(args: Arguments) -> Verify:
    """Read the address of a comment, if there is one."""
    if not len(args):
        return Verify(None)
    found = _URL.fullmatch(args[0])
    if found is None:
        raise bad(args, 0, text("the address of a comment goes here, as its menu copies it."))
    at_most(args, 1)
    kind = _KINDS[found["kind"]]
    return Verify(Comment(found["repository"], int(found["number"]), kind, int(found["id"])))


COMMAND = Command(
    name="verify",
    usage="/verify [<comment URL>]",
    summary=text("Checks the newest sign-off again, or the one in a comment."),
    permission="triage",
    author=True,
    read=read,
)
