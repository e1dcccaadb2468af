"""Engines run from images that their own projects publish, and that everybody can pull."""

from checks.policy import Policy
from checks.signoff.facts import Facts, Kind
from checks.signoff.findings import by_rules
from checks.signoff.obligation import Assessment, Obligation
from checks.signoff.reasons import excused
from checks.text import text

RULES = ("image/not-upstream", "image/not-public")
KINDS = frozenset({Kind.MASTER, Kind.RECIPE})


def _judge(facts: Facts, policy: Policy) -> Assessment:
    judged = by_rules(facts, policy, RULES, KINDS)
    return excused(facts, policy, judged, "upstream-image", RULES)


OBLIGATION = Obligation(
    number=6,
    name="upstream-image",
    title=text("Upstream images"),
    judge=_judge,
    items=("upstream-image",),
    kinds=KINDS,
)
