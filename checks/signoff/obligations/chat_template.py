"""Speculative decoding is measured with chats, so that acceptance is what users see."""

from checks.policy import Policy
from checks.signoff.drafted import drafting, unseen
from checks.signoff.facts import MEASURED, Facts
from checks.signoff.findings import by_rules
from checks.signoff.obligation import Assessment, Obligation, Result
from checks.text import text

RULES = ("speculative-decoding/chat-template-missing",)


def _judge(facts: Facts, policy: Policy) -> Assessment:
    judged = by_rules(facts, policy, RULES, MEASURED)
    if judged.result is not Result.PASS:
        return judged
    found = drafting(facts)
    if isinstance(found, Assessment):
        return found
    what = text("Whether the clients send chats cannot be seen in the files")
    return unseen(found, lambda config: config.chats, what) or judged


OBLIGATION = Obligation(
    number=9,
    name="chat-template",
    title=text("Chat template"),
    judge=_judge,
    items=("chat-template",),
    kinds=MEASURED,
)
