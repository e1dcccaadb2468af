"""Nothing is submitted that is not measured any more."""

from checks.policy import Policy
from checks.signoff.facts import MEASURED, Facts, Kind
from checks.signoff.findings import by_rules, open_findings
from checks.signoff.obligation import (
    Assessment,
    Obligation,
    Result,
    unknown,
)
from checks.signoff.proving import affected
from checks.text import text

RULES = ("models/*",)
KINDS = MEASURED | {Kind.CHANGELOG, Kind.MODELS}


def _judge(facts: Facts, policy: Policy) -> Assessment:
    content = facts.content
    judged = by_rules(facts, policy, RULES, KINDS)
    if judged.result is Result.FAIL or judged.result is Result.UNKNOWN:
        return judged
    configs = affected(facts)
    if isinstance(configs, Assessment) and not open_findings(facts, RULES):
        return configs
    if not content.models_page:
        return unknown(text("The base has no page that says what is measured."))
    if content.models_moved:
        return unknown(
            text(
                "{page} changed on the target branch since; merge it, so that its rules apply.",
                page=content.models_page,
            )
        )
    return judged


OBLIGATION = Obligation(
    number=7,
    name="deprecated",
    title=text("Nothing deprecated"),
    judge=_judge,
    items=("deprecated",),
    kinds=KINDS,
)
