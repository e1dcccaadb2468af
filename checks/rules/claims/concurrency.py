"""A new changelog entry claims concurrencies that its config keys do not run.

What it does
    Reads concurrency lists and ranges in the sentences of new entries, and compares them with the
    search spaces of the config keys that the entry names, at head. A label beside the list (TP8,
    DEP8, TEP8) picks the arms it is about.

Why it matters
    The changelog is what readers of a curve see. A claim that the sweep does not run stays there
    for good, since entries are never edited afterwards.

Example
    ``"TP8 at conc-list [4, 8, 12]"`` for a config key with ``conc-list: [4, 8]``.

Use instead
    ``"TP8 at conc-list [4, 8]"``

Exceptions
    A list of some of the concurrencies; a range, as long as both its ends are run; what was before
    ("was", "from", "drop"); measurements; single values.

References
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/perf-changelog.yaml
"""

from collections.abc import Iterator

from checks.model import Evidence, Observation, Severity, Snapshot
from checks.parse.changelog import Item
from checks.parse.claim_subjects import Subject, arms_meant, concurrencies, subjects
from checks.parse.claims import ConcurrencyClaim, concurrency_claims
from checks.parse.config_entry import SearchSpace
from checks.policy import Policy
from checks.registry import rule
from checks.text import text


@rule(Severity.WARNING, family="changelog-prose")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Compare claimed with configured concurrencies, entry by entry."""
    for subject in subjects(snapshot, policy):
        for item in subject.entry.description:
            for claim in concurrency_claims(item.value):
                arms = arms_meant(claim, subject.spaces)
                if set(claim.values) - set(concurrencies(arms)):
                    yield _observation(subject, item, claim, arms)


def _observation(
    subject: Subject, item: Item, claim: ConcurrencyClaim, arms: tuple[SearchSpace, ...]
) -> Observation:
    actual, line = concurrencies(arms), subject.place(item, claim.written)
    missing = [value for value in claim.values if value not in actual]
    sure = len({space.concurrencies for space in arms}) == 1 and 2 * len(missing) <= len(
        claim.values
    )
    return Observation(
        subject.path,
        line,
        text("The description claims concurrencies that are not run"),
        text(
            "This says concurrency {claimed}, but {missing} is not run by {keys}: its "
            "concurrencies are {actual}. Correct the sentence or the master config.",
            claimed=claim.written,
            missing=", ".join(map(str, missing)),
            keys=tuple(dict.fromkeys(space.entry.key for space in arms)),
            actual=", ".join(map(str, actual)),
        ),
        (subject.identity, "concurrency", claim.written),
        evidence=(
            Evidence(subject.path, line, claim.written),
            *subject.concurrency_evidence(arms),
        ),
        suggestion=subject.edit(item, claim.written, claim.rewritten(actual)) if sure else None,
    )
