"""Each affected curve has enough points that no other one beats.

Results of other runs are not added up: a curve is what one run measured.
"""

from collections.abc import Iterator

from checks.policy import Policy
from checks.signoff.facts import JUDGING, Config, Facts
from checks.signoff.obligation import (
    Assessment,
    Obligation,
    Proof,
    failed,
    listed,
    passed,
    unknown,
)
from checks.signoff.proving import MOST_PROOFS, SWEEP, Best, by_jobs, to_measure
from checks.signoff.sweeps import load_of
from checks.text import Text, text

FEWEST = 5
Count = tuple[str, int | None, str]


def _judge(facts: Facts, policy: Policy) -> Assessment:
    configs = to_measure(facts)
    if isinstance(configs, Assessment):
        return configs
    best = by_jobs(facts, policy, policy.sign_off.validation, configs, SWEEP)
    if isinstance(best, Assessment):
        return unknown(text("There is no passing run whose points could be counted."))
    counts = sorted(set(_counts(configs, best)))
    few = [each for each in counts if each[1] is not None and each[1] < FEWEST]
    lost = [each for each in counts if each[1] is None]
    told = (Proof(_said(curve, count), url) for curve, count, url in (*few, *lost))
    proofs = listed(told, MOST_PROOFS)
    if few and not facts.content.append_only:
        return failed(_too_few(few), *proofs)
    if few:
        return unknown(
            text(
                "{curve} has {count} new points on its frontier; those of before count too, and"
                " were not read.",
                curve=few[0][0],
                count=few[0][1] or 0,
            ),
            *proofs,
        )
    if lost:
        what = text("The measured points of {curve} could not be read.", curve=lost[0][0])
        return unknown(what, *proofs)
    least = min(count for _, count, _ in counts if count is not None)
    return passed(
        text("Curves: {curves}; each has {least} points or more.", curves=len(counts), least=least)
    )


def _counts(configs: tuple[Config, ...], best: Best) -> Iterator[Count]:
    """Yield each affected curve, or a config of unknown ones, with its points as far as known."""
    for config in configs:
        measured = best[load_of(config)].measured
        known = (measured.frontier or {}).get
        for curve in config.curves or (config.key,):
            yield curve, known(curve), measured.run.url


def _said(curve: str, count: int | None) -> Text:
    if count is None:
        return text("{curve}: not read", curve=curve)
    return text("{curve}: {count} of {fewest}", curve=curve, count=count, fewest=FEWEST)


def _too_few(few: list[Count]) -> Text:
    curve, count, _ = few[0]
    if len(few) == 1:
        return text(
            "{curve} has {count} points on its frontier, {fewest} are wanted; measure more, or ask"
            " a maintainer for an exception.",
            curve=curve,
            count=count or 0,
            fewest=FEWEST,
        )
    return text(
        "{curve} and {more} more curves have less than {fewest} points on their frontier; measure"
        " more, or ask a maintainer for an exception.",
        curve=curve,
        more=len(few) - 1,
        fewest=FEWEST,
    )


OBLIGATION = Obligation(
    number=14,
    name="pareto",
    title=text("Enough points on each curve"),
    judge=_judge,
    items=("pareto",),
    kinds=JUDGING,
    advisory=True,
)
