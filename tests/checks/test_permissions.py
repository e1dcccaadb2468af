"""Which permissions are lacking, and what a plan leaves out for want of them."""

from dataclasses import replace

import pytest

from checks.model import Suggestion
from checks.permissions import TALK, WITHOUT, Lacking, allows, lacking, missed, wanted
from checks.plan import Context, plan
from checks.policy import Policy, preset
from checks.publication import LabelChange, Plan, Published
from checks.render import Voice
from checks.sweeps.label import SweepLabel
from tests.checks.test_plan import FILES, NEXT, VOICE, carry_out, finding, report

PARTS = {"labels", "review", "resolve", "edits", "sticky", "check_run"}


def parts(wanted: Plan) -> set[str]:
    return {name for name in PARTS if getattr(wanted, name)}


def planned(*lacks: str) -> Plan:
    """Plan for one finding fixed, one new with a fix, and a label to set."""
    old, new = finding("one"), finding("two", suggestion=Suggestion(3, 3, "x"))
    before = carry_out(plan(report(old), Published(), FILES, VOICE), Published())
    label = SweepLabel(LabelChange(add=("sweep",)))
    now = report(new, head=NEXT)
    permissions = frozenset(lacks)
    return plan(now, before, FILES, VOICE, Context(can_fix=True, label=label, lacks=permissions))


@pytest.mark.parametrize(
    ("lacks", "left"),
    [
        ((), PARTS),
        (("actions=write", "issues=write", "contents=write"), PARTS - {"resolve"}),
        (("pull_requests=write",), {"labels", "sticky", "check_run"}),
        (tuple(TALK), {"check_run"}),
        (("checks=write",), PARTS - {"check_run"}),
        (("checks=write", *TALK), set()),
    ],
)
def test_what_may_not_be_written_is_not_planned(lacks: tuple[str, ...], left: set[str]) -> None:
    found = planned(*lacks)
    assert parts(found) == left
    said = [found.sticky.body] if found.sticky else []
    said += [found.check_run.summary] if found.check_run else []
    assert all(f"- `{each}`: {WITHOUT[each]}" in body for each in lacks for body in said)


def test_a_finding_without_its_line_is_listed() -> None:
    found = planned("pull_requests=write")
    assert found.sticky is not None
    assert "`two` is not a link." in found.sticky.body
    assert found.check_run is not None
    assert len(found.check_run.annotations) == 1


def test_no_button_offers_what_cannot_be_committed() -> None:
    for lacks, buttons in (((), ["rerun", "fix"]), (("contents=write",), ["rerun"])):
        found = planned(*lacks)
        assert found.check_run is not None
        assert [button.identifier for button in found.check_run.buttons] == buttons


def test_to_write_includes_to_read() -> None:
    assert lacking(wanted()) == lacking(None) == frozenset()
    assert lacking({}) == {*WITHOUT}
    assert lacking({**wanted(), "actions": "read"}) == {"actions=write"}
    assert not allows({"checks": "none"}, "checks=read")
    assert allows({"checks": "admin"}, "checks=write")


def test_what_a_policy_has_no_use_for_is_not_missed() -> None:
    every, shipped = frozenset(WITHOUT), preset("inferencex")
    assert missed(every, Policy()) == every - {"statuses=write", "actions=read", "actions=write"}
    assert missed(every, shipped) == every - {"statuses=write"}
    named = replace(shipped, sign_off=replace(shipped.sign_off, status="signoff"))
    assert missed(every, named) == every


def test_nothing_is_said_of_permissions_that_are_there() -> None:
    assert Lacking(frozenset()).markdown(Voice(), 1_000) == ""
    assert "2" in Lacking(TALK).markdown(Voice(), 1_000).split("</summary>")[0]
