"""A changelog entry says append-only, and a file that existing points run is changed.

What it does
    Where a new entry has ``append-only: true``, looks for changed recipes and scripts that a
    config key of the base runs: a variant of a recipe that reads otherwise now, and a script whose
    commands differ.

Why it matters
    An append-only sweep measures the new points only and puts them beside old results. When the
    file that both run has changed, the old results are of another configuration.

Example
    ``append-only: true``, a new concurrency, and ``--max-num-seqs 64`` becoming 128 for all.

Use instead
    A branch for the new points only, or no ``append-only``, so that all points run again.

Exceptions
    Comments, evaluations, new variants, config keys that another new entry measures again, and a
    branch on the concurrency or the parallelism in which nothing changes that an existing point
    runs.

References
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/utils/process_changelog.py
"""

from collections.abc import Iterator

from checks.model import Evidence, Observation, Severity, Snapshot
from checks.parse.changelog import Entry
from checks.parse.changelog_change import ChangelogChange, changelog_change
from checks.parse.config_entry import ConfigEntry
from checks.parse.quote import quote
from checks.parse.shared_edits import SharedEdit, shared_edits
from checks.policy import Policy
from checks.registry import rule
from checks.text import text


@rule(Severity.WARNING, family="changelog-append-only")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Look for changed files behind existing points where a new entry says append-only."""
    change, layout = changelog_change(snapshot, policy), policy.layout(snapshot.base)
    said = [entry for entry in (change.new if change else ()) if entry.flag("append-only")]
    if change is None or not said or layout is None:
        return
    again = [entry for entry in change.new if not entry.flag("append-only")]
    for edit in shared_edits(snapshot, layout):
        left = [x for x in edit.entries if not any(entry.names(x.key) for entry in again)]
        if left:
            yield _observation(snapshot, change, said[0], edit, left)


def _observation(
    snapshot: Snapshot,
    change: ChangelogChange,
    entry: Entry,
    edit: SharedEdit,
    keys: list[ConfigEntry],
) -> Observation:
    first = keys[0]
    flag = entry.line_of("append-only")
    return Observation(
        edit.path,
        edit.line,
        text("Existing points run this file, too"),
        text(
            "A new changelog entry says append-only, and this change reaches points that are "
            "measured already: those of {key} (config keys that run this file: {count}). Keep the "
            "change in a branch for the new points, or drop append-only.",
            key=first.key,
            count=len(keys),
        ),
        ("append-only",),
        evidence=(
            *([quote(snapshot.head, edit.path, edit.line)] if edit.line else []),
            quote(snapshot.head, change.path, flag),
            Evidence(first.path, None, first.key),
        ),
    )
