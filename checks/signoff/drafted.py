"""The affected configs that draft tokens, and the first of which something cannot be seen."""

from collections.abc import Callable

from checks.signoff.facts import Config, Facts
from checks.signoff.obligation import Assessment, Proof, not_applicable, unknown
from checks.signoff.proving import affected
from checks.text import Text, text


def drafting(facts: Facts) -> tuple[Config, ...] | Assessment:
    """Return the affected configs with speculative decoding; why not, where there are none."""
    configs = affected(facts)
    if isinstance(configs, Assessment):
        return configs
    found = tuple(config for config in configs if config.speculative)
    return found or not_applicable(text("No config key with speculative decoding is affected."))


def unseen(
    configs: tuple[Config, ...], seen: Callable[[Config], bool | None], what: Text
) -> Assessment | None:
    """Return that something cannot be seen of a config, None when it is seen of all.

    Args:
        configs: to look at.
        seen: what is known of one.
        what: cannot be seen, as a clause.

    """
    blind = [config for config in configs if not seen(config)]
    if not blind:
        return None
    proofs = (Proof(text("Config key {key}", key=x.key), path=x.path, line=x.line) for x in blind)
    return unknown(text("{what}; look it up for {key}.", what=what, key=blind[0].key), *proofs)
