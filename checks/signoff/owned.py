"""Which changed files still need a sign-off, and of whom.

The line of CODEOWNERS that decides a path wants one of its owners, and so does the one that
decides the old name of a renamed file. Several people may share the files among them.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum

from checks.parse.codeowners import Ownership
from checks.policy import Policy
from checks.signoff.facts import Facts
from checks.signoff.signers import Heard, Standing, stands_for


class Held(IntEnum):
    """How far sign-offs cover a name, the best first.

    ``UNBOUND``: an owner signed, but nobody knows on which commit. ``CHANGED``: an owner signed
    what it was before. ``UNKNOWN``: whether an owner signed cannot be told.
    """

    SIGNED = 0
    UNBOUND = 1
    UNKNOWN = 2
    CHANGED = 3
    OPEN = 4


@dataclass(frozen=True, slots=True)
class Need:
    """A name of a changed file that somebody owns, and how far sign-offs cover it.

    ``path`` is the file, ``name`` its name at head or, when it was renamed, at base.
    """

    path: str
    name: str
    ownership: Ownership
    held: Held = Held.OPEN


def needs(facts: Facts, policy: Policy, said: Iterable[Heard]) -> tuple[Need, ...]:
    """Return every owned name that the pull request changes, with what some sign-offs cover."""
    signed = tuple(said)
    names = tuple(_owned(facts))
    standings = {
        owned: [(each, stands_for(each, owned, facts, policy)) for each in signed]
        for owned in {owned for _, _, owned in names}
    }
    return tuple(
        Need(path, name, owned, _held(path, standings[owned])) for path, name, owned in names
    )


def _owned(facts: Facts) -> Iterator[tuple[str, str, Ownership]]:
    for file in facts.content.files:
        if file.owners.owners:
            yield file.path, file.path, file.owners
        if file.old_path and file.old_owners and file.old_owners.owners:
            yield file.path, file.old_path, file.old_owners


def _held(path: str, said: Iterable[tuple[Heard, Standing]]) -> Held:
    return min((_held_by(path, each, found) for each, found in said), default=Held.OPEN)


def _held_by(path: str, each: Heard, found: Standing) -> Held:
    """Return how far one sign-off covers a file."""
    if found is Standing.NOT:
        return Held.OPEN
    if each.covers is not None and path not in each.covers.same:
        return Held.CHANGED if found is Standing.OWNER else Held.OPEN
    if found is Standing.UNKNOWN:
        return Held.UNKNOWN
    return Held.UNBOUND if each.covers is None else Held.SIGNED
