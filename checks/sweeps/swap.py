"""Which labels `/sweep` takes off and puts on."""

from collections.abc import Iterable

from checks.policy_types import LabelGroups
from checks.publication import LabelChange
from checks.text import Text, text

NONE = "none"


def wanted(groups: LabelGroups, kind: str | None) -> tuple[str, ...] | Text:
    """Return the labels that a kind of sweep takes; a sentence where the policy has none.

    Args:
        groups: of the policy.
        kind: what somebody asked for; None for what the policy sets by itself, or its first kind.

    """
    kinds = groups.sweeps
    if kind == NONE:
        return ()
    if kind is None and groups.automatic:
        return (groups.automatic,)
    kind = kind or next(iter(kinds), None)
    if kind in kinds:
        return kinds[kind]
    if not kinds:
        return text("The policy of this repository has no labels for sweeps.")
    return text(
        "The policy of this repository has no label for {kind}; it has {kinds}.",
        kind=kind or "",
        kinds=tuple(kinds),
    )


def swap(groups: LabelGroups, labels: Iterable[str], target: Iterable[str]) -> LabelChange:
    """Return what to change so that of all labels for sweeps the target's are set.

    Args:
        groups: of the policy.
        labels: those that the pull request has; other modifiers stay on it.
        target: those that it should have.

    """
    meant = {label.casefold() for label in target}
    of_kinds = [label for kind in groups.sweeps.values() for label in kind]
    ours = {
        each.casefold() for label in of_kinds for each in (label, *groups.group_of(label))
    }  # with the rest of their groups
    there = [label for label in labels if label.casefold() in ours]
    has = {label.casefold() for label in there}
    return LabelChange(
        remove=tuple(label for label in there if label.casefold() not in meant),
        add=tuple(label for label in target if label.casefold() not in has),
    )
