"""JSON, schema 1: stable from run to run, byte for byte."""

import json
from typing import Any

from checks.model import Finding, Report, Severity, Snapshot


def as_json(report: Report, _snapshot: Snapshot) -> str:
    """Return the report as JSON, keys sorted. ``line`` is 1-based at head, null for the whole."""
    content = {
        "schema": 1,
        "base": report.base,
        "head": report.head,
        "findings": [_finding(each) for each in report.findings],
        "ruled_out": [
            {"rule": each.rule, "path": each.path, "line": each.line, "text": str(each.reason)}
            for each in report.ruled_out
        ],
        "errors": [{"rule": each.rule, "text": str(each.text)} for each in report.errors],
        "stats": {
            "files": report.files,
            "rules": report.rules,
            **{s.value: sum(f.severity is s for f in report.findings) for s in Severity},
        },
    }
    return json.dumps(content, indent=2, sort_keys=True) + "\n"


def _finding(finding: Finding) -> dict[str, Any]:
    suggestion = finding.suggestion
    if suggestion is not None and suggestion.path is not None:
        suggestion = None  # the schema has lines of the finding's own file only
    return {
        "rule": finding.rule,
        "severity": finding.severity.value,
        "path": finding.path,
        "line": finding.line,
        "end_line": finding.end_line,
        "title": str(finding.title),
        "message": str(finding.message),
        "evidence": [
            {"path": each.path, "line": each.line, "text": each.text} for each in finding.evidence
        ],
        "suggestion": suggestion
        and {
            "start_line": suggestion.start_line,
            "end_line": suggestion.end_line,
            "replacement": suggestion.replacement,
        },
        "fingerprint": finding.fingerprint,
    }
