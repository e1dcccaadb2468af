"""TensorRT-LLM is forced to the golden acceptance length itself, one token too many.

What it does
    For each agentic TensorRT-LLM run that the pull request touches, compares
    ``TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS`` with the golden acceptance length of its draft
    length, and reports the length itself.

Why it matters
    The variable counts accepted draft tokens. The target model adds one token of its own, so that
    the golden length there accepts one token more than everybody else's runs do.

Example
    Golden 2.78, and ``TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS=2.78``.

Use instead
    ``TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS=1.78``

Exceptions
    Every other wrong value: see ``speculative-decoding/golden-al-mismatch``. Where a launch planner
    sets the length, it is a note.

References
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/golden_al_distribution/README.md
"""

from collections.abc import Iterator

from checks.model import Observation, Severity, Snapshot
from checks.parse.arms import changes
from checks.parse.pinned import pinned
from checks.policy import Policy
from checks.registry import rule
from checks.text import text


@rule(Severity.BLOCKING, family="golden-al-mismatch")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Report forced numbers of accepted tokens that are the golden length itself."""
    touched = changes(snapshot, policy)
    for pin in pinned(touched, policy) if touched else ():
        if not pin.off_by_one:
            continue
        yield Observation(
            pin.path,
            pin.line,
            text("One accepted token too many"),
            text(
                "{name} is {value}, the golden acceptance length of {curve} with {tokens} draft "
                "tokens. The variable leaves out the token of the target model: set it to {right}.",
                name=pin.name,
                value=pin.value,
                curve=pin.curve.name,
                tokens=pin.tokens,
                right=pin.right,
            ),
            pin.anchor,
            evidence=pin.evidence,
            suggestion=pin.fix(),
            severity=pin.severity,
        )
