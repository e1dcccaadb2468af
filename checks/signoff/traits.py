"""Which points a result may be of, by what it says of itself.

A result that leaves out what tells two points apart may be of either, and proves neither.
"""

from collections.abc import Iterable, Iterator

from checks.matrix.schema import AGENTIC, FIXED
from checks.parse.hardware import sku
from checks.signoff.facts import Config, Score, Traits

_USUAL = frozenset({"1", "false"})
_METHOD = "spec-decoding"
Deployment = tuple[str, ...]


def expected(config: Config) -> tuple[Traits, ...]:
    """Return the traits of what a sweep evaluates of a config, as far as they are known."""
    if config.evaluations:
        return config.evaluations
    scenario = {"scenario-type": AGENTIC if config.agentic else FIXED}
    return (scenario if config.speculative else {**scenario, _METHOD: "none"},)


def deployment(it: Config | Score) -> Deployment:
    """Return model, engine, precision and hardware; runners of one hardware are not told apart."""
    hardware = it.hardware if isinstance(it, Score) else it.runner
    parts = (it.model_prefix, it.framework, it.precision, sku(hardware))
    return tuple(part.lower() for part in parts)


def may_be_of(score: Score, config: Config) -> bool:
    """Tell whether a score may be of a config of the same deployment."""
    blurred = config.speculative and not config.evaluations
    if blurred and score.traits.get(_METHOD) == "none":
        return False
    return any(fits(score.traits, each) for each in (*expected(config), *config.traits))


def fits(said: Traits, point: Traits) -> bool:
    """Tell whether nothing that a result says of itself differs from a point."""
    return all(point.get(name, value) == value for name, value in said.items())


def unsaid(score: Score, wanted: Traits, configs: Iterable[Config]) -> str | None:
    """Return a trait that a score would have to state to be of one evaluation alone.

    Args:
        score: that fits the evaluation.
        wanted: the evaluation.
        configs: all of this deployment that the run may have evaluated.

    """
    others = (each for config in configs if may_be_of(score, config) for each in expected(config))
    missing = (
        name
        for each in others
        if fits(score.traits, each)
        for name, value in each.items()
        if wanted.get(name, value) != value
    )
    return next(missing, None)


def in_words(traits: Traits) -> str:
    """Return traits for people: ``isl 8192, osl 1024, spec-decoding mtp, tp 8``."""
    return ", ".join(f"{name} {value}" for name, value in _telling(traits))


def _telling(traits: Traits) -> Iterator[tuple[str, str]]:
    for name, value in traits.items():
        if value not in _USUAL and name != "scenario-type":
            yield name, value
