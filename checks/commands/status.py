"""`/status`: the state of the pull request at a glance."""

from checks.commands.arguments import nothing
from checks.commands.spec import Command
from checks.text import text

COMMAND = Command(
    name="status",
    usage="/status",
    summary=text("Says what the review found and what people decided."),
    permission="read",
    read=nothing,
    closed=True,
)
