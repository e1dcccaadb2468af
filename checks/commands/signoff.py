"""`/signoff`: post the current checklist to fill in."""

from checks.commands.arguments import nothing
from checks.commands.spec import Command
from checks.text import text

COMMAND = Command(
    name="signoff",
    usage="/signoff",
    summary=text("Posts the current checklist for a code owner to fill in."),
    permission="write",
    read=nothing,
)
