"""SARIF 2.1.0, for code scanning.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

import json
from typing import Any
from urllib.parse import quote

from checks.docs import rule_markdown, sections
from checks.model import Finding, Report, Severity, Snapshot
from checks.registry import Rule, all_rules

PULL_REQUEST = "pull-request"
_LEVELS = {Severity.BLOCKING: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}


def as_sarif(report: Report, _snapshot: Snapshot) -> str:
    """Return one SARIF run with every rule, result, fix and failed rule."""
    run: dict[str, Any] = {
        "tool": {"driver": {"name": "Referee", "rules": [_rule(rule) for rule in all_rules()]}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding) for finding in report.findings],
        "invocations": [
            {
                "executionSuccessful": not report.errors,
                "toolExecutionNotifications": [
                    {"level": "error", "message": {"text": str(each.text)}}
                    for each in report.errors
                ],
            }
        ],
    }
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    content = {"$schema": schema, "version": "2.1.0", "runs": [run]}
    return json.dumps(content, indent=2, sort_keys=True) + "\n"


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.name,
        "shortDescription": {"text": sections(rule)[""]},
        "help": {"text": rule.documentation, "markdown": rule_markdown(rule)},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _result(finding: Finding) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "level": _LEVELS[finding.severity],
        "message": {"text": f"{finding.title}. {finding.message}"},
        "locations": [_location(finding.path, finding.line, finding.end_line)],
        "relatedLocations": [
            {**_location(each.path, each.line, each.line), "message": {"text": each.text}}
            for each in finding.evidence
        ],
        "partialFingerprints": {"referee/v1": finding.fingerprint},
    }
    if finding.change is not None:
        path, suggestion = finding.change
        region = {
            "startLine": suggestion.start_line,
            "startColumn": 1,
            "endLine": suggestion.end_line + 1,
            "endColumn": 1,
        }
        replacement = {
            "deletedRegion": region,
            "insertedContent": {"text": suggestion.replacement},
        }
        change = {"artifactLocation": {"uri": _uri(path)}, "replacements": [replacement]}
        result["fixes"] = [
            {"description": {"text": "Apply the suggestion"}, "artifactChanges": [change]}
        ]
    return result


def _uri(path: str) -> str:
    return quote(path, errors="surrogateescape")


def _location(path: str | None, line: int | None, end_line: int | None) -> dict[str, Any]:
    """Return a place. That of the pull request itself has no file, but code scanning wants one.

    https://docs.github.com/en/code-security/reference/code-scanning/sarif-files/sarif-support#location-object
    """
    place: dict[str, Any] = {"artifactLocation": {"uri": _uri(path or PULL_REQUEST)}}
    if line is not None:
        place["region"] = {"startLine": line, "endLine": end_line or line}
    return {"physicalLocation": place}
