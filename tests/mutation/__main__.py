"""`python -m tests.mutation [RULE] [--all]`: what is caught, rule by rule."""

import sys

from checks.registry import all_rules
from tests.mutation.judging import MOST_SITES, tally
from tests.mutation.operators import load
from tests.mutation.worlds import worlds


def main(arguments: list[str]) -> None:
    load()
    most = 10**6 if "--all" in arguments else MOST_SITES
    wanted = [each for each in arguments if not each.startswith("-")]
    for rule in all_rules():
        if not wanted or any(each in rule.name for each in wanted):
            found = tally(rule.name, worlds(), most)
            print(f"{rule.name:45} {found.sites:6} sites {found.rate:7.1%}")
            if wanted:
                print(*(f"    {n:4} {v}" for v, n in sorted(found.variants.items())), sep="\n")
                print(*(f"    missed: {each}" for each in found.missed[:25]), sep="\n")


main(sys.argv[1:])
