"""An agentic script simulates acceptance in evaluations, too.

What it does
    Follows each touched single-node agentic script as an evaluation runs it, with ``EVAL_ONLY``
    set to ``true``, and reports a simulated acceptance that is still there.

Why it matters
    Simulated acceptance commits drafted tokens whatever the target model thinks of them. Answers
    become noise, and the evaluation says nothing about the model.

Example
    ``export SGLANG_SIMULATE_ACC_LEN=2.30`` outside of any condition.

Use instead
    ``if [ "${EVAL_ONLY:-false}" != "true" ]; then export SGLANG_SIMULATE_ACC_LEN=2.30; fi``

Exceptions
    Recipes, whose evaluations have a file of their own or are stripped by the launcher. Scripts
    that cannot be followed. A repository whose generator plans no evaluations of agentic runs.

References
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/golden_al_distribution/README.md
"""

from collections.abc import Iterator

from checks.matrix.dialect import dialect_of
from checks.model import Evidence, Observation, Severity, Snapshot
from checks.parse.arms import changes
from checks.parse.config_entry import AGENTIC
from checks.parse.quote import quote
from checks.parse.script_points import script_points
from checks.policy import Policy
from checks.registry import rule
from checks.text import text


@rule(Severity.BLOCKING, family="golden-al-method")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Report servers that an evaluation starts with a simulated acceptance."""
    touched = changes(snapshot, policy)
    if touched is None or touched.layout.golden_al_source == "planner":
        return
    if not dialect_of(snapshot.head, touched.layout).agentic_evals:
        return
    seen: set[tuple[str, int]] = set()
    for point in script_points(touched, evaluation=True, scenario=AGENTIC):
        simulated = [each for each in point.servers if each.simulates is True and each.drafts]
        length = simulated[0].speculation.pin if simulated else None
        if length is None or len(simulated) != len(point.servers):
            continue
        if (point.path, length.line) in seen:
            continue
        seen.add((point.path, length.line))
        yield Observation(
            point.path,
            length.line,
            text("Evaluations run with simulated acceptance"),
            text(
                "With {switch} the server still starts with {name} {value}, which commits drafted "
                "tokens whatever the target model thinks of them. Set it only when {variable} is "
                "not {true}.",
                switch="EVAL_ONLY=true",
                name=length.name,
                value=length.value,
                variable="EVAL_ONLY",
                true="true",
            ),
            (length.name, length.value),
            evidence=(
                Evidence(point.path, length.line, f"{length.name}: {length.value}"),
                quote(snapshot.head, point.path, simulated[0].line),
            ),
        )
