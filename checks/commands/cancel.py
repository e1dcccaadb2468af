"""`/cancel`: stop what runs for this pull request."""

from checks.commands.arguments import nothing
from checks.commands.spec import Command
from checks.text import text

COMMAND = Command(
    name="cancel",
    usage="/cancel",
    summary=text("Cancels the sweeps and unofficial runs of this pull request."),
    permission="write",
    author=True,
    read=nothing,
)
