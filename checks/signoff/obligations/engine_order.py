"""An open-source engine is submitted before a vendor's own, on the same hardware."""

from checks.policy import Policy
from checks.signoff.facts import Facts, Kind
from checks.signoff.findings import by_rules
from checks.signoff.obligation import Assessment, Obligation
from checks.signoff.reasons import excused
from checks.text import text

RULES = ("master-config/engine-first-missing",)
KINDS = frozenset({Kind.MASTER})


def _judge(facts: Facts, policy: Policy) -> Assessment:
    judged = by_rules(facts, policy, RULES, KINDS)
    return excused(facts, policy, judged, "engine-order", RULES)


OBLIGATION = Obligation(
    number=6,
    name="engine-order",
    title=text("Open-source engines first"),
    judge=_judge,
    items=("engine-order",),
    kinds=KINDS,
)
