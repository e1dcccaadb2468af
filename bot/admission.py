"""Say that nothing was judged, and why: neither a pass nor anybody's defect."""

from __future__ import annotations

from typing import Any

from bot.verdict import Verdict
from checks.model import InternalError, Report
from checks.text import text


def admission(pull: Any, reason: str) -> Verdict:
    """Return a verdict that says only that, and why, we could not judge."""
    what = text(
        "Nothing could be checked: {reason} Referee tries again within the hour.", reason=reason
    )
    report = Report(
        base=pull["base"]["sha"], head=pull["head"]["sha"], errors=(InternalError("", what),)
    )
    return Verdict(report, (), ("en",), "", advisory=False, judged=False)
