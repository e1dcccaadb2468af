"""The sign-offs that are needed fill in the newest checklist, completely.

Other words than the template's warn as long as no sentence, number, comparison or "not" is
concerned: a person may find them the same.
"""

from checks.policy import Policy
from checks.signoff.facts import Facts
from checks.signoff.model import Problem
from checks.signoff.obligation import (
    Assessment,
    Obligation,
    Proof,
    failed,
    listed,
    passed,
    unknown,
    warned,
)
from checks.signoff.owned import needs
from checks.signoff.signers import Heard, counting
from checks.text import Text, text

MOST_PROOFS = 10
SLIGHT = frozenset({"reworded-item"})
Found = tuple[Problem, Heard]


def _judge(facts: Facts, policy: Policy) -> Assessment:
    if facts.content.template is None:
        return unknown(facts.content.template_trouble or text("There is no checklist."))
    said = counting(facts, policy)
    if not said:
        return failed(text("No code owner signed off yet."))
    needed = _needed(facts, policy, said)
    found = [(problem, each) for each in needed for problem in each.sign_off.said.problems]
    grave = [each for each in found if each[0].kind not in SLIGHT]
    proofs = [Proof(problem.text, each.sign_off.url) for problem, each in (*grave, *found)]
    proofs = [*listed(proofs, MOST_PROOFS)]
    proofs.append(Proof(text("the newest checklist"), path=facts.content.checklist))
    if grave:
        return failed(_reason(grave), *proofs)
    if found:
        return warned(_reason(found), *proofs)
    return passed(text("The newest checklist is filled in."))


def _needed(facts: Facts, policy: Policy, said: tuple[Heard, ...]) -> tuple[Heard, ...]:
    """Return the sign-offs without which files would be unsigned: flawless ones go first."""
    good = tuple(each for each in said if not _grave(each))
    left = [each.held for each in needs(facts, policy, good)]
    return good if good and not any(left) else said


def _grave(each: Heard) -> bool:
    return any(problem.kind not in SLIGHT for problem in each.sign_off.said.problems)


def _reason(found: list[Found]) -> Text:
    problem, each = found[0]
    reason = text("{author}: {problem}", author=each.author, problem=problem.text)
    if len(found) == 1:
        return reason
    return text("{reason} The same goes for {more} more.", reason=reason, more=len(found) - 1)


OBLIGATION = Obligation(
    number=5,
    name="latest-template",
    title=text("Newest checklist filled in"),
    judge=_judge,
)
