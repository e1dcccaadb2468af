"""`/check`: review the newest commit again."""

from checks.commands.arguments import nothing
from checks.commands.spec import Command
from checks.text import text

COMMAND = Command(
    name="check",
    usage="/check",
    summary=text("Reviews the newest commit again."),
    permission="triage",
    author=True,
    read=nothing,
)
