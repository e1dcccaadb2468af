"""Apply every mechanical fix of a report at once, and prove that it helps."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from checks.model import Finding, Report, Snapshot
from checks.policy import Policy
from checks.run import apply, improves, judge_all, run_checks


@dataclass(frozen=True, slots=True)
class Fixed:
    """The files that change, whole, by path; and the findings that are gone after it."""

    files: Mapping[str, bytes]
    findings: tuple[Finding, ...]


def fix(
    snapshot: Snapshot,
    policy: Policy,
    report: Report,
    wanted: Callable[[Finding], bool] = lambda _: True,
) -> Fixed:
    """Apply the report's suggestions, as many at once as touch different lines, until none is left.

    It ends: each round leaves fewer findings than there were before it.

    Args:
        snapshot: what the report was made from.
        policy: the policy in force.
        report: its suggestions are verified one by one already (`checks.run.run_checks`).
        wanted: which findings to fix.

    Returns:
        What to commit. Applying it and fixing again changes nothing.

    """
    current, done, now = snapshot, list[Finding](), report
    while found := _one_round(current, policy, now, wanted):
        current, fixed = found
        done += fixed
        now = run_checks(current, policy)
    return _result(snapshot, current, done)


def _one_round(
    snapshot: Snapshot, policy: Policy, report: Report, wanted: Callable[[Finding], bool]
) -> tuple[Snapshot, list[Finding]] | None:
    """Apply what fits together: if all of it does harm, what does none beside those before it."""
    apart = _apart(filter(wanted, report.findings))
    if together := _tried(snapshot, policy, report, apart):
        return together, apart
    chosen, current = list[Finding](), None
    for each in apart:
        if tried := _tried(snapshot, policy, report, [*chosen, each]):
            chosen, current = [*chosen, each], tried
    return (current, chosen) if current else None


def _tried(
    snapshot: Snapshot, policy: Policy, report: Report, chosen: Sequence[Finding]
) -> Snapshot | None:
    """Return the snapshot with the suggestions, or None if they do not fit or do harm."""
    tried = _applied(snapshot, chosen) if chosen else None
    helps = tried is not None and improves(judge_all(tried, policy), report, chosen)
    return tried if helps else None


def _apart(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings whose suggestions touch different lines, the last lines first.

    So each file can be changed from its end to its start, and the lines above keep their numbers.
    """
    chosen, above = list[Finding](), dict[str, int]()
    changes = [(each, *each.change) for each in findings if each.change is not None]
    for each, path, change in sorted(changes, key=lambda it: (it[1], -it[2].start_line)):
        if change.end_line < above.get(path, change.end_line + 1):
            chosen.append(each)
            above[path] = change.start_line
    return chosen


def _applied(snapshot: Snapshot, findings: Iterable[Finding]) -> Snapshot | None:
    """Return the snapshot with the suggestions, or None if one of them does not fit."""
    current: Snapshot | None = snapshot
    for each in findings:
        current = apply(current, *each.change) if current and each.change else None
    return current


def _result(before: Snapshot, after: Snapshot, findings: Iterable[Finding]) -> Fixed:
    found = tuple(findings)
    files = {}
    for path in sorted({each.change[0] for each in found if each.change}):
        blob = after.head.blob(path)
        assert blob is not None
        if blob != before.head.blob(path):
            files[path] = blob.data
    return Fixed(files, found)
