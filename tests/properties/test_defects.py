"""What holds for every finding, tried on one defect of each operator, with all rules running."""

from dataclasses import replace
from functools import cache

import pytest

from checks.fix import fix
from checks.model import Blob, PullRequest, Snapshot
from checks.run import Overlay, apply, improves, judge_all, run_checks
from tests.kit import between
from tests.mutation.judging import Named, operators, snapshots
from tests.mutation.operators import load
from tests.mutation.site import Site, World, spread
from tests.mutation.worlds import worlds

load()
# Each operator in its first world.
TRIED = {(each.rule, each.run.__name__): each for each in reversed(operators)}
# What stands in a file above everything else, in each language.
ABOVE = {"yaml": b"# one\n# two\n", "yml": b"# one\n", "md": b"One.\n\n", "sh": b"# one\n# two\n"}


@pytest.fixture(params=TRIED.values(), ids=lambda named: f"{named.rule}, {named.name}")
def case(request: pytest.FixtureRequest) -> tuple[World, Site, str]:
    named = request.param
    world = worlds().get(named.world)
    if world is None:
        pytest.skip("the reference repository's files are not on this machine")
    return world, _site(named, world), named.rule


@cache
def _site(named: Named, world: World) -> Site:
    sites = list(named.run(world))
    return spread([each for each in sites if each.fixable] or sites, 1)[0]


def test_a_defect_is_found_whatever_the_order_and_its_fix_is_final(
    case: tuple[World, Site, str],
) -> None:
    world, site, rule = case
    _, broken = snapshots(world, site)
    report = run_checks(broken, world.policy)
    assert not report.errors
    here = [f for f in report.findings if (f.rule, f.line) == (rule, site.line)]
    assert here
    assert not site.fixable or any(each.suggestion for each in here), "harmful beside other rules"
    assert run_checks(replace(broken, files=broken.files[::-1]), world.policy) == report
    fixed = fix(broken, world.policy, report)
    after = broken
    for path, content in fixed.files.items():
        after = replace(after, head=Overlay(after.head, path, Blob.of(content)))
    again = run_checks(after, world.policy)
    gone = {each.fingerprint for each in fixed.findings}
    assert not gone & {each.fingerprint for each in again.findings}
    assert fix(after, world.policy, again).files == {}


def test_a_suggestion_helps_as_if_every_rule_were_asked_again(
    case: tuple[World, Site, str],
) -> None:
    world, site, _ = case
    _, broken = snapshots(world, site)
    report, before = run_checks(broken, world.policy), judge_all(broken, world.policy)
    for kept, found in zip(report.findings, before.findings, strict=True):
        if found.change is not None:
            fixed = apply(broken, *found.change)
            helps = fixed and improves(judge_all(fixed, world.policy), before, [found])
            assert bool(kept.suggestion) is bool(helps)


def test_lines_that_move_keep_their_findings(case: tuple[World, Site, str]) -> None:
    world, site, _ = case
    _, broken = snapshots(world, site)
    before = {f.fingerprint: f for f in run_checks(broken, world.policy).findings}
    moved = {f.fingerprint: f for f in run_checks(_shifted(world, site), world.policy).findings}
    assert moved.keys() == before.keys()
    lines = [(found.line, moved[each].line) for each, found in before.items()]
    assert all(old is None or (new is not None and new >= old) for old, new in lines)
    assert any(old is not None and new != old for old, new in lines) or site.line in (None, 1)


def _shifted(world: World, site: Site) -> Snapshot:
    """Return the pull request between files that start lower, as far as it changes them."""
    touched = {site.path, *(edit.path for edit in (*site.base, *site.broken))}
    base, head = world.edited(site.base, "b" * 40), world.edited(site.broken, "a" * 40)
    lower = [
        tree.with_files({p: _lower(p, x.data) for p in touched if (x := tree.blob(p))}, tree.sha)
        for tree in (base, head)
    ]
    return between(lower[0], lower[1], PullRequest(site.number))


def _lower(path: str, data: bytes) -> bytes:
    at = data.find(b"\n") + 1 if path.endswith(".sh") else 0
    return data[:at] + ABOVE[path.rpartition(".")[2]] + data[at:]
