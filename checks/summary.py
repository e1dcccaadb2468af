"""The texts about a whole review: sticky comment, check run and review body."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import Literal

from checks.decisions import Decision
from checks.listing import MAX_ANNOTATIONS, dismissed_list, rows_of, ruled_out_list
from checks.markers import STICKY, Memory, RunsPart, read_runs
from checks.model import Finding, Report, Severity
from checks.permissions import Lacking, Locked
from checks.publication import Annotation, Button, CheckRun, Conclusion
from checks.render import MARKS, MAX_COMMENT, Section, Voice, listed, utf8
from checks.text import Text, text

MAX_LIST = 10_000
ROOM_OF_ROWS = 700  # what the lists of findings say where none has room
ROOM_OF_RUNS, MOST_OF_RUNS = 3_000, 24_000  # kept free for them, and taken where it is free
_LEVELS: dict[Severity, Literal["failure", "warning", "notice"]] = {
    Severity.BLOCKING: "failure",
    Severity.WARNING: "warning",
    Severity.NOTE: "notice",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """A report set against what was said before.

    Args:
        memory: what is open (and since which commit) and what is fixed (and in which).
        inline: fingerprints that stand in a review comment.
        resolved: fingerprints whose thread a person resolved; they are no longer counted as open.
        dismissed: who said that a finding is no defect here, by fingerprint; it never blocks.
        override: who opened the gate of this head in spite of all findings, if somebody did.
        advisory: the check run never fails.
        can_fix: whether we may commit fixes to the branch.
        sections: what the sticky comment says besides, after the findings.

    """

    memory: Memory = field(default_factory=Memory)
    inline: frozenset[str] = frozenset()
    resolved: frozenset[str] = frozenset()
    dismissed: Mapping[str, Decision] = field(default_factory=dict)
    override: Decision | None = None
    advisory: bool = False
    can_fix: bool = False
    sections: tuple[Section, ...] = ()


def sticky(
    report: Report,
    outcome: Outcome,
    voice: Voice,
    remembered: str = "",
    runs: RunsPart = RunsPart(),  # noqa: B008 - immutable
) -> str:
    """Return the body of the sticky comment, at most 65,000 characters.

    Args:
        report: what the checks found.
        outcome: set against what was said before.
        voice: languages and links.
        remembered: markers to carry along, hidden.
        runs: what was said of runs, to carry along; see `with_runs`.

    """
    tail = "\n\n" + "\n".join(filter(None, (str(runs), str(outcome.memory), remembered)))
    kept = max(0, ROOM_OF_RUNS - len(runs.text))
    room = MAX_COMMENT - len(STICKY) - len(tail) - kept - 1
    return f"{STICKY}\n{_all_languages(report, outcome, voice, room)}{tail}"


def with_runs(body: str, say: Callable[[int], str]) -> str:
    """Return a sticky comment with another part about runs; as it is if it has no such part.

    Args:
        body: the comment.
        say: what is said of runs in at most so many characters.

    """
    there = read_runs(body)
    if there is None:
        return body
    room = MAX_COMMENT - len(body) + len(there.text)
    return body.replace(str(there), str(RunsPart(say(min(room, MOST_OF_RUNS)))), 1)


def _all_languages(report: Report, outcome: Outcome, voice: Voice, room: int) -> str:
    """Return the summary once in each language, a rule between them."""
    voices = [replace(voice, languages=(language,)) for language in voice.languages]
    share = room // len(voices) - len("\n\n---\n\n")
    return "\n\n---\n\n".join(_summary(report, outcome, each, share) for each in voices)


def _summary(report: Report, outcome: Outcome, voice: Voice, room: int) -> str:
    parts = [
        f"### Referee: {voice.inline(headline(report, outcome))}",
        voice.inline(_counts(report, outcome)),
        _joined(voice, _what_was_read(report), report.policy),
    ]
    left = room - ROOM_OF_ROWS - sum(len(part) + 2 for part in parts)
    errors = _errors(report, voice, left // 2) if report.errors else ""
    left -= len(errors) + 2
    shown, left = _fitting((each.markdown for each in outcome.sections), voice, left, left // 2)
    lists = (
        partial(dismissed_list, report, outcome.dismissed),
        partial(ruled_out_list, report),
    )
    tail, left = _fitting(lists, voice, left, min(MAX_LIST, left // 4))
    elsewhere = [
        f
        for f in report.findings
        if f.fingerprint not in outcome.inline and f.fingerprint not in outcome.dismissed
    ]
    rows = rows_of(elsewhere, report.head, voice, left + ROOM_OF_ROWS)
    return "\n\n".join([*parts, *shown, *([errors] if errors else []), *rows, *tail])


def _fitting(
    parts: Iterable[Callable[[Voice, int], str]], voice: Voice, room: int, most: int
) -> tuple[list[str], int]:
    """Return the parts that fit, each of a length at most, and the room that they leave."""
    found = []
    for part in parts:
        said = part(voice, min(most, room))
        if said and len(said) + 2 <= room:
            found.append(said)
            room -= len(said) + 2
    return found, room


def _joined(voice: Voice, *sentences: Text | None) -> str:
    """Return sentences one after the other; Chinese puts no space between them."""
    between = "" if voice.languages == ("zh",) else " "
    return between.join(voice.inline(each) for each in sentences if each)


def headline(report: Report, outcome: Outcome) -> Text:
    """Return the state at a glance, as the check run's title and the sticky's heading say it."""
    if outcome.override is not None:
        by, reason = outcome.override.by, outcome.override.reason
        return text("overridden for this commit by {login}: {reason}", login=by, reason=reason)
    open_ = _open(report, outcome)
    counts = {s: sum(f.severity is s for f in open_) for s in Severity}
    if report.errors:
        return text("Referee could not check everything; see below")
    if not open_ and outcome.resolved and _blocking(report, outcome):
        count = len(_blocking(report, outcome))
        return text("{count} blocking, resolved by a person", count=count)
    if not open_:
        return text("nothing to fix")
    return text(
        "🔴 blocking: {blocking} · 🟡 warnings: {warnings} · 🔵 notes: {notes}",
        blocking=counts[Severity.BLOCKING],
        warnings=counts[Severity.WARNING],
        notes=counts[Severity.NOTE],
    )


def _open(report: Report, outcome: Outcome) -> list[Finding]:
    closed = outcome.resolved | outcome.dismissed.keys()
    return [f for f in report.findings if f.fingerprint not in closed]


def _blocking(report: Report, outcome: Outcome) -> list[Finding]:
    return [f for f in report.blocking if f.fingerprint not in outcome.dismissed]


def _counts(report: Report, outcome: Outcome) -> Text:
    open_ = _open(report, outcome)
    fresh = sum(outcome.memory.open.get(f.fingerprint) == report.head for f in open_)
    return text(
        "{open} open: {fresh} new, {still} still open from earlier reviews · "
        "{fixed} fixed · {resolved} resolved by a person",
        open=len(open_),
        fresh=fresh,
        still=len(open_) - fresh,
        fixed=len(outcome.memory.fixed),
        resolved=len(outcome.resolved),
    )


def _what_was_read(report: Report) -> Text:
    return text(
        "Compared {head} with {base}; changed files: {files}, rules: {rules}.",
        files=report.files,
        head=report.head[:7],
        base=report.base[:7],
        rules=report.rules,
    )


def _errors(report: Report, voice: Voice, room: int) -> str:
    heading = voice.inline(text("Problems of ours"))
    every = (f"- {voice.inline(error.text)}" for error in report.errors)
    rows = listed(every, len(report.errors), room, voice)
    return "\n".join((f"**{heading}**\n", *rows))


def review_body(fresh: Sequence[Finding], others: int, head: str, voice: Voice) -> str:
    """Return the opening words of a review with new inline comments.

    Args:
        fresh: what it says inline.
        others: how many findings are said in the sticky comment alone.
        head: the commit that was judged.
        voice: languages and links.

    """
    said = text(
        "New findings at {head}: {count}, of which blocking: {blocking}.",
        count=len(fresh),
        head=head[:7],
        blocking=sum(f.severity is Severity.BLOCKING for f in fresh),
    )
    if others:
        said = text("{said} The comment lists {others} more.", said=said, others=others)
    return voice.paragraphs(said)


def check_run(report: Report, outcome: Outcome, voice: Voice) -> CheckRun:
    """Return the check run of the report; its external id changes when anything of it does.

    It is about the findings and what cannot be said elsewhere: what the sticky comment says besides
    changes more often.
    """
    sections = tuple(each for each in outcome.sections if isinstance(each, Lacking | Locked))
    outcome = replace(outcome, sections=sections)
    listed = _list_of_inline(report, outcome, voice)
    summary = _all_languages(report, outcome, voice, MAX_COMMENT - len(listed)) + listed
    title = voice.inline(headline(report, outcome))
    annotations = tuple(_annotations(report, outcome))
    conclusion = _conclusion(report, outcome)
    buttons = tuple(_buttons(report, outcome))
    content = repr((conclusion, title, summary, annotations, buttons))
    identity = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return CheckRun(conclusion, title, summary, annotations, buttons, identity)


def _buttons(report: Report, outcome: Outcome) -> Iterable[Button]:
    """Yield the buttons; GitHub shows them to people who may write to the repository."""
    yield Button("Re-run", "Read everything and judge again", "rerun")
    if outcome.can_fix and any(finding.suggestion for finding in report.findings):
        yield Button("Apply fixes", "Commit every mechanical fix", "fix")


def _list_of_inline(report: Report, outcome: Outcome, voice: Voice) -> str:
    """Return a line for each inline comment, so that the check run's page is complete."""
    inline = [f for f in report.findings if f.fingerprint in outcome.inline]
    every = (
        f"- {MARKS[f.severity]} {voice.place(report.head, f.path, f.line)} {voice.inline(f.title)}"
        for f in inline
    )
    rows = listed(every, len(inline), MAX_LIST, voice)
    return "\n\n" + "\n".join(rows) if rows else ""


def _annotations(report: Report, outcome: Outcome) -> Iterable[Annotation]:
    """Yield what has a line but no inline comment: nothing is said twice on one page."""
    settled = {*outcome.inline, *outcome.dismissed}
    found = (_annotation(f) for f in report.findings if f.fingerprint not in settled)
    return islice((each for each in found if each), MAX_ANNOTATIONS)


def _annotation(finding: Finding) -> Annotation | None:
    if finding.line is None or finding.path is None or not utf8(finding.path):
        return None
    return Annotation(
        finding.path,
        finding.line,
        finding.end_line or finding.line,
        _LEVELS[finding.severity],
        str(finding.title)[:255],
        f"{finding.message}\n{finding.rule}"[:16_000],
    )


def _conclusion(report: Report, outcome: Outcome) -> Conclusion:
    """Decide the gate: a rule that failed is never taken for a pass."""
    blocking = _blocking(report, outcome)
    if outcome.advisory or outcome.override is not None:
        return "neutral" if blocking or report.errors else "success"
    if blocking:
        return "failure"
    return "action_required" if report.errors else "success"
