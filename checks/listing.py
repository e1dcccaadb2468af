"""What a summary lists whole: findings without an inline comment, dismissed and ruled out ones."""

from collections.abc import Mapping, Sequence

from checks.decisions import Decision
from checks.model import Finding, Report
from checks.render import MARKS, Voice, dismissal, listed, why, within
from checks.text import Text, text

MAX_RULED_OUT = 50
# GitHub takes 50 a request, and 80 requests a minute:
# https://docs.github.com/en/rest/checks/runs#update-a-check-run
MAX_ANNOTATIONS = 500


def rows_of(findings: Sequence[Finding], head: str, voice: Voice, room: int) -> list[str]:
    """Return the paragraphs about findings that have no inline comment, within the room.

    Those about the pull request itself come first, as nothing else shows them, in half of the
    room at most.
    """
    own = _rows(
        text("About the pull request itself"),
        [finding for finding in findings if finding.path is None],
        head,
        voice,
        room // 2,
    )
    outside = _rows(
        text("Outside the diff, or more than fit inline"),
        [finding for finding in findings if finding.path is not None],
        head,
        voice,
        room - sum(len(part) + 2 for part in own),
    )
    return [*own, *outside]


def _rows(
    title: Text, findings: Sequence[Finding], head: str, voice: Voice, room: int
) -> list[str]:
    """Return a heading and whole rows only."""
    if not findings:
        return []
    heading = voice.inline(title)
    total = len(findings)
    room -= len(heading) + len(voice.inline(_more(findings, total))) + 8
    rows = within((_row(finding, head, voice) for finding in findings), room)
    left = findings[len(rows) :]
    return [f"**{heading}**", *rows, *([voice.inline(_more(left, total))] if left else [])]


def _more(left: Sequence[Finding], total: int) -> Text:
    if left[0].path is None:
        return text("… and {count} more; correct these first.", count=len(left))
    if total > MAX_ANNOTATIONS:
        return text(
            "… and {count} more; the check run's annotations list the first {most}, and {command} "
            "all of them.",
            count=len(left),
            most=MAX_ANNOTATIONS,
            command="referee check",
        )
    return text("… and {count} more; the check run's annotations list them.", count=len(left))


def _row(finding: Finding, head: str, voice: Voice) -> str:
    """Return a finding as a paragraph of a summary."""
    place = f"{voice.place(head, finding.path, finding.line)} " if finding.path else ""
    title = voice.inline(finding.title)
    first = f"{MARKS[finding.severity]} {place}**{title}** · {voice.rule(finding.rule)}"
    return "\n\n".join((first, voice.inline(finding.message), why(finding, voice, head)))


def dismissed_list(
    report: Report, dismissed: Mapping[str, Decision], voice: Voice, room: int
) -> str:
    """Return the collapsed list of the findings that somebody dismissed, "" for none."""
    found = [f for f in report.findings if f.fingerprint in dismissed]
    if not found:
        return ""
    summary = voice.inline(text("Dismissed: {count}", count=len(found)))
    every = (_dismissed_row(f, dismissed[f.fingerprint], report.head, voice) for f in found)
    rows = listed(every, len(found), room, voice)
    return "\n".join((f"<details><summary>{summary}</summary>\n", *rows, "\n</details>"))


def _dismissed_row(finding: Finding, decision: Decision, head: str, voice: Voice) -> str:
    said = voice.inline(dismissal(decision))
    place = voice.place(head, finding.path, finding.line)
    return f"- {MARKS[finding.severity]} {place} {voice.inline(finding.title)} · {said}"


def ruled_out_list(report: Report, voice: Voice, room: int) -> str:
    """Return the collapsed list of what looked suspicious and was right, "" for none."""
    if not report.ruled_out:
        return ""
    summary = voice.inline(text("Ruled out: {count}", count=len(report.ruled_out)))
    every = (
        f"- {voice.place(report.head, each.path, each.line)}: {voice.inline(each.reason)}"
        for each in report.ruled_out[:MAX_RULED_OUT]
    )
    rows = listed(every, len(report.ruled_out), room, voice)
    return "\n".join((f"<details><summary>{summary}</summary>\n", *rows, "\n</details>"))
