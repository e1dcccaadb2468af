"""Every rule finds the defects that operators put into clean files, at their exact lines."""

import pytest

from checks.registry import all_rules
from tests.kit import REFERENCE
from tests.mutation.judging import operators, tally
from tests.mutation.operators import load
from tests.mutation.worlds import worlds

load()
LEAST = 0.95
# Rules that files alone do not decide, with what else they need.
WITHOUT_OPERATOR = {
    "claims/pull-request-body": "what the pull request says of itself",
    "labels/conflict": "its labels",
    "pull-request/disclosure-missing": "what it says of itself",
}
NAMES = [rule.name for rule in all_rules() if rule.name not in WITHOUT_OPERATOR]


@pytest.mark.parametrize("name", NAMES)
def test_what_is_put_in_is_found(name: str) -> None:
    found = tally(name, worlds())
    if not found.sites and not REFERENCE.is_dir():
        pytest.skip("the reference repository's files are not on this machine")
    print(f"{name}: {found.rate:.1%} of {found.sites}")
    assert found.sites
    assert found.rate >= LEAST, "\n".join([f"{found.rate:.1%} of {found.sites}", *found.missed])


def test_every_rule_has_an_operator() -> None:
    assert {each.rule for each in operators} == set(NAMES)
