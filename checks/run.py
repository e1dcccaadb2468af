"""Run every rule on a snapshot and keep only suggestions that are proven to help."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from itertools import islice

from checks.model import (
    Blob,
    Cleared,
    Finding,
    InternalError,
    Observation,
    ReadError,
    Report,
    RuledOut,
    Severity,
    Snapshot,
    Suggestion,
    Tree,
    fingerprint,
)
from checks.parse.wildcard import matches_key
from checks.paths import matches
from checks.policy import Policy, RulePolicy
from checks.record import Record
from checks.registry import Rule, all_rules
from checks.text import text

MOST_SEEN = 5_000  # of one rule; what it sees beyond is as easily made as it is useless
MAX_VERIFIED = 60
BYTES_AT_ONCE, LINES_AT_ONCE, NEW_AT_ONCE = 250_000, 6_000, 3_000
MAX_VERIFIED_FILES = 30_000  # each verification looks at every changed file and finding again
_Run = tuple[Rule, Set[str]]  # with the paths that it has read at head
_Runs = Sequence[_Run]


def run_checks(snapshot: Snapshot, policy: Policy, rules: Sequence[Rule] | None = None) -> Report:
    """Judge a snapshot.

    A rule that raises becomes an `InternalError` and hides no other rule. A suggestion stays
    only if applying it in memory makes its finding vanish and adds no new one.

    Args:
        snapshot: the two revisions and the pull request.
        policy: which rules are on, and how severe.
        rules: the rules to run; all when None.

    Returns:
        The report, sorted: equal input gives an equal report.

    Raises:
        ReadError: a tree cannot be read.

    """
    report, runs = _judge(snapshot, policy, _enabled(policy, rules))
    return replace(report, findings=tuple(_verified(snapshot, policy, runs, report)))


def judge_all(snapshot: Snapshot, policy: Policy) -> Report:
    """Return the report of all rules without verifying its suggestions."""
    return _judge(snapshot, policy, _enabled(policy, None))[0]


def _enabled(policy: Policy, rules: Sequence[Rule] | None) -> list[Rule]:
    return [r for r in (all_rules() if rules is None else rules) if policy.rule(r.name).enabled]


def _judge(snapshot: Snapshot, policy: Policy, rules: Iterable[Rule]) -> tuple[Report, _Runs]:
    """Return the report, and which files at head each rule rests on."""
    runs: list[_Run] = []
    findings: list[Finding] = []
    ruled_out: list[RuledOut] = []
    errors: list[InternalError] = []
    for rule in rules:
        try:
            with snapshot.answers.reading() as read:
                runs.append((rule, read))
                seen = list(islice(rule.check(snapshot, policy), MOST_SEEN + 1))
        except ReadError:
            raise
        except Exception as error:
            errors.append(_internal_error(rule, error))
            continue
        if len(seen) > MOST_SEEN:
            errors.append(_too_much(rule))
            del seen[MOST_SEEN:]
        settled = [_settled(rule, policy.rule(rule.name), each) for each in seen]
        findings += _stamp(rule, [each for each in settled if isinstance(each, Observation)])
        ruled_out += (_ruled_out(rule, each) for each in settled if isinstance(each, Cleared))
    report = Report(
        base=snapshot.base.sha,
        head=snapshot.head.sha,
        findings=tuple(sorted(findings, key=lambda finding: finding.order)),
        ruled_out=tuple(
            sorted(ruled_out, key=lambda x: (x.path, x.line or 0, x.rule, str(x.reason)))
        ),
        errors=tuple(errors),
        files=len(snapshot.files),
        rules=len(runs),
    )
    return report, runs


def _internal_error(rule: Rule, error: Exception) -> InternalError:
    fault = f"{type(error).__name__}: {error}"
    what = text(
        "The rule {rule} failed with {error}. What it would have found is unknown; "
        "this is a defect of Referee, please report it.",
        rule=rule.name,
        error=fault,
    )
    return InternalError(rule.name, what)


def _too_much(rule: Rule) -> InternalError:
    what = text(
        "The rule {rule} saw more than {most} things and stopped looking. Split the pull request.",
        rule=rule.name,
        most=MOST_SEEN,
    )
    return InternalError(rule.name, what)


def _ruled_out(rule: Rule, cleared: Cleared) -> RuledOut:
    return RuledOut(rule.name, cleared.path, cleared.line, cleared.reason)


def _settled(
    rule: Rule, settings: RulePolicy, seen: Observation | Cleared
) -> Observation | Cleared | None:
    """Return what the policy makes of what a rule saw: nothing of a path that it excludes."""
    if isinstance(seen, Cleared):
        return seen
    if seen.path is not None and matches(seen.path, settings.exclude):
        return None
    key = seen.config_key
    if key is not None and any(matches_key(each, key) for each in settings.exceptions):
        if isinstance(rule.excused, Severity):
            return replace(seen, severity=rule.excused)
        if rule.excused and seen.path is not None:
            return Cleared(seen.path, seen.line, text("{key} is excused by the policy.", key=key))
    return replace(seen, severity=settings.severity or seen.severity or rule.severity)


def _stamp(rule: Rule, observations: Iterable[Observation]) -> Iterator[Finding]:
    """Give observations the rule's name and a fingerprint of their own."""
    times: Counter[tuple[str | None, tuple[str, ...]]] = Counter()
    for seen in observations:
        identity = (seen.path, seen.anchor)
        times[identity] += 1
        anchor = (*seen.anchor, *([f"#{times[identity]}"] if times[identity] > 1 else []))
        yield Finding(
            rule=rule.name,
            severity=seen.severity or rule.severity,
            path=seen.path,
            line=seen.line or None,  # the hunk that empties a file starts at line 0
            end_line=(seen.end_line if seen.end_line is not None else seen.line) or None,
            title=seen.title,
            message=seen.message,
            evidence=seen.evidence,
            suggestion=seen.suggestion,
            fingerprint=fingerprint(rule.name, seen.path, anchor),
        )


