"""The draft model runs as it was shipped, at its own precision; the sign-off says how one knows."""

from checks.policy import Policy
from checks.signoff.drafted import drafting
from checks.signoff.facts import MEASURED, Facts
from checks.signoff.findings import by_rules
from checks.signoff.obligation import Assessment, Obligation, Proof, Result, unknown, warned
from checks.signoff.reasons import reason_for
from checks.signoff.signers import counting
from checks.text import text

RULES = ("draft-model/*",)
ITEM = "draft-as-shipped"


def _judge(facts: Facts, policy: Policy) -> Assessment:
    judged = by_rules(facts, policy, RULES, MEASURED)
    if judged.result not in {Result.PASS, Result.WARN}:
        return judged
    found = drafting(facts)
    if isinstance(found, Assessment):
        return found if judged.result is Result.PASS else judged
    for each in reversed(counting(facts, policy)):
        if reason := reason_for(each.sign_off.said, ITEM, policy):
            proof = Proof(text("the sign-off of {author}", author=each.author), each.sign_off.url)
            what = text(
                "{found} The evidence of {author} is for people to judge: {reason}",
                found=judged.reason,
                author=each.author,
                reason=reason,
            )
            return warned(what, proof, *judged.proofs)
    what = text(
        "Whoever signs has to name the draft's checkpoint, and its precision as stored and as run"
        " ({key}).",
        key=found[0].key,
    )
    return unknown(what, *judged.proofs)


OBLIGATION = Obligation(
    number=13,
    name="draft-as-shipped",
    title=text("Draft model as shipped"),
    judge=_judge,
    items=(ITEM,),
    kinds=MEASURED,
)
