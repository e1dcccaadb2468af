"""What the pull request and its changelog entry say is what the files have."""

from checks.policy import Policy
from checks.signoff.facts import Facts
from checks.signoff.findings import by_rules
from checks.signoff.obligation import Assessment, Obligation
from checks.text import text

RULES = ("claims/*", "pull-request/*")


def _judge(facts: Facts, policy: Policy) -> Assessment:
    return by_rules(facts, policy, RULES, frozenset())


OBLIGATION = Obligation(
    number=15,
    name="description",
    title=text("Description matches the files"),
    judge=_judge,
    advisory=True,
)
