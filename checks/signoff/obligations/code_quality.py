"""The code is no worse than before, which only a person can judge: a code owner says so.

Each signer answers for what they own, and check 0 wants every file signed; so one who leaves the
box empty, with a reason, is heard before those who tick it.
"""

from checks.policy import Policy
from checks.signoff.facts import Facts
from checks.signoff.model import State
from checks.signoff.obligation import (
    Assessment,
    Obligation,
    Proof,
    not_applicable,
    passed,
    unknown,
    warned,
)
from checks.signoff.signers import Heard, counting, ticked
from checks.text import text

ITEM = "code-quality"


def _judge(facts: Facts, policy: Policy) -> Assessment:
    template = facts.content.template
    if template is not None and all(item.key != ITEM for item in template.items):
        return not_applicable(text("The checklist does not ask for it."))
    reserved = [each for each in counting(facts, policy) if _reason(each)]
    if reserved:
        last = reserved[-1]
        words = text("{author}: {reason}", author=last.author, reason=_reason(last))
        return warned(words, *map(_proof, reserved))
    if said := ticked(facts, policy, ITEM):
        authors = tuple(each.author for each in said)
        return passed(text("Said by {authors}.", authors=authors), *map(_proof, said))
    return unknown(text("Only a person can judge it, and no code owner has said so."))


def _reason(each: Heard) -> str:
    states = {state.item.key: state for state in each.sign_off.said.items}
    found = states.get(ITEM)
    return found.reason if found and found.state is State.UNCHECKED_WITH_REASON else ""


def _proof(each: Heard) -> Proof:
    return Proof(text("the sign-off of {author}", author=each.author), each.sign_off.url)


OBLIGATION = Obligation(
    number=16,
    name="code-quality",
    title=text("Code quality"),
    judge=_judge,
    items=(ITEM,),
)
