"""The output formats of `referee check`: a report and its snapshot become one string."""

from importlib import import_module

from checks.model import Report, Snapshot

FORMATS = ("github", "json", "sarif", "text")


def formatted(form: str, report: Report, snapshot: Snapshot) -> str:
    """Return a report in one of the `FORMATS`; only the code of that one is imported."""
    module = import_module(f"bot.formats.as_{form}")
    shown = getattr(module, f"as_{form}")(report, snapshot)
    assert isinstance(shown, str)
    return shown
