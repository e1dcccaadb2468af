"""What to write on GitHub, given what the checks found and what we said so far.

Pure and level-triggered: the plan is the difference between the wanted and the published state,
so that planning again after carrying it out gives nothing to do.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from checks.decisions import Decision, Decisions, of_kind, override_of, remember
from checks.markers import MAX_FIXED, FindingMarker, Memory, RunsPart, read_finding, read_runs
from checks.model import ChangedFile, Finding, Report
from checks.permissions import TALK, Lacking, Locked
from checks.publication import (
    CheckRun,
    Edit,
    InlineComment,
    Plan,
    Published,
    PublishedCheckRun,
    Review,
    Sticky,
    Thread,
)
from checks.render import (
    Section,
    Voice,
    finding_comment,
    fixed_comment,
    is_postable,
    lead,
    utf8,
)
from checks.summary import Outcome, check_run, review_body, sticky
from checks.sweeps.label import SweepLabel

MAX_INLINE = 30
GATE = "review"  # what an override names to open this check


@dataclass(frozen=True, slots=True)
class Context:
    """What decides besides the findings and what we said so far.

    Args:
        advisory: the check run never fails.
        can_fix: whether we may commit fixes to the branch.
        decisions: what people decided about this pull request.
        seal: the key that the comment's memory of them is signed with; see `checks.decisions`.
        sections: what the sticky comment says besides.
        label: the decision about the label that starts a sweep.
        lacks: the permissions that the App was not given; see `checks.permissions`.
        locked: whether nothing can be said in the conversation, so that the check run says it all.

    """

    advisory: bool = False
    can_fix: bool = False
    decisions: Decisions = ()
    seal: bytes = b""
    sections: Sequence[Section] = ()
    label: SweepLabel = SweepLabel()  # noqa: RUF009 - immutable
    lacks: frozenset[str] = frozenset()
    locked: bool = False


def plan(
    report: Report,
    published: Published,
    files: Sequence[ChangedFile],
    voice: Voice,
    context: Context = Context(),
) -> Plan:
    """Return the writes that are left to do.

    Args:
        report: what the checks found at the head.
        published: what we said so far.
        files: the changed files with their hunks, to know where GitHub takes comments.
        voice: languages and links.
        context: what else decides.

    """
    no_inline = context.locked or "pull_requests=write" in context.lacks
    by_path: Files = {} if no_inline else {file.path: file for file in files}
    threads = _ours(published.threads)
    shown = {m.fingerprint: thread for thread, m in threads if not m.fixed}
    memory = _memory(report, _remembered(published.memory, threads), threads)
    outcome = _outcome(report, memory, shown, by_path, context)
    gone = [(t, m) for t, m in threads if not m.fixed and _is_gone(m, report)]
    every = Plan(
        head=report.head,
        labels=context.label.change,
        review=_review(report, outcome, shown, by_path, voice),
        resolve=tuple(t.id for t, _ in gone if not t.resolved and t.can_resolve),
        edits=(*_closings(gone, report, voice), *_updates(report, shown, voice, outcome.dismissed)),
        sticky=_sticky(report, outcome, published, voice, context),
        check_run=_check_run(check_run(report, outcome, voice), published.check_run),
    )
    return _permitted(every, context.lacks, locked=context.locked)


def _sticky(
    report: Report, outcome: Outcome, published: Published, voice: Voice, context: Context
) -> Sticky | None:
    """Return the sticky comment where it changes; the part about runs is kept as it is."""
    label, decisions = str(context.label.sight), remember(context.decisions, context.seal)
    markers = "\n".join(filter(None, (decisions, label)))
    runs = read_runs(published.sticky_body) or RunsPart()
    body = sticky(report, outcome, voice, markers, runs)
    return Sticky(published.sticky_id, body) if body != published.sticky_body else None


def _permitted(every: Plan, lacks: frozenset[str], *, locked: bool) -> Plan:
    """Return the plan without what cannot be written, or not by the App."""
    if locked:
        every = replace(every, resolve=(), edits=(), sticky=None)
    if "pull_requests=write" in lacks:
        every = replace(every, edits=())
    if lacks & {"contents=write", "pull_requests=write"}:
        every = replace(every, resolve=())
    if lacks >= TALK:
        every = replace(every, labels=None, sticky=None)
    if "checks=write" in lacks:
        every = replace(every, check_run=None)
    return every


Marked = tuple[Thread, FindingMarker]
Files = Mapping[str | None, ChangedFile]  # asked for None, which no file has, too


def _ours(threads: Sequence[Thread]) -> list[Marked]:
    return [(thread, marker) for thread in threads if (marker := read_finding(thread.body))]


def _remembered(memory: Memory, threads: Sequence[Marked]) -> Memory:
    """Complete the memory from the threads, which survive a lost sticky comment."""
    opened = {m.fingerprint: m.head for _, m in threads if not m.fixed}
    fixed = {m.fingerprint: m.head for _, m in threads if m.fixed}
    open_ = {**opened, **memory.open}
    both = {**fixed, **memory.fixed}
    return Memory(open_, {each: head for each, head in both.items() if each not in open_})


def _memory(report: Report, before: Memory, threads: Sequence[Marked]) -> Memory:
    """Return what to remember of this report: what a failed rule may have hidden stays open."""
    here = {finding.fingerprint for finding in report.findings}
    rules = {marker.fingerprint: marker.rule for _, marker in threads}
    failed = {error.rule for error in report.errors}
    lost = {each: head for each, head in before.open.items() if each not in here}
    # Of what was only said in the sticky comment the rule is not known any more.
    hidden = {each for each in lost if failed and (each not in rules or failed & {rules[each], ""})}
    fixed = {each: report.head for each in lost if each not in hidden} | {
        each: head for each, head in before.fixed.items() if each not in here
    }
    return Memory(
        open={each: before.open.get(each, report.head) for each in here}
        | {each: head for each, head in lost.items() if each in hidden},
        fixed=dict(sorted(fixed.items())[:MAX_FIXED]),  # only these are counted again next time
    )


def _is_gone(marker: FindingMarker, report: Report) -> bool:
    """Tell whether a finding is fixed; a rule that failed says nothing about its findings."""
    failed = {error.rule for error in report.errors}
    here = {finding.fingerprint for finding in report.findings}
    return marker.fingerprint not in here and not failed & {marker.rule, ""}


def _inline(
    report: Report,
    shown: Mapping[str, Thread],
    files: Files,
    dismissed: Mapping[str, Decision],
) -> Iterator[Finding]:
    """Yield what has or can get an inline comment: at most 30, severe ones first."""
    known = [f for f in report.findings if f.fingerprint in shown]
    settled = shown.keys() | dismissed.keys()
    fresh = [f for f in report.findings if f.fingerprint not in settled]
    yield from known
    room = max(0, MAX_INLINE - len(known))
    yield from [f for f in fresh if _where(f, files.get(f.path))][:room]


def _where(finding: Finding, file: ChangedFile | None) -> tuple[int, int] | None:
    """Return the lines that GitHub takes a comment on: inside one hunk, or nowhere.

    A suggestion replaces the lines that its comment stands on, so it decides where it can.
    """
    if file is None or finding.line is None or not utf8(file.path):
        return None
    places = [(finding.line, finding.end_line or finding.line)]
    if finding.suggestion is not None and is_postable(finding.suggestion):
        places.insert(0, (finding.suggestion.start_line, finding.suggestion.end_line))
    return next((p for p in places if any(hunk.covers(*p) for hunk in file.hunks)), None)


def _review(
    report: Report, outcome: Outcome, shown: Mapping[str, Thread], files: Files, voice: Voice
) -> Review | None:
    """Return the review that says inline what no thread says yet."""
    fresh = [f for f in report.findings if f.fingerprint in outcome.inline - shown.keys()]
    if not fresh:
        return None
    said = outcome.inline | outcome.dismissed.keys()
    others = sum(f.fingerprint not in said for f in report.findings)
    comments = tuple(_comment(each, files[each.path], report.head, voice) for each in fresh)
    return Review(review_body(fresh, others, report.head, voice), comments)


def _comment(finding: Finding, file: ChangedFile, head: str, voice: Voice) -> InlineComment:
    where = _where(finding, file)
    assert where is not None
    start, end = where
    marker = FindingMarker(finding.rule, finding.fingerprint, head)
    body = finding_comment(finding, marker, voice, head, suggest=_fits(finding, start, end))
    return InlineComment(file.path, end, start if start < end else None, body)


def _fits(finding: Finding, start: int, end: int) -> bool:
    """Tell whether the suggestion replaces exactly the lines that the comment stands on."""
    change = finding.suggestion
    return change is not None and (change.start_line, change.end_line) == (start, end)


def _closings(gone: Sequence[Marked], report: Report, voice: Voice) -> Iterator[Edit]:
    for thread, marker in gone:
        yield Edit(thread.comment_id, fixed_comment(thread.body, marker, report.head, voice))


def _updates(
    report: Report,
    shown: Mapping[str, Thread],
    voice: Voice,
    dismissed: Mapping[str, Decision],
) -> Iterator[Edit]:
    """Yield new bodies for open comments whose finding now reads differently."""
    for finding in report.findings:
        thread = shown.get(finding.fingerprint)
        marker = read_finding(thread.body) if thread else None
        if thread is None or marker is None:
            continue
        start = thread.line if thread.start_line is None else thread.start_line
        suggest = (
            start is not None and thread.line is not None and _fits(finding, start, thread.line)
        )
        body = finding_comment(
            finding,
            marker,
            voice,
            marker.head,
            suggest=suggest,
            dismissed=dismissed.get(finding.fingerprint),
        )
        if lead(body) != lead(thread.body):
            yield Edit(thread.comment_id, body)


def _outcome(
    report: Report, memory: Memory, shown: Mapping[str, Thread], files: Files, context: Context
) -> Outcome:
    """Return what came of the findings: where they are said, and what people made of them."""
    here = {finding.fingerprint for finding in report.findings}
    settled = of_kind(context.decisions, "dismissed")
    dismissed = {each: decision for each, decision in settled.items() if each in here}
    inline = _inline(report, shown, files, dismissed)
    locked = (Locked(),) if context.locked else ()
    return Outcome(
        memory=memory,
        inline=frozenset(finding.fingerprint for finding in inline),
        resolved=frozenset(each for each in here if each in shown and shown[each].resolved),
        dismissed=dismissed,
        override=override_of(context.decisions, GATE, report.head),
        advisory=context.advisory,
        can_fix=context.can_fix and "contents=write" not in context.lacks,
        sections=(*context.sections, context.label, Lacking(context.lacks), *locked),
    )


def _check_run(wanted: CheckRun, there: PublishedCheckRun | None) -> CheckRun | None:
    same = there is not None and there.completed and there.external_id == wanted.external_id
    return None if same else wanted
