"""Everything that a pull request affects was measured on one of its commits, and all of it passed.

A push after the run warns where it changes what is measured: the repository takes the results of
any commit in the pull request.
"""

from checks.policy import Policy
from checks.signoff.facts import JUDGING, Facts
from checks.signoff.obligation import Assessment, Obligation
from checks.signoff.proving import SWEEP, at, by_jobs, to_measure
from checks.text import text

ITEM = "validation"


def _judge(facts: Facts, policy: Policy) -> Assessment:
    configs = to_measure(facts)
    if isinstance(configs, Assessment):
        return configs
    best = by_jobs(facts, policy, policy.sign_off.validation, configs, SWEEP)
    return best if isinstance(best, Assessment) else at(facts, policy, best, ITEM)


OBLIGATION = Obligation(
    number=1,
    name="validation",
    title=text("Sweep passed"),
    judge=_judge,
    items=(ITEM,),
    kinds=JUDGING,
)
