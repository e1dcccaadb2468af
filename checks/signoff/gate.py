"""What the verdict on a sign-off is on a commit: a check run, a commit status, or both."""

import hashlib
from dataclasses import dataclass, replace
from typing import Literal

from checks.publication import Conclusion, Standing
from checks.render import MAX_COMMENT, Voice
from checks.signoff.section import SignOffSection, headline
from checks.signoff.verdict import State
from checks.text import text

MOST_REPLIES = 10  # to statuses of others at one commit
LONGEST_STATUS = 140  # https://docs.github.com/en/rest/commits/statuses#create-a-commit-status
StatusState = Literal["success", "failure", "pending"]
_CONCLUSIONS: dict[State, Conclusion] = {
    State.OVERRIDDEN: "neutral",
    State.WAITING: "action_required",
    State.UNKNOWN: "action_required",
    State.FAIL: "failure",
}


@dataclass(frozen=True, slots=True)
class Gate:
    """The state of the gate at one commit; ``conclusion`` is None while it is being looked at.

    ``identity`` changes when anything of it does.
    """

    conclusion: Conclusion | None
    title: str
    summary: str
    state: StatusState

    @property
    def identity(self) -> str:
        """Return 32 hex digits of the content."""
        content = repr((self.conclusion, self.title, self.summary))
        return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:32]

    @property
    def description(self) -> str:
        """Return the title as a commit status takes it, cut by characters."""
        plain = self.title.replace("`", "")
        return plain if len(plain) <= LONGEST_STATUS else plain[: LONGEST_STATUS - 1] + "…"


def status_due(wanted: Gate, standing: Standing) -> bool:
    """Tell whether a commit status is to be posted, which costs one of a thousand at a commit.

    That somebody looks is only said where nothing is said. What others posted counts for nothing
    and is written over, ten times at a commit: two programs that both do so would never end.
    """
    newest = next(iter(standing.statuses), None)
    if newest is not None and newest.by == standing.us:
        says = (newest.state, newest.description)
        return wanted.conclusion is not None and says != (wanted.state, wanted.description)
    return sum(each.by != standing.us for each in standing.statuses) <= MOST_REPLIES


def looking(voice: Voice) -> Gate:
    """Return the gate of a head that nobody has looked at yet: shut."""
    what = voice.inline(text("Looking at what this commit changes …"))
    return Gate(None, what, what, "pending")


def unneeded(voice: Voice) -> Gate:
    """Return the gate of a head that needs no sign-off: open."""
    what = voice.inline(text("No sign-off is needed"))
    return Gate("success", what, what, "success")


def unjudged(reason: str, voice: Voice, *, advisory: bool) -> Gate:
    """Return the gate of a head that could not be judged: never a pass, and no bar to advice."""
    what = voice.inline(text("This commit could not be judged"))
    said = voice.paragraphs(text("Nothing could be checked: {reason}", reason=reason))
    if advisory:
        return Gate("neutral", what, said, "success")
    return Gate("action_required", what, said, "pending")


def gate(section: SignOffSection, voice: Voice, *, advisory: bool) -> Gate:
    """Return the gate that a verdict comes to; an advisory one never shuts it."""
    verdict = section.verdict
    title = voice.inline(headline(verdict, section.facts))
    voices = [replace(voice, languages=(language,)) for language in voice.languages]
    share = MAX_COMMENT // len(voices) - 200
    summary = "\n\n---\n\n".join(section.markdown(each, share) for each in voices)
    if verdict.state.open:
        usual: Conclusion = "neutral" if verdict.overridden else "success"
        return Gate(_CONCLUSIONS.get(verdict.state, usual), title, summary, "success")
    if advisory:
        return Gate("neutral", title, summary, "success")
    state: StatusState = "failure" if verdict.state is State.FAIL else "pending"
    return Gate(_CONCLUSIONS[verdict.state], title, summary, state)
