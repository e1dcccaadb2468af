"""Every changed file is signed for by somebody who owns it, as it is now.

GitHub lets nobody approve their own pull request, but a sign-off is no approval: a code owner may
sign for a change of their own, which the verdict then says. What somebody else edited is void.
"""

from collections.abc import Iterable, Iterator

from checks.policy import Policy
from checks.signoff.facts import Facts
from checks.signoff.obligation import (
    Assessment,
    Obligation,
    Proof,
    failed,
    listed,
    not_applicable,
    passed,
    unknown,
)
from checks.signoff.owned import Held, Need, needs
from checks.signoff.signers import Heard, heard
from checks.text import Text, text

MOST_NEEDS = 20
MOST_AUDITED = 5


def _judge(facts: Facts, policy: Policy) -> Assessment:
    everybody = heard(facts, policy)
    said = tuple(each for each in everybody if each.ignored is None or each.undecided)
    wanted = needs(facts, policy, said)
    if not wanted:
        return not_applicable(text("Nobody owns the changed files."))
    still = sorted((each for each in wanted if each.held), key=lambda need: -need.held)
    void = listed(_audit(everybody), MOST_AUDITED)
    proofs = (*listed(_still(still), MOST_NEEDS), *_signed(facts, said), *void)
    if not still:
        return passed(_by(each.author for each in said if each.ignored is None), *proofs)
    worst = still[0]
    if worst.held in {Held.OPEN, Held.CHANGED}:
        return failed(_reason(worst, len(still), said), *proofs)
    return unknown(_reason(worst, len(still), said), *proofs)


def _reason(need: Need, count: int, said: tuple[Heard, ...]) -> Text:
    if not said:
        return text("No code owner signed off yet.")
    reason = _of_one(need)
    if count == 1:
        return reason
    return text("{reason} The same goes for {more} more.", reason=reason, more=count - 1)


def _of_one(need: Need) -> Text:
    path, owners = need.name, tuple(need.ownership.owners)
    if need.held is Held.CHANGED:
        return text(
            "{path} changed since an owner signed; one of {owners} has to sign again.",
            path=path,
            owners=owners,
        )
    if need.held is Held.UNKNOWN:
        return text(
            "Whether an owner of {path} signed cannot be told: the members of {owners} cannot be"
            " read.",
            path=path,
            owners=owners,
        )
    if need.held is Held.UNBOUND:
        return text(
            "On which commit {path} was signed is not known; who signed has to write {command}.",
            path=path,
            command="/verify",
        )
    return text("{path} needs the sign-off of one of {owners}.", path=path, owners=owners)


def _by(authors: Iterable[str]) -> Text:
    return text("Signed by {authors}.", authors=tuple(dict.fromkeys(authors)))


def _still(still: list[Need]) -> Iterator[Proof]:
    """Yield who can sign for what is left."""
    for each in still:
        owned = each.ownership
        words = text(
            "{path}: {owners} (line {line} of CODEOWNERS)",
            path=each.name,
            owners=tuple(owned.owners),
            line=owned.line or 0,
        )
        yield Proof(words, path=each.path)


def _signed(facts: Facts, said: tuple[Heard, ...]) -> Iterator[Proof]:
    for each in said:
        if each.ignored is not None:
            continue
        words = text(
            "{author} signed {count} of the {total} files as they are now",
            author=each.author,
            count=len(each.covers.same) if each.covers else 0,
            total=len(facts.content.files),
        )
        if each.author.lower() == facts.author.lower():
            words = text("{words}, in a pull request of their own", words=words)
        yield Proof(words, each.sign_off.url)


def _audit(everybody: tuple[Heard, ...]) -> Iterator[Proof]:
    """Yield what code owners said that does not count, and why; what others edited goes first."""
    known = [each for each in reversed(everybody) if not each.stranger]
    for each in sorted(known, key=lambda one: one.sign_off.edited_by is None):
        if each.ignored is not None:
            yield Proof(each.ignored, each.sign_off.url)


OBLIGATION = Obligation(
    number=0,
    name="owner",
    title=text("Signed by code owners"),
    judge=_judge,
)
