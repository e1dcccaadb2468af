"""A new changelog entry claims a draft or acceptance length that its recipes do not have.

What it does
    Reads draft lengths (``num_speculative_tokens``, ``speculative-num-steps``) and acceptance
    lengths in the sentences of new entries, and compares them with the recipes and scripts that the
    entry's config keys run, at head.

Why it matters
    The changelog is what readers of a curve see. A wrong length stays there for good, since
    entries are never edited afterwards.

Example
    ``"Pin synthetic acceptance length 2.40"`` while the recipe pins ``2.49``.

Use instead
    ``"Pin synthetic acceptance length 2.49"``

Exceptions
    A length that any of the recipes has, or that the launcher writes into one; what was before
    ("was", "from"); recipes of other repositories. Two sentences that disagree belong to
    ``claims/self-contradiction``.

References
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/perf-changelog.yaml
"""

from collections.abc import Iterator

from checks.model import Evidence, Observation, Severity, Snapshot
from checks.parse.changelog import Item
from checks.parse.claim_subjects import Subject, subjects
from checks.parse.claims import NumberClaim, number_claims
from checks.parse.speculation import decimal
from checks.policy import Policy
from checks.registry import rule
from checks.text import text

MOST_SHOWN = 4


@rule(Severity.WARNING, family="changelog-prose")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Compare claimed lengths with the recipes, entry by entry."""
    for subject in subjects(snapshot, policy):
        claims = [(i, c) for i in subject.entry.description for c in number_claims(i.value)]
        for kind in dict.fromkeys(claim.kind for _, claim in claims):
            facts = subject.facts(kind)
            actual = {decimal(value) for value in facts}
            same = [(item, claim) for item, claim in claims if claim.kind == kind]
            if not facts or any(decimal(claim.number) in actual for _, claim in same):
                continue
            for item, claim in same:
                yield _observation(subject, item, claim, facts)


def _observation(
    subject: Subject, item: Item, claim: NumberClaim, facts: dict[str, Evidence]
) -> Observation:
    place = str(subject.entry.description.index(item))
    line, actual = subject.place(item, claim.written), list(facts)
    keys = dict.fromkeys(space.entry.key for space in subject.spaces if space.speculative)
    new = claim.written.replace(claim.number, actual[0])
    return Observation(
        subject.path,
        line,
        text("The description claims a length that is not run"),
        text(
            "This says {claimed}, but the recipes of {key} have {actual}. Correct the sentence or "
            "the recipe.",
            claimed=claim.written,
            key=tuple(keys),
            actual=tuple(actual[:MOST_SHOWN]),
        ),
        (subject.identity, claim.kind, claim.written, place),
        evidence=(
            Evidence(subject.path, line, claim.written),
            *list(facts.values())[:MOST_SHOWN],
        ),
        suggestion=subject.edit(item, claim.written, new) if len(facts) == 1 else None,
    )
