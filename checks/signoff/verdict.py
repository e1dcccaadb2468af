"""The verdict on a sign-off: every obligation with its result, and what follows from them."""

from dataclasses import dataclass
from enum import StrEnum

from checks.decisions import Decision
from checks.policy import Policy
from checks.policy_types import Duty
from checks.signoff.binding import reopened, taken_back
from checks.signoff.facts import Facts
from checks.signoff.kinds import paths_of
from checks.signoff.model import State as ItemState
from checks.signoff.obligation import Assessment, Obligation, Result, failed, unknown
from checks.signoff.registry import all_obligations
from checks.signoff.signers import Heard, heard
from checks.text import Text, text

_PROMISED = frozenset(
    {ItemState.CHECKED, ItemState.UNCHECKED_WITH_REASON, ItemState.NOT_APPLICABLE}
)


class State(StrEnum):
    """What the verdict comes to; only the first four let a pull request be merged."""

    NOT_NEEDED = "not-needed"
    OVERRIDDEN = "overridden"
    PASS = "pass"  # noqa: S105
    WARN = "warn"
    WAITING = "waiting"
    UNKNOWN = "unknown"
    FAIL = "fail"

    @property
    def open(self) -> bool:
        """Tell whether the gate is open."""
        return self in {State.NOT_NEEDED, State.OVERRIDDEN, State.PASS, State.WARN}


@dataclass(frozen=True, slots=True)
class Row:
    """One obligation, how much it counts, how it stands, and who let it pass in spite of that."""

    obligation: Obligation
    duty: Duty
    assessment: Assessment
    accepted: Decision | None = None

    @property
    def result(self) -> Result:
        """Return how it stands; what is only advice warns at most."""
        result = self.assessment.result
        if result is Result.FAIL and self.duty == "advisory":
            return Result.WARN
        let = self.accepted is not None and result in {Result.FAIL, Result.UNKNOWN}
        return Result.OVERRIDDEN if let else result

    @property
    def blocks(self) -> bool:
        """Tell whether it keeps the gate shut."""
        return self.duty == "required" and self.result in {Result.FAIL, Result.UNKNOWN}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is said about the sign-off of one head.

    Args:
        head: the commit it is about.
        state: what it comes to.
        rows: the obligations that are not ignored, in the order of their numbers.
        heard: all sign-offs, the oldest first, with what they still cover.

    """

    head: str
    state: State
    rows: tuple[Row, ...] = ()
    heard: tuple[Heard, ...] = ()

    @property
    def counting(self) -> tuple[Heard, ...]:
        """Return the sign-offs that count."""
        return tuple(each for each in self.heard if each.ignored is None)

    @property
    def overridden(self) -> tuple[Row, ...]:
        """Return the obligations that are not met and were let pass."""
        return tuple(row for row in self.rows if row.result is Result.OVERRIDDEN)

    @property
    def carried_from(self) -> str:
        """Return the older head that a sign-off holds over from with nothing changed, or ""."""
        whole = (each.sign_off.head for each in self.counting if each.covers and each.covers.whole)
        return next((head for head in whole if head != self.head), "")


def verdict(facts: Facts, policy: Policy) -> Verdict:
    """Judge all obligations of a pull request. The same facts always give the same verdict."""
    said = heard(facts, policy)
    signed = tuple(each for each in said if each.ignored is None)
    rows = tuple(_rows(facts, policy, signed))
    return Verdict(facts.content.head, _state(facts, policy, rows, signed), rows, said)


def is_needed(facts: Facts, policy: Policy) -> bool:
    """Tell whether the files that are changed need anybody's sign-off."""
    if not policy.sign_off.phrase:
        return False
    core = {owner.lower() for owner in policy.sign_off.core}
    lines = (owned for file in facts.content.files for owned in (file.owners, file.old_owners))
    outside = (
        {owner.lower() for owner in owned.owners} - core
        for owned in lines
        if owned and not owned.catch_all
    )
    return policy.sign_off.needed == "always" or any(outside)


def _rows(facts: Facts, policy: Policy, signed: tuple[Heard, ...]) -> list[Row]:
    rows = []
    for each in all_obligations():
        duty = _duty(each, facts, policy)
        if duty != "ignored":
            judged = _still(each, _judged(each, facts, policy), facts, policy, signed)
            let = facts.accepted.get(each.name)
            here = let is not None and let.head == facts.content.head
            rows.append(Row(each, duty, judged, let if here else None))
    return rows


def _duty(obligation: Obligation, facts: Facts, policy: Policy) -> Duty:
    layout = policy.layouts.get(facts.content.layout)
    said = {**policy.sign_off.obligations, **(layout.obligations if layout else {})}
    return said.get(obligation.name, "advisory" if obligation.advisory else "required")


def _judged(obligation: Obligation, facts: Facts, policy: Policy) -> Assessment:
    """Judge one obligation; a defect of ours there must not hide what the others say."""
    try:
        return obligation.judge(facts, policy)
    except Exception as error:
        fault = f"{type(error).__name__}: {error}"
        what = text(
            "This could not be judged ({error}); this is a defect of Referee, please report it.",
            error=fault,
        )
        return unknown(what)


def _still(
    obligation: Obligation,
    judged: Assessment,
    facts: Facts,
    policy: Policy,
    signed: tuple[Heard, ...],
) -> Assessment:
    """Return a result, reopened where what was promised has changed since, or was taken back."""
    if judged.result not in {Result.PASS, Result.WARN} or not (obligation.items and signed):
        return judged
    files = facts.content.of_kinds(obligation.kinds)
    promising = [each for each in signed if _promises(each, obligation)]
    unbound = [each for each in promising if each.covers is None]
    covers = [each.covers for each in promising if each.covers]
    gone = paths_of(taken_back(covers), obligation.kinds, facts.content, policy)
    left = (*reopened(files, covers), *sorted(gone))
    if not left or not promising:  # what is not promised, `latest-template` says
        return judged
    if unbound:
        return unknown(
            text(
                "On which commit {author} signed is not known; {author} has to write {command}.",
                author=unbound[0].sign_off.comment.author,
                command="/verify",
            )
        )
    last = promising[-1].sign_off
    return failed(_changed_since(left, last.comment.author, last.head), *judged.proofs)


def _promises(each: Heard, obligation: Obligation) -> bool:
    states = {each.sign_off.said.state(key) for key in obligation.items} - {None}
    return bool(states) and states <= _PROMISED


def _changed_since(paths: tuple[str, ...], author: str, head: str) -> Text:
    if len(paths) == 1:
        return text(
            "{path} changed since {author} signed at {head}.",
            path=paths[0],
            author=author,
            head=head[:7],
        )
    return text(
        "{path} and {more} more files changed since {author} signed at {head}.",
        path=paths[0],
        more=len(paths) - 1,
        author=author,
        head=head[:7],
    )


def _state(facts: Facts, policy: Policy, rows: tuple[Row, ...], signed: tuple[Heard, ...]) -> State:
    blocking = {row.result for row in rows if row.blocks}
    if not is_needed(facts, policy):
        return State.NOT_NEEDED
    if facts.overridden is not None and facts.overridden.head == facts.content.head:
        return State.OVERRIDDEN
    if not signed:
        return State.WAITING
    if blocking:
        return State.FAIL if Result.FAIL in blocking else State.UNKNOWN
    noted = {row.result for row in rows} - {Result.PASS, Result.NOT_APPLICABLE}
    return State.WARN if noted else State.PASS
