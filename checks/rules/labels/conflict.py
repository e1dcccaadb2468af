"""Labels of a pull request contradict each other.

What it does
    Compares the labels of a pull request that changes what is measured with the groups that the
    policy names: two labels of one group, a modifier without a label of its group, a modifier that
    append-only entries rule out, and one that makes results unfit for the merge while a run is
    chosen for it.

Why it matters
    The labels decide what a sweep runs. With two of a group the sweep stops at its first step; a
    modifier alone starts nothing; and a sweep that was cut down to evaluations gives no points to
    append.

Example
    ``full-sweep-enabled`` and ``full-sweep-fail-fast`` on one pull request.

Use instead
    ``full-sweep-fail-fast`` alone.

Exceptions
    Pull requests that change no config, recipe, script or changelog entry. Upper and lower case.

References
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/CONTRIBUTING.md
"""

from collections.abc import Iterator, Mapping

from checks.model import Observation, Severity, Snapshot
from checks.parse.arms import changes
from checks.parse.changelog_change import new_entries
from checks.parse.quote import quote
from checks.policy import Policy
from checks.registry import rule
from checks.text import text


@rule(Severity.WARNING, family="labels")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Compare the labels with each other and with the changelog."""
    labels = (snapshot.pull_request.labels if snapshot.pull_request else None) or ()
    there = {label.casefold(): label for label in labels}
    known = [*policy.labels.modifiers, *policy.labels.not_append_only, *policy.sweeps.not_reusable]
    known += [label for group in policy.labels.exclusive.values() for label in group]
    if not any(label.casefold() in there for label in known) or not _measures(snapshot, policy):
        return
    yield from _groups(there, policy)
    yield from _append_only(there, snapshot, policy)
    yield from _reuse(there, snapshot, policy)


def _measures(snapshot: Snapshot, policy: Policy) -> bool:
    """Tell whether the pull request changes anything that a sweep runs."""
    touched = changes(snapshot, policy)
    if touched is None:
        return False
    return bool(
        touched.entries or touched.recipes or touched.scripts or new_entries(snapshot, policy)
    )


def _groups(there: Mapping[str, str], policy: Policy) -> Iterator[Observation]:
    for group, members in policy.labels.exclusive.items():
        both = [there[label.casefold()] for label in members if label.casefold() in there]
        if len(both) > 1:
            yield Observation(
                None,
                None,
                text("Two labels exclude each other"),
                text(
                    "Of {labels} only one may be on a pull request. Take the others off.",
                    labels=tuple(both),
                ),
                ("exclusive", group),
            )
        alone = [label for label, needed in policy.labels.modifiers.items() if needed == group]
        for label in alone if not both else ():
            if label.casefold() in there:
                yield Observation(
                    None,
                    None,
                    text("A label does nothing on its own"),
                    text(
                        "{label} only changes what another label starts. Put on one of {labels}, "
                        "or take it off.",
                        label=there[label.casefold()],
                        labels=tuple(members),
                    ),
                    ("modifier", label),
                )


def _append_only(
    there: Mapping[str, str], snapshot: Snapshot, policy: Policy
) -> Iterator[Observation]:
    said = [entry for entry in new_entries(snapshot, policy) if entry.flag("append-only")]
    layout = policy.layout(snapshot.head)
    for label in policy.labels.not_append_only if said and layout else ():
        if layout and label.casefold() in there:
            line = said[0].line_of("append-only")
            yield Observation(
                None,
                None,
                text("A label and an append-only entry exclude each other"),
                text(
                    "{label} runs other points than the new ones, which append-only entries do "
                    "not allow. Take the label off, or drop {setting} from the entry.",
                    label=there[label.casefold()],
                    setting="append-only",
                ),
                ("append-only", label),
                evidence=(quote(snapshot.head, layout.changelog, line),),
            )


def _reuse(there: Mapping[str, str], snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    run = snapshot.pull_request.reuse if snapshot.pull_request else None
    for label in policy.sweeps.not_reusable if run else ():
        if label.casefold() in there:
            yield Observation(
                None,
                None,
                text("A label and the run that is to be reused exclude each other"),
                text(
                    "Run {run} is chosen for reuse at the merge, and {label} makes its results "
                    "unfit for that. Take the label off, or choose the run of a sweep without it.",
                    run=str(run),
                    label=there[label.casefold()],
                ),
                ("reuse", label),
            )
