"""The line at the top of the sticky comment of a pull request that is closed."""

from collections.abc import Sequence
from dataclasses import dataclass

from checks.markers import STICKY
from checks.render import Voice
from checks.text import Text, code, text

_MARK = "<!-- referee:ended -->"


@dataclass(frozen=True, slots=True)
class Ending:
    """How a pull request ended.

    Args:
        head: its last commit.
        merged: the commit that merged it; "" when it was closed without.
        by: login of who merged it; "" for an account that is gone.
        verdicts: our check runs at the head, each with its conclusion.

    """

    head: str
    merged: str = ""
    by: str = ""
    verdicts: Sequence[tuple[str, str]] = ()

    def markdown(self, voice: Voice) -> str:
        """Return the line, all languages on it."""
        verdicts = [f"{code(name)} {code(conclusion)}" for name, conclusion in self.verdicts]
        then = voice.inline(text("Below is what was so then."))
        return " · ".join((f"**{voice.inline(self._how())}**", *verdicts, then))

    def _how(self) -> Text:
        if not self.merged:
            return text("⚪ Closed at {head}, not merged", head=self.head[:7])
        if not self.by:
            return text("🟣 Merged as {commit}", commit=self.merged[:7])
        return text("🟣 Merged as {commit} by {login}", commit=self.merged[:7], login=self.by)


def with_ending(body: str, ending: Ending, voice: Voice) -> str:
    """Return a sticky comment that says at its top how the pull request ended.

    The next review of a pull request that is opened again writes all of the comment anew.
    """
    rest = body.removeprefix(f"{STICKY}\n")
    if rest.startswith(_MARK):
        rest = rest.partition("\n\n")[2]
    return f"{STICKY}\n{_MARK}\n{ending.markdown(voice)}\n\n{rest}"
