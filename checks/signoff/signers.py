"""Whose sign-off counts: a code owner's own words, untouched by others.

https://docs.github.com/en/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/about-code-owners
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from checks.parse.codeowners import Ownership
from checks.policy import Policy
from checks.signoff.binding import Coverage, coverage
from checks.signoff.facts import Facts, SignOff
from checks.signoff.model import State
from checks.text import Text, text


class Standing(StrEnum):
    """Whether somebody is one of some owners; UNKNOWN where only an unreadable team could tell."""

    OWNER = "owner"
    NOT = "not-owner"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Heard:
    """A sign-off, whether it counts, and what it still covers.

    ``ignored`` says why it does not count, None when it does; ``undecided`` tells that it is only
    because nobody knows whether its author is a code owner, ``stranger`` that they are none and
    that nothing is said of it. ``covers`` is None when nobody knows what it was given on, and for
    one that is ignored whoever its author is.
    """

    sign_off: SignOff
    ignored: Text | None
    covers: Coverage | None
    undecided: bool = False
    stranger: bool = False

    @property
    def author(self) -> str:
        """Return the login of who signed."""
        return self.sign_off.comment.author


def standing(login: str, owners: Iterable[str], facts: Facts, policy: Policy) -> Standing:
    """Tell whether somebody is one of the owners that a line of CODEOWNERS names."""
    found = {_is_one(login, owner, facts) for owner in owners}
    if True in found:
        return Standing.OWNER
    return Standing(policy.sign_off.unknown_team) if None in found else Standing.NOT


def _is_one(login: str, owner: str, facts: Facts) -> bool | None:
    """Tell whether somebody is an owner; None for a team or an address that nobody can look at."""
    if not owner.startswith("@"):
        return None
    if "/" not in owner:
        return login.lower() == owner[1:].lower()
    teams = {team.lower(): members for team, members in facts.teams.items()}
    members = teams.get(owner.lower())
    return None if members is None else login.lower() in {each.lower() for each in members}


def stands_for(each: Heard, owned: Ownership, facts: Facts, policy: Policy) -> Standing:
    """Tell whether who signed is one of those whom a line of CODEOWNERS wants."""
    if owned.catch_all and policy.sign_off.catch_all == "optional" and not each.undecided:
        return Standing.OWNER  # it is the default for what no other line names
    return standing(each.author, owned.owners, facts, policy)


def heard(facts: Facts, policy: Policy) -> tuple[Heard, ...]:
    """Return every sign-off, the oldest first; of one person only the newest counts."""
    last = {each.comment.author.lower(): each for each in facts.sign_offs}
    return tuple(
        _heard(each, last[each.comment.author.lower()], facts, policy) for each in facts.sign_offs
    )


def counting(facts: Facts, policy: Policy) -> tuple[Heard, ...]:
    """Return the sign-offs that count, the oldest first."""
    return tuple(each for each in heard(facts, policy) if each.ignored is None)


def ticked(facts: Facts, policy: Policy, key: str) -> tuple[Heard, ...]:
    """Return the sign-offs that count and in which an item is ticked, the oldest first."""
    found = counting(facts, policy)
    return tuple(each for each in found if each.sign_off.said.state(key) is State.CHECKED)


def strange(each: Heard, paths: Iterable[str], facts: Facts, policy: Policy) -> str | None:
    """Return the first of some changed files that somebody owns, but not who signed."""
    wanted = frozenset(paths)
    owned = (x for x in facts.content.files if x.path in wanted and x.owners.owners)
    others = (x for x in owned if stands_for(each, x.owners, facts, policy) is not Standing.OWNER)
    return next((x.path for x in others), None)


def _heard(each: SignOff, newest: SignOff, facts: Facts, policy: Policy) -> Heard:
    author = each.comment.author
    found = standing(author, facts.content.code_owners, facts, policy)
    if found is Standing.NOT:
        what = text("{author} is no code owner here.", author=author)
        return Heard(each, what, None, stranger=True)
    if (void := _void(each, newest)) is not None:
        return Heard(each, void, None)
    covers = coverage(each.prints, facts.content)
    if found is Standing.OWNER:
        return Heard(each, None, covers)
    what = text(
        "Whether {author} is a code owner cannot be told: GitHub does not let Referee read the"
        " members of a team that CODEOWNERS names.",
        author=author,
    )
    return Heard(each, what, covers, undecided=True)


def _void(each: SignOff, newest: SignOff) -> Text | None:
    """Return why a sign-off says nothing, whoever wrote it."""
    author = each.comment.author
    if each.edited_by is not None:
        return text(
            "{editor} edited what {author} wrote, so it signs nothing any more; {author} has to"
            " write it again.",
            editor=each.edited_by,
            author=author,
        )
    if any(problem.kind == "signed-by-other" for problem in each.said.problems):
        return text("{author} signed with another name.", author=author)
    if each is not newest:
        return text("{author} signed again later.", author=author)
    return None
