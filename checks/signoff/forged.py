"""What people read where somebody else reports under the names of Referee's gates."""

from collections.abc import Iterator
from dataclasses import dataclass

from checks.policy_types import SignOff
from checks.publication import Standing
from checks.render import Voice
from checks.signoff.gate import MOST_REPLIES
from checks.text import Text, text

_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Forged:
    """The section of the sticky comment about it; silent where nobody did."""

    standing: Standing
    gate: SignOff

    def __bool__(self) -> bool:
        """Tell whether there is something to say."""
        return any(self._lines())

    def markdown(self, voice: Voice, room: int) -> str:
        """Return a line for each name in the first language of a voice."""
        del room  # always short
        return "\n\n".join(f"⚠️ {voice.inline(each)}" for each in self._lines())

    def _lines(self) -> Iterator[Text]:
        standing, name = self.standing, self.gate.status
        if name and standing.forgers:
            yield text(
                "The commit status {name} of this commit was set by {who}, and not by Referee. That"
                " counts for nothing: Referee sets it again, {count} times at most, and a check run"
                " {name}, which nobody else can change, has to pass as well.",
                name=name,
                who=_listed(standing.forgers),
                count=MOST_REPLIES,
            )
        for check, apps in sorted(standing.apps.items()):
            yield text(
                "Not only Referee has a check run {name} at this commit, but {who} too. Only"
                " Referee's counts: in the rules of the branch, require {name} of Referee's App.",
                name=check,
                who=_listed(apps),
            )


def _listed(names: tuple[str, ...]) -> tuple[str, ...]:
    more = ("…",) if len(names) > _MOST_NAMED else ()
    return (*(each or "?" for each in names[:_MOST_NAMED]), *more)
