"""Two sentences of one new changelog entry state different values for the same thing.

What it does
    Compares the concurrency lists, draft lengths and acceptance lengths that the sentences of a
    new entry claim. Where two differ and the files agree with exactly one, the other is reported.

Why it matters
    An entry grows while a pull request is tuned, and old sentences stay behind. Whoever reads the
    wrong one believes that points are missing.

Example
    ``"... ; conc 1/8/16"`` in one sentence, ``"conc curve widened to 1/2/4/8/16"`` in another.

Use instead
    The value that the master config has, in both.

Exceptions
    Old beside new values ("from", "was"), sentences about different arms, and files that agree
    with both or none.

References
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/perf-changelog.yaml
"""

from collections.abc import Iterator

from checks.model import Evidence, Observation, Severity, Snapshot
from checks.parse.changelog import Item
from checks.parse.claim_subjects import Subject, concurrencies, subjects
from checks.parse.claims import ConcurrencyClaim, NumberClaim, concurrency_claims, number_claims
from checks.policy import Policy
from checks.registry import rule
from checks.text import text


@rule(Severity.WARNING, family="changelog-prose")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Look for contradictions inside each new entry."""
    for subject in subjects(snapshot, policy):
        yield from _concurrency(subject)
        yield from _numbers(subject)


def _concurrency(subject: Subject) -> Iterator[Observation]:
    actual = concurrencies(subject.spaces)
    arms = {tuple(sorted(set(space.concurrencies))) for space in subject.spaces}
    whole_keys = {concurrencies(each.search_spaces) for each in subject.named}
    claims = [
        (item, claim)
        for item in subject.entry.description
        for claim in concurrency_claims(item.value)
        if not claim.ranged
    ]
    right = next(((item, claim) for item, claim in claims if claim.values == actual), None)
    for item, claim in claims if right else ():
        known = claim.values in arms | whole_keys
        if right and claim.whole and not known and item.line != right[0].line:
            new = claim.rewritten(actual)
            evidence = subject.concurrency_evidence(subject.spaces)
            yield _observation(subject, (item, claim), right, new, evidence)


def _numbers(subject: Subject) -> Iterator[Observation]:
    claims = [(i, c) for i in subject.entry.description for c in number_claims(i.value)]
    for kind in dict.fromkeys(claim.kind for _, claim in claims):
        facts = subject.facts(kind) if len(claims) > 1 else {}
        if len(facts) != 1:
            continue
        ((actual, place),) = facts.items()
        same = [(item, claim) for item, claim in claims if claim.kind == kind]
        right = next(((item, claim) for item, claim in same if claim.number == actual), None)
        for item, claim in same if right else ():
            if right and claim.number != actual and item.line != right[0].line:
                new = claim.written.replace(claim.number, actual)
                yield _observation(subject, (item, claim), right, new, (place,))


def _observation(
    subject: Subject,
    wrong: tuple[Item, ConcurrencyClaim | NumberClaim],
    right: tuple[Item, ConcurrencyClaim | NumberClaim],
    new: str,
    evidence: tuple[Evidence, ...],
) -> Observation:
    (item, claim), (other, agreeing) = wrong, right
    line, other_line = subject.place(item, claim.written), subject.place(other, agreeing.written)
    return Observation(
        subject.path,
        line,
        text("Two sentences of this entry contradict each other"),
        text(
            "This sentence says {claimed}, another one of the same entry (line {line}) says "
            "{other}, and the files agree with the other one. Make this one say it too.",
            claimed=claim.written,
            line=other_line,
            other=agreeing.written,
        ),
        (subject.identity, claim.written),
        evidence=(
            Evidence(subject.path, line, claim.written),
            Evidence(subject.path, other_line, agreeing.written),
            *evidence,
        ),
        suggestion=subject.edit(item, claim.written, new),
    )
