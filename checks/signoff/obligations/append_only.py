"""What says that it only adds points changes nothing that is measured already."""

from checks.policy import Policy
from checks.signoff.facts import Facts
from checks.signoff.findings import by_rules, open_findings
from checks.signoff.obligation import (
    Assessment,
    Obligation,
    Proof,
    Result,
    not_applicable,
    unknown,
)
from checks.text import text

RULES = ("append-only/*",)
SHARED = ("append-only/shared-edit",)


def _judge(facts: Facts, policy: Policy) -> Assessment:
    if not facts.content.append_only:
        return not_applicable(text("No new changelog entry says {flag}.", flag="append-only"))
    judged = by_rules(facts, policy, RULES, frozenset())
    if judged.result in {Result.FAIL, Result.UNKNOWN}:
        return judged
    if open_findings(facts, SHARED):
        what = text("{reason}: a person has to judge which points that reaches.",
                    reason=judged.reason)  # fmt: skip
        return unknown(what, *judged.proofs)
    loose = facts.content.unattributed
    if loose:
        proofs = (Proof(text("A changed file"), path=path) for path in loose)
        what = text("Which points the change of {path} reaches cannot be told.", path=loose[0])
        return unknown(what, *proofs)
    return judged


OBLIGATION = Obligation(
    number=12,
    name="append-only",
    title=text("Append-only"),
    judge=_judge,
    items=("append-only",),
)
