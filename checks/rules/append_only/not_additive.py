"""A changelog entry says append-only, and the pull request does more than add points.

What it does
    Where a new entry has ``append-only: true``, compares the points of both revisions. Every point
    of the base has to be there at head, the same; every new one belongs to a config key and
    scenario that the entries name, and to a series that the base has with the same image; and there
    is at least one.

Why it matters
    An append-only sweep measures the new points only and puts them beside old results. They are on
    one curve then, so they have to be of one configuration.

Example
    ``append-only: true`` with ``conc-list: [1, 2]`` becoming ``conc-list: [2, 4]``.

Use instead
    ``conc-list: [1, 2, 4]``, or no ``append-only``.

Exceptions
    Another order, and a range that stands for the same concurrencies as a list. Config keys that
    cannot be expanded belong to ``master-config/schema``.

References
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/utils/process_changelog.py
"""

from collections.abc import Iterator, Sequence

from checks.matrix.difference import Difference, Point, difference
from checks.matrix.identity import concurrencies, visual_series
from checks.matrix.matrix import Matrix, matrix
from checks.matrix.schema import AGENTIC, FIXED
from checks.model import Evidence, Observation, Severity, Snapshot, Suggestion
from checks.parse.changelog import Entry
from checks.parse.changelog_change import ChangelogChange, changelog_change
from checks.parse.quote import line_of, quote
from checks.policy import Policy
from checks.registry import rule
from checks.text import Text, text


@rule(Severity.BLOCKING, family="changelog-append-only")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Compare the points of both revisions where a new entry says append-only."""
    change, layout = changelog_change(snapshot, policy), policy.layout(snapshot.head)
    said = [entry for entry in (change.new if change else ()) if entry.flag("append-only")]
    if change is None or not said or layout is None or policy.layout(snapshot.base) != layout:
        return
    head = matrix(snapshot.head, layout)
    base = matrix(snapshot.base, layout, head.dialect)
    unknown = {key for each in (base, head) for key, problem in each.problems_by_key()}
    if "" in unknown:
        return
    rows = [{k: x for k, x in each.rows.items() if k not in unknown} for each in (base, head)]
    found = _first_wrong(base, difference(*rows), said)
    unsure = any(entry.names(key) for entry in said for key in unknown)
    if found and not (found[0] == "nothing" and unsure):
        kind, reason, key = found
        entry = head.entries.get(key)
        shown = Evidence(entry.path, entry.key_line, key) if entry else None
        yield _observation(snapshot, change, said[0], kind, reason, shown)


def _first_wrong(
    base: Matrix, changed: Difference, said: Sequence[Entry]
) -> tuple[str, Text, str] | None:
    """Return what is more than an addition, in a sentence, and the config key that it is about."""
    if changed.removed:
        point = changed.removed[0]
        reason = text("{key} loses or changes points, at concurrency {conc}.",
                      key=point.config_key, conc=_shown(point))  # fmt: skip
        return "removed", reason, point.config_key
    stray = next((point for point in changed.added if not _named(point, said)), None)
    if stray:
        reason = text("{key} gains points too, and no entry names it.", key=stray.config_key)
        return "unnamed", reason, stray.config_key
    if not changed.added:
        return "nothing", text("No point is new."), said[0].name
    images: dict[tuple[object, ...], set[object]] = {}
    for row in (row for rows in base.rows.values() for row in rows):
        images.setdefault(visual_series(row), set()).add(row["image"])
    for point in changed.added:
        if images.get(visual_series(point.row)) != {point.row["image"]}:
            reason = text(
                "The points of {key} at concurrency {conc} belong to no series that was measured "
                "with this image before.",
                key=point.config_key,
                conc=_shown(point),
            )
            return "series", reason, point.config_key
    return None


def _named(point: Point, said: Sequence[Entry]) -> bool:
    scenario = AGENTIC if point.row.get("scenario-type") == AGENTIC else FIXED
    return any(e.names(point.config_key) and scenario in e.scenario_types for e in said)


def _shown(point: Point) -> str:
    return ", ".join(map(str, concurrencies(point.row)))


def _observation(
    snapshot: Snapshot,
    change: ChangelogChange,
    entry: Entry,
    kind: str,
    reason: Text,
    shown: Evidence | None,
) -> Observation:
    line = entry.line_of("append-only")
    content = line_of(snapshot.head, change.path, line) or ""
    alone = content.strip().startswith("append-only:")
    return Observation(
        change.path,
        line,
        text("The pull request does more than append points"),
        text(
            "This entry says append-only. {reason} Drop the flag, or only add points.",
            reason=reason,
        ),
        (*change.identity(entry), kind),
        evidence=(quote(snapshot.head, change.path, line), *([shown] if shown else [])),
        suggestion=Suggestion(line, line, "") if alone else None,
    )
