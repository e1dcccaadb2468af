"""Judge a site: the defect is found at its line, the clean change is silent, the fix cleans."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from checks.model import Finding, PullRequest, Report, Snapshot
from checks.registry import Rule, find_rule
from checks.run import apply, run_checks
from tests.kit import between
from tests.mutation.site import Edit, Operator, Site, World, spread

MOST_SITES = 24


class Named(NamedTuple):
    """An operator with the rule that must find what it does, and the world it works in."""

    rule: str
    world: str
    run: Operator

    @property
    def name(self) -> str:
        """Return the name that failures are reported under."""
        return f"{self.run.__name__} in {self.world}"


operators: list[Named] = []


def operator(rule: str, *worlds: str) -> "object":
    """Register a function that yields the sites of one kind of defect."""

    def register(run: Operator) -> Operator:
        operators.extend(Named(rule, world, run) for world in worlds)
        return run

    return register


@dataclass
class Tally:
    """What came of the sites of a rule, as (operator, site, what went wrong) where it did."""

    sites: int = 0
    fixes: int = 0
    missed: list[str] = field(default_factory=list)
    loud: list[str] = field(default_factory=list)
    variants: Counter[str] = field(default_factory=Counter)

    @property
    def rate(self) -> float:
        """Return the part of the sites at which all was as it must be."""
        return 1 - len(self.missed) / self.sites if self.sites else 0.0


def snapshots(world: World, site: Site) -> tuple[Snapshot, Snapshot]:
    """Return the pull request without and with the defect."""
    base = world.edited(site.base, "b" * 40)
    heads = (world.edited(edits, "a" * 40) for edits in (site.clean, site.broken))
    clean, broken = (between(base, head, PullRequest(site.number)) for head in heads)
    return clean, broken


def judged(rule: Rule, world: World, site: Site) -> Iterator[str]:
    """Return what went wrong at a site."""
    _, broken = snapshots(world, site)
    before = _clean(rule, world, site.base, site.clean, site.number)
    report = run_checks(broken, world.policy, [rule])
    yield from (f"raises: {error.text}" for each in (before, report) for error in each.errors)
    if before.findings:
        yield f"the clean change is reported at {_places(before)}"
        return
    here = [x for x in report.findings if (x.path, x.line) == (site.path, site.line)]
    if not here:
        yield f"expected at {site.path}:{site.line}, found at {_places(report)}"
        return
    suggested = [x for x in here if x.suggestion]
    if site.fixable and not suggested:
        yield f"no fix at {site.path}:{site.line}"
    if len(report.findings) == 1:
        yield from (f for x in suggested if (f := _left(rule, world, broken, x)))


@lru_cache(maxsize=16)
def _clean(
    rule: Rule, world: World, base: tuple[Edit, ...], clean: tuple[Edit, ...], number: int
) -> Report:
    """Return what is said without the defect; several defects share it."""
    site = Site("", "", None, clean, clean, base, number=number)
    return run_checks(snapshots(world, site)[0], world.policy, [rule])


def _left(rule: Rule, world: World, broken: Snapshot, finding: Finding) -> str:
    assert finding.change
    fixed = apply(broken, *finding.change)
    left = run_checks(fixed, world.policy, [rule]).findings if fixed else (finding,)
    return f"the fix leaves a finding at {finding.path}:{left[0].line}" if left else ""


def _places(report: Report) -> str:
    return ", ".join(f"{x.path}:{x.line}" for x in report.findings) or "no place"


def tally(rule_name: str, worlds: dict[str, World], most: int = MOST_SITES) -> Tally:
    """Judge a rule at the sites of all its operators."""
    rule, result = find_rule(rule_name), Tally()
    assert rule is not None
    for named in (each for each in operators if each.rule == rule_name):
        world = worlds.get(named.world)
        if world is None:
            continue
        for site in spread(list(named.run(world)), most):
            wrong = list(judged(rule, world, site))
            result.sites += 1
            result.fixes += site.fixable
            result.variants[f"{named.name}: {site.variant}"] += 1
            result.missed += [f"{named.name}: {site.variant}: {wrong[0]}"] if wrong else []
    return result
