"""What an obligation is: something that must be so before a pull request may be merged.

One file each in `checks/signoff/obligations/`, named as the obligation, with an ``OBLIGATION``.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from checks.policy import Policy
from checks.signoff.facts import Facts, Kind
from checks.text import Text, text


class Result(StrEnum):
    """How an obligation stands. ``UNKNOWN`` never counts as ``PASS``."""

    PASS = "pass"  # noqa: S105
    FAIL = "fail"
    WARN = "warn"
    UNKNOWN = "unknown"
    NOT_APPLICABLE = "n/a"
    OVERRIDDEN = "overridden"  # failed or unknown, and let pass by a maintainer


@dataclass(frozen=True, slots=True)
class Proof:
    """What a result rests on, in a few words, and where to look: an address or a file and line."""

    words: Text
    url: str = ""
    path: str | None = None
    line: int | None = None


def listed(proofs: Iterable[Proof], most: int) -> tuple[Proof, ...]:
    """Return each proof once, and beyond so many how many more there are."""
    found = tuple(dict.fromkeys(proofs))
    if len(found) <= most:
        return found
    return (*found[:most], Proof(text("and {more} more", more=len(found) - most)))


@dataclass(frozen=True, slots=True)
class Assessment:
    """How an obligation stands, and why, in one line."""

    result: Result
    reason: Text
    proofs: tuple[Proof, ...] = ()


def passed(reason: Text, *proofs: Proof) -> Assessment:
    """Say that the obligation is met."""
    return Assessment(Result.PASS, reason, proofs)


def failed(reason: Text, *proofs: Proof) -> Assessment:
    """Say that it is not, with evidence."""
    return Assessment(Result.FAIL, reason, proofs)


def warned(reason: Text, *proofs: Proof) -> Assessment:
    """Say that something should be looked at, without blocking."""
    return Assessment(Result.WARN, reason, proofs)


def unknown(reason: Text, *proofs: Proof) -> Assessment:
    """Say what could not be found out, or that only a person can judge it."""
    return Assessment(Result.UNKNOWN, reason, proofs)


def not_applicable(reason: Text) -> Assessment:
    """Say why the obligation has nothing to do with this pull request."""
    return Assessment(Result.NOT_APPLICABLE, reason)


@dataclass(frozen=True, slots=True)
class Obligation:
    """One obligation.

    Args:
        number: of the check in the reference repository's verdicts, which decides the order.
        name: as its file, in kebab-case.
        title: a few words for the row of the verdict.
        judge: a pure function of the facts; one that raises becomes UNKNOWN, with our apology.
        items: keys of the checklist's items that promise it.
        kinds: of the files that it depends on; empty when on every file. A change to one of them
            after a sign-off reopens it.
        advisory: whether its failure is a warning unless the policy says otherwise.

    """

    number: int
    name: str
    title: Text
    judge: Callable[[Facts, Policy], Assessment]
    items: tuple[str, ...] = ()
    kinds: frozenset[Kind] = field(default_factory=frozenset)
    advisory: bool = False
