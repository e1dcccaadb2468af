"""Whoever reads the engine's own documentation can serve the same: its recipe is there, merged.

The sign-off links it in its detail section or beside the item. What is only proposed, or stands
elsewhere, does not count. Its flags are compared as far as it can be read; whether what differs
comes to the same, a person has to judge.
"""

from collections.abc import Sequence

from checks.policy import Policy
from checks.signoff.facts import MEASURED, Config, Facts
from checks.signoff.obligation import Assessment, Obligation, Result, failed, not_applicable
from checks.signoff.proving import affected
from checks.signoff.recipes import judged
from checks.signoff.signers import counting
from checks.text import text

_WORST = (Result.FAIL, Result.UNKNOWN, Result.WARN, Result.PASS)


def _judge(facts: Facts, policy: Policy) -> Assessment:
    configs = affected(facts)
    if isinstance(configs, Assessment):
        return configs
    wanted = _by_engine(facts, policy, configs)
    if not wanted:
        return not_applicable(text("No affected config key needs a recipe of an engine's project."))
    if not counting(facts, policy):
        return failed(text("No code owner signed off yet."))
    found = [judged(facts, policy, engine, own) for engine, own in wanted.items()]
    worst = min(found, key=lambda each: _WORST.index(each.result))
    proofs = tuple(proof for each in found for proof in each.proofs)
    return Assessment(worst.result, worst.reason, proofs)


def _by_engine(facts: Facts, policy: Policy, configs: Sequence[Config]) -> dict[str, list[Config]]:
    """Return the configs that need a recipe, by the engine that has to publish it."""
    layout = policy.layouts.get(facts.content.layout)
    alone = layout is not None and layout.upstream_recipes == "single-node"
    found: dict[str, list[Config]] = {}
    for config in configs:
        parts = config.framework.lower().split("-")
        engine = next((each for each in policy.sign_off.recipes if each in parts), None)
        if engine and not (alone and (config.nodes == "multi" or len(parts) > 1)):
            found.setdefault(engine, []).append(config)
    return found


OBLIGATION = Obligation(
    number=3,
    name="recipe",
    title=text("Recipe published upstream"),
    judge=_judge,
    items=("recipe", "recipe-merged"),
    kinds=MEASURED,
)
