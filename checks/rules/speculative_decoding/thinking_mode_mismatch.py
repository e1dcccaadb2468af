"""An agentic run is pinned to the golden acceptance length of the thinking mode it does not use.

What it does
    Looks where ``speculative-decoding/golden-al-mismatch`` looks, and reports a length that is the
    golden one with thinking off but not with thinking on.

Why it matters
    Agentic runs think. Answers without thinking are easier or harder to draft, so that the point
    is compared with others at another acceptance length.

Example
    Golden 2.97 with thinking off and 2.83 with thinking on, and a run pinned to 2.97.

Use instead
    The value with thinking on, 2.83.

Exceptions
    Equal values in both modes. A recipe that really turns thinking off: say so in the sign-off.

References
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/golden_al_distribution/README.md
"""

from collections.abc import Iterator

from checks.model import Observation, Severity, Snapshot
from checks.parse.arms import changes
from checks.parse.golden_al import THINKING_OFF
from checks.parse.pinned import pinned
from checks.parse.quote import quote
from checks.policy import Policy
from checks.registry import rule
from checks.text import text


@rule(Severity.WARNING, family="golden-al-mismatch")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Report pins that agree with the golden cell of thinking off only."""
    touched = changes(snapshot, policy)
    for pin in pinned(touched, policy) if touched else ():
        other = pin.curve.cell(pin.tokens, THINKING_OFF)
        if (
            pin.off_by_one
            or other is None
            or pin.cell.agrees(pin.length)
            or not other.agrees(pin.length)
        ):
            continue
        yield Observation(
            pin.path,
            pin.line,
            text("The acceptance length is that of thinking off"),
            text(
                "{name} is {value}: of {curve} with {tokens} draft tokens that is the golden "
                "acceptance length with thinking off ({off}), but agentic runs think ({on}). "
                "{advice} If this run does not think, show that in the sign-off.",
                name=pin.name,
                value=pin.value,
                curve=pin.curve.name,
                tokens=pin.tokens,
                off=other.raw,
                on=pin.cell.raw,
                advice=pin.advice,
            ),
            pin.anchor,
            evidence=(*pin.evidence, quote(snapshot.head, pin.curve.path, other.line)),
            suggestion=pin.fix(),
            severity=pin.severity,
        )
