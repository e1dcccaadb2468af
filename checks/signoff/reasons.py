"""What a sign-off's author says for what does not hold. Words prove nothing: a person judges."""

import re

from checks.policy import Policy
from checks.render import dismiss_command
from checks.signoff.facts import Facts
from checks.signoff.findings import open_findings
from checks.signoff.items import is_reason
from checks.signoff.model import SignOffText, State
from checks.signoff.obligation import Assessment, Proof, Result, unknown
from checks.signoff.signers import counting
from checks.text import Text, text


def reason_for(said: SignOffText, key: str, policy: Policy) -> str:
    """Return the reason that a sign-off gives about an item, "" for none.

    That is what stands for its empty box, or a part of the detail section with its key words.
    """
    state = next((each for each in said.items if each.item.key == key), None)
    if state is not None and state.state is State.UNCHECKED_WITH_REASON:
        return state.reason
    pattern = policy.sign_off.items.get(key, re.escape(key))
    parts = (part.lstrip("-*+ \t") for part in said.details.split("\n\n") if is_reason(part))
    return next((part for part in parts if re.search(pattern, part, re.IGNORECASE)), "")


def excused(
    facts: Facts, policy: Policy, judged: Assessment, key: str, rules: tuple[str, ...]
) -> Assessment:
    """Return a failure as one that a maintainer has to judge, where a signer gives a reason.

    Args:
        facts: about the pull request.
        policy: which words an item is known by.
        judged: how the obligation stands without reasons.
        key: of the item.
        rules: globs of the rules that decide it.

    """
    if judged.result is not Result.FAIL:
        return judged
    for each in reversed(counting(facts, policy)):
        if reason := reason_for(each.sign_off.said, key, policy):
            said = Proof(text("the sign-off of {author}", author=each.author), each.sign_off.url)
            what = _for_a_maintainer(facts, rules, each.author, reason)
            return unknown(what, said, *judged.proofs)
    return judged


def _for_a_maintainer(facts: Facts, rules: tuple[str, ...], author: str, reason: str) -> Text:
    first = open_findings(facts, rules)[0]
    return text(
        "{title}. {author} gives a reason: {reason} A maintainer who neither opened nor signed this"
        " accepts it with {command}.",
        title=first.title,
        author=author,
        reason=reason,
        command=dismiss_command(first),
    )
