"""Judge the cases of a file, and say where a verdict is not the expected one."""

from collections.abc import Iterator
from dataclasses import dataclass

from checks.policy import Policy
from checks.signoff.case_facts import World
from checks.signoff.cases import IGNORED, VERDICT, Case, Cases
from checks.signoff.facts import Facts
from checks.signoff.section import headline
from checks.signoff.verdict import Verdict, verdict


@dataclass(frozen=True, slots=True)
class Mismatch:
    """An obligation, or the verdict, that is not as expected, and why it is as it is."""

    name: str
    wanted: str
    got: str
    reason: str


@dataclass(frozen=True, slots=True)
class Tried:
    """A case with its facts, a pull request each, and what is not as expected."""

    case: Case
    facts: Facts
    wrong: tuple[Mismatch, ...]


def try_cases(cases: Cases, policy: Policy) -> Iterator[Tried]:
    """Yield each case with what came of it; they are numbered from 1.

    Raises:
        TemplateError: a checklist has no template.
        CaseError: a case names something that is not there.

    """
    world = World.of(cases, policy)
    for number, case in enumerate(cases.cases, 1):
        facts = world.facts(case, number)
        yield Tried(case, facts, tuple(_mismatches(case, verdict(facts, policy), facts)))


def _mismatches(case: Case, found: Verdict, facts: Facts) -> Iterator[Mismatch]:
    got = {
        row.obligation.name: (row.result.value, str(row.assessment.reason)) for row in found.rows
    }
    got[VERDICT] = (found.state.value, str(headline(found, facts)))
    for name, wanted in case.expect.items():
        result, reason = got.get(name, (IGNORED, "The policy ignores it."))
        if result != wanted:
            yield Mismatch(name, wanted, result, reason)
