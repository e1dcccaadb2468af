"""Everything that a pull request affects was evaluated, with its image, and reaches the thresholds.

A green job is not enough: the scores themselves are read.
"""

from collections.abc import Sequence

from checks.policy import Policy
from checks.signoff.facts import JUDGING, Config, Facts
from checks.signoff.obligation import (
    Assessment,
    Obligation,
    Proof,
    failed,
    listed,
    not_applicable,
    unknown,
)
from checks.signoff.proving import MOST_PROOFS, Best, affected, at, by_jobs, by_person, places
from checks.signoff.scores import Evaluated, judged
from checks.signoff.sweeps import load_of
from checks.text import text

ITEM = "evals"
EVALUATION = text("a passing evaluation")


def _judge(facts: Facts, policy: Policy) -> Assessment:
    configs = affected(facts)
    if isinstance(configs, Assessment):
        return configs
    evaluated = [each for each in configs if each.evaluated is not False]
    if not evaluated:
        return not_applicable(text("No affected config key is evaluated by its sweep."))
    best = by_jobs(facts, policy, policy.sign_off.evals, evaluated, EVALUATION)
    if isinstance(best, Assessment):
        return best
    return _by_scores(facts, policy, best, evaluated)


def _by_scores(facts: Facts, policy: Policy, best: Best, configs: Sequence[Config]) -> Assessment:
    content = facts.content
    known = Evaluated(content.configs or ())
    limits = content.thresholds_trouble or content.thresholds
    found = [
        each
        for config in configs
        for run in (best[load_of(config)],)
        for each in judged(config, run.measured, run.since, limits, known)
    ]
    wrong = [each for each in found if each.wrong]
    unclear = [each for each in found if each.wrong is None]
    told = [*wrong, *unclear, *found]
    proofs = tuple(Proof(each.reason, each.url) for each in told)
    if wrong:
        return failed(wrong[0].reason, *listed(proofs, MOST_PROOFS))
    green = at(facts, policy, best, ITEM)
    if not unclear:
        return Assessment(green.result, green.reason, listed((*green.proofs, *proofs), MOST_PROOFS))
    lost = next((each for each in unclear if not each.person), None)
    if lost is not None:
        return unknown(lost.reason, *listed(proofs, MOST_PROOFS))
    paths = places(configs)
    return by_person(facts, policy, unclear[0].reason, ITEM, paths, *listed(proofs, MOST_PROOFS))


OBLIGATION = Obligation(
    number=2,
    name="evals",
    title=text("Evaluations passed"),
    judge=_judge,
    items=(ITEM,),
    kinds=JUDGING,
)
