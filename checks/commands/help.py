"""`/help`: what the person who asks may do here, now."""

from checks.commands.arguments import nothing
from checks.commands.spec import Command
from checks.text import text

COMMAND = Command(
    name="help",
    usage="/help",
    summary=text("Lists the commands that you may use here, now."),
    permission="read",
    read=nothing,
    closed=True,
)
