"""An agentic run is pinned to an acceptance length that is not the golden one.

What it does
    For each agentic search-space entry that the pull request touches (itself, its recipe, its
    single-node script or its golden curve), compares the simulated acceptance length of the role
    that generates tokens with the golden curve of its model, method and draft model, at its draft
    length, thinking on. A length that the master config has the launcher write in goes before the
    recipe's own.

Why it matters
    Everybody measures agentic speculative decoding with the same acceptance length for the same
    draft length. Another value makes the point faster or slower than it is.

Example
    Two draft tokens, golden 2.27, and ``"SYNTHETIC_ACCEPTANCE_LENGTH=2.49"``.

Use instead
    ``"SYNTHETIC_ACCEPTANCE_LENGTH=2.27"``

Exceptions
    Recipes for evaluations, the prefill role, and whatever has no golden cell. TensorRT-LLM counts
    one token less than the golden value, and a rate counts as the length that it stands for. The
    golden value of the other thinking mode: see ``speculative-decoding/thinking-mode-mismatch``.
    Where a launch planner sets the length, it is a note.

References
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/golden_al_distribution/README.md
"""

from collections.abc import Iterator

from checks.model import Observation, Severity, Snapshot
from checks.parse.arms import changes
from checks.parse.golden_al import THINKING_OFF
from checks.parse.pinned import Pinned, pinned
from checks.policy import Policy
from checks.registry import rule
from checks.text import Text, text


@rule(Severity.BLOCKING, family="golden-al-mismatch")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Compare pinned acceptance lengths with golden cells."""
    touched = changes(snapshot, policy)
    for pin in pinned(touched, policy) if touched else ():
        other = pin.curve.cell(pin.tokens, THINKING_OFF)
        if pin.off_by_one or pin.cell.agrees(pin.length) or (other and other.agrees(pin.length)):
            continue
        yield Observation(
            pin.path,
            pin.line,
            text("The acceptance length is not the golden one"),
            _message(pin),
            pin.anchor,
            evidence=pin.evidence,
            suggestion=pin.fix(),
            severity=pin.severity,
        )


def _message(pin: Pinned) -> Text:
    seen = text(
        "{name} is {value}, but the golden acceptance length of {curve} with {tokens} draft "
        "tokens is {golden} (thinking on).",
        name=pin.name,
        value=pin.value,
        curve=pin.curve.name,
        tokens=pin.tokens,
        golden=pin.cell.raw,
    )
    return text("{seen} {advice}", seen=seen, advice=pin.advice)
