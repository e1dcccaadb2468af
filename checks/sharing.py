"""What the sticky comment says where another pull request speaks for the same commit."""

from dataclasses import dataclass

from checks.render import Voice
from checks.text import text


@dataclass(frozen=True, slots=True)
class Shared:
    """The pull request whose verdict stands in the check runs of the head."""

    number: int

    def markdown(self, voice: Voice, room: int) -> str:
        """Return the line in the first language of a voice."""
        del room  # always short
        number = f"#{self.number}"
        return voice.inline(
            text(
                "⚖️ GitHub keeps check runs by commit. {number} has the same head, and its verdict"
                " stands there; a push to either separates them.",
                number=number,
            )
        )
