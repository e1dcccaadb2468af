"""Agentic runs that draft tokens are held to the golden acceptance length, and others to none."""

from checks.model import Severity
from checks.policy import Policy
from checks.signoff.drafted import drafting, unseen
from checks.signoff.facts import MEASURED, Facts, Kind
from checks.signoff.findings import by_rules, open_findings
from checks.signoff.obligation import Assessment, Obligation, Result, failed, not_applicable
from checks.signoff.reasons import excused
from checks.text import text

NO_CELL, OUTSIDE = (
    "speculative-decoding/no-golden-cell",
    "speculative-decoding/simulated-outside-agentic",
)
RULES = (
    NO_CELL,
    OUTSIDE,
    "speculative-decoding/acceptance-*",
    "speculative-decoding/draft-token-arithmetic",
    "speculative-decoding/eval-keeps-simulation",
    "speculative-decoding/golden-al-mismatch",
    "speculative-decoding/thinking-mode-mismatch",
    "speculative-decoding/trt-off-by-one",
    "golden-al/*",
)
KINDS = MEASURED | {Kind.GOLDEN}
ITEM = "golden-acceptance"


def _judge(facts: Facts, policy: Policy) -> Assessment:
    judged = by_rules(facts, policy, RULES, KINDS)
    if judged.result is Result.FAIL:
        return _failed(facts, policy, judged)
    if judged.result is not Result.PASS:
        return judged
    found = drafting(facts)
    if isinstance(found, Assessment):
        return found
    agentic = tuple(config for config in found if config.agentic)
    if not agentic:
        return not_applicable(text("No agentic config key with speculative decoding is affected."))
    what = text("Whether the acceptance length is the golden one cannot be seen")
    return unseen(agentic, lambda config: config.golden, what) or judged


def _failed(facts: Facts, policy: Policy, judged: Assessment) -> Assessment:
    """Return a failure; that there is no golden value, or an exception, a person may accept."""
    blocking = [x for x in open_findings(facts, RULES) if x.severity is Severity.BLOCKING]
    if any(each.rule not in (NO_CELL, OUTSIDE) for each in blocking):
        return judged
    if all(each.rule == NO_CELL for each in blocking):
        what = text(
            "{title}; the sign-off has to say where the acceptance length comes from.",
            title=blocking[0].title,
        )
        judged = failed(what, *judged.proofs)
    return excused(facts, policy, judged, ITEM, RULES)


OBLIGATION = Obligation(
    number=11,
    name="golden-acceptance",
    title=text("Golden acceptance length"),
    judge=_judge,
    items=(ITEM,),
    kinds=KINDS,
)
