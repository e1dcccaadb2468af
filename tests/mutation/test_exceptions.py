"""A policy can excuse config keys from every rule that judges them one by one."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from checks.model import Finding, Severity, Snapshot
from checks.policy import Policy, RulePolicy
from checks.registry import Rule, all_rules
from checks.run import run_checks
from tests.mutation.judging import operators, snapshots
from tests.mutation.operators import load
from tests.mutation.worlds import worlds

load()


def found(rule: Rule) -> Iterator[tuple[Snapshot, Policy, tuple[Finding, ...]]]:
    """Return the first defect of each kind with what the rule finds of it."""
    for named in (each for each in operators if each.rule == rule.name):
        world = worlds().get(named.world)
        site = next(iter(named.run(world)), None) if world else None
        if world and site:
            pull = snapshots(world, site)[1]
            yield pull, world.policy, run_checks(pull, world.policy, [rule]).findings


@pytest.mark.parametrize("rule", [r for r in all_rules() if r.excused], ids=lambda rule: rule.name)
def test_every_finding_is_about_a_config_key_that_can_be_excused(rule: Rule) -> None:
    looked = 0
    for pull, policy, before in found(rule):
        looked += len(before)
        settings = RulePolicy(exceptions=("*",), severity=Severity.BLOCKING)
        report = run_checks(pull, replace(policy, rules={rule.name: settings}), [rule])
        if rule.excused == "ruled out":
            assert report.findings == ()
            reasons = [str(each.reason) for each in report.ruled_out]
            assert sum(x.endswith(" is excused by the policy.") for x in reasons) == len(before)
        else:
            assert {each.severity for each in report.findings} == {rule.excused}
            assert len(report.findings) == len(before)
        other = replace(policy, rules={rule.name: RulePolicy(exceptions=("no-such-key",))})
        assert run_checks(pull, other, [rule]).findings == before
    assert looked
