"""The output formats of `referee check`: a report and its snapshot become one string."""

from collections.abc import Callable

from bot.formats.as_github import as_github
from bot.formats.as_json import as_json
from bot.formats.as_sarif import as_sarif
from bot.formats.as_text import as_text
from checks.model import Report, Snapshot

FORMATS: dict[str, Callable[[Report, Snapshot], str]] = {
    "github": as_github,
    "json": as_json,
    "sarif": as_sarif,
    "text": as_text,
}
