"""The image runs as it was shipped, or a waiver that the sign-off links says why not."""

import re
from collections.abc import Sequence

from checks.policy import Policy
from checks.signoff.facts import MEASURED, Facts, Kind
from checks.signoff.findings import by_rules
from checks.signoff.obligation import (
    Assessment,
    Obligation,
    Proof,
    Result,
    failed,
    unknown,
    warned,
)
from checks.signoff.signers import Heard, counting
from checks.text import text

RULES = ("engine-patch/*",)
KINDS = MEASURED | {Kind.WAIVER}


def _judge(facts: Facts, policy: Policy) -> Assessment:
    judged = by_rules(facts, policy, RULES, KINDS)
    if judged.result not in {Result.PASS, Result.WARN}:
        return judged
    signed = counting(facts, policy)
    left = [path for path in facts.content.waivers if not _is_linked(path, signed)]
    proofs = tuple(Proof(text("A waiver"), path=path) for path in facts.content.waivers)
    if left and not signed:
        return unknown(text("Whoever signs has to link the waiver {path}.", path=left[0]), *proofs)
    if left:
        what = text("The sign-off does not link the waiver {path}; add a link.", path=left[0])
        return failed(what, *proofs)
    if facts.content.waivers:
        what = text(
            "{path} is linked; whether it covers all that is patched is for people to judge.",
            path=facts.content.waivers[0],
        )
        return warned(what, *proofs, *judged.proofs)
    return judged


def _is_linked(path: str, signed: Sequence[Heard]) -> bool:
    """Tell whether a sign-off leads to a waiver: by its address, or by its path in the details."""
    named = re.compile(rf"(?<![\w.-]){re.escape(path)}(?![\w-]|\.\w)")
    return any(
        named.search(each.sign_off.said.details)
        or any(link.url.partition("#")[0].endswith(f"/{path}") for link in each.sign_off.said.links)
        for each in signed
    )


OBLIGATION = Obligation(
    number=10,
    name="engine-patch",
    title=text("No engine patches"),
    judge=_judge,
    items=("engine-patch",),
    kinds=KINDS,
)
