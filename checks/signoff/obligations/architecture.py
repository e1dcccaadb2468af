"""The model that is measured is the model as published: nothing removes parts of it."""

from checks.policy import Policy
from checks.signoff.facts import MEASURED, Facts
from checks.signoff.findings import by_rules
from checks.signoff.obligation import Assessment, Obligation
from checks.text import text

RULES = ("recipe/architecture-override", "recipe/events-metrics-off")


def _judge(facts: Facts, policy: Policy) -> Assessment:
    return by_rules(facts, policy, RULES, MEASURED)


OBLIGATION = Obligation(
    number=8,
    name="architecture",
    title=text("Model architecture unchanged"),
    judge=_judge,
    items=("architecture",),
    kinds=MEASURED,
)