def _verified(snapshot: Snapshot, policy: Policy, runs: _Runs, report: Report) -> Iterator[Finding]:
    size = 1 + len(snapshot.files) + len(report.findings)
    left = min(MAX_VERIFIED, MAX_VERIFIED_FILES // size)
    cost = {
        path: _cost(snapshot, path) for path in {f.change[0] for f in report.findings if f.change}
    }
    for finding in report.findings:
        if finding.change is None:
            yield finding
            continue
        left -= cost[finding.change[0]]
        helps = left >= 0 and _helps(snapshot, policy, runs, report, finding, finding.change)
        kept = _commentable(snapshot, *finding.change) if helps else None
        yield replace(finding, suggestion=kept)


def _helps(
    snapshot: Snapshot,
    policy: Policy,
    runs: _Runs,
    report: Report,
    finding: Finding,
    change: tuple[str, Suggestion],
) -> bool:
    """Tell whether a suggestion improves; a rule that has not read the file says what it said."""
    rules = [rule for rule, read in runs if change[0] in read]
    fixed = apply(snapshot, *change) if finding.rule in {rule.name for rule in rules} else None
    return fixed is not None and improves(_judge(fixed, policy, rules)[0], report, [finding])


def _cost(snapshot: Snapshot, path: str) -> int:
    """Return how many verifications one of a large file counts as.

    It is read again each time, and what is new in it is compared with what was there before.
    """
    blob, file = snapshot.head.blob(path), snapshot.changed(path)
    if blob is None:
        return 1
    lines = blob.data.count(b"\n") // LINES_AT_ONCE
    new = sum(len(hunk.added) for hunk in file.hunks) // NEW_AT_ONCE if file else 0
    return max(1, len(blob.data) // BYTES_AT_ONCE, lines * lines, new * new)


def improves(after: Report, before: Report, gone: Iterable[Finding]) -> bool:
    """Tell whether these findings are gone, no other has come, and no other rule fails."""
    left = {each.fingerprint for each in after.findings}
    expected = {each.fingerprint for each in before.findings} - {each.fingerprint for each in gone}
    failed, failing = ({each.rule for each in report.errors} for report in (before, after))
    return left <= expected and failing <= failed


class Overlay(Record):
    """A tree with one file replaced in memory."""

    under: Tree
    path: str
    replacement: Blob

    @property
    def sha(self) -> str:
        """Return the commit id of the tree underneath."""
        return self.under.sha

    def has(self, path: str) -> bool:
        """Tell whether the file is there underneath: only a file that is there is replaced."""
        return self.under.has(path)

    def blob(self, path: str) -> Blob | None:
        """Return the replaced file, or what lies underneath."""
        return self.replacement if path == self.path else self.under.blob(path)

    def paths(self) -> Sequence[str]:
        """Return the paths of the tree underneath."""
        return self.under.paths()


def apply(snapshot: Snapshot, path: str, suggestion: Suggestion) -> Snapshot | None:
    """Return the snapshot with a suggestion applied, or None if its lines do not exist."""
    blob = snapshot.head.blob(path)
    if blob is None:
        return None
    changed = replaced(blob, suggestion)
    if changed is None:
        return None
    return replace(snapshot, head=Overlay(snapshot.head, path, changed))


def _commentable(snapshot: Snapshot, path: str, suggestion: Suggestion) -> Suggestion:
    """Mark a suggestion that differs from the file only in what a suggestion block cannot show."""
    blob = snapshot.head.blob(path)
    assert blob is not None
    old = b"".join(blob.lines()[suggestion.start_line - 1 : suggestion.end_line])
    new = suggestion.replacement.encode("utf-8", "surrogateescape")
    shown = [part.replace(b"\r", b"").removesuffix(b"\n") for part in (old, new)]
    return replace(suggestion, commentable=b"\r" not in new and shown[0] != shown[1])


def replaced(blob: Blob, suggestion: Suggestion) -> Blob | None:
    """Return the file with the suggested lines, or None if the range lies outside the file."""
    lines = list(blob.lines())
    start, end = suggestion.start_line, suggestion.end_line
    if not 1 <= start <= end <= len(lines):
        return None
    lines[start - 1 : end] = [suggestion.replacement.encode("utf-8", "surrogateescape")]
    return Blob.of(b"".join(lines))
