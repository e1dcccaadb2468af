"""Workflow commands, which an Actions run shows as annotations.

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
"""

from checks.model import Finding, Report, Severity, Snapshot

_COMMANDS = {Severity.BLOCKING: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def as_github(report: Report, _snapshot: Snapshot) -> str:
    """Return one command a line for each finding and each failed rule."""
    lines = [_command(finding) for finding in report.findings]
    lines += [f"::error title=Referee::{_escape(str(each.text))}" for each in report.errors]
    return "".join(f"{line}\n" for line in lines)


def _command(finding: Finding) -> str:
    properties = {} if finding.path is None else {"file": finding.path}
    if finding.line is not None:
        properties |= {"line": str(finding.line), "endLine": str(finding.end_line)}
    properties["title"] = f"{finding.title} ({finding.rule})"
    shown = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{_COMMANDS[finding.severity]} {shown}::{_escape(str(finding.message))}"


def _escape(value: str) -> str:
    return value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: str) -> str:
    return _escape(value).replace(":", "%3A").replace(",", "%2C")
