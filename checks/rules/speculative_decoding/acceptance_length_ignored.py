"""A simulated acceptance length is set, but the mode beside it does not read it.

What it does
    Looks at each role of a changed recipe that generates tokens, and at each server that a changed
    single-node script starts. vLLM reads
    ``synthetic_acceptance_length`` only when ``rejection_sample_method`` is ``synthetic``; SGLang
    holds a run to ``SGLANG_SIMULATE_ACC_LEN`` only with ``SGLANG_SIMULATE_ACC_METHOD`` set to
    ``match-expected``.

Why it matters
    The file claims the golden acceptance length while the run measures the real one, which
    depends on the prompts: the point cannot be compared with any other.

Example
    ``"rejection_sample_method":"block","synthetic_acceptance_length":3.10``

Use instead
    ``"rejection_sample_method":"synthetic","synthetic_acceptance_length":3.10``

Exceptions
    Recipes for evaluations, which verify tokens for real. A length that the launcher writes in
    together with the mode. The prefill role. Where a launch planner sets both, it is a note.

References
    https://docs.vllm.ai/en/latest/api/vllm/config/speculative/
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/golden_al_distribution/README.md
"""

import re
from collections.abc import Iterator, Sequence

from checks.model import Cleared, Evidence, Observation, Severity, Snapshot, Suggestion
from checks.parse.arms import Changes, Use, changes
from checks.parse.edit import add_settings_after, drop_members, insert_members, replace_fact
from checks.parse.golden_al import held_to
from checks.parse.quote import quote
from checks.parse.script_points import script_arms
from checks.parse.speculation import Speculation, origin, speculations
from checks.policy import Policy
from checks.registry import rule
from checks.text import Text, text

MODES = {
    "vllm": ("rejection_sample_method", "synthetic"),
    "sglang": ("SGLANG_SIMULATE_ACC_METHOD", "match-expected"),
}


@rule(Severity.BLOCKING, family="golden-al-method")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation | Cleared]:
    """Compare each simulated length with the mode that decides about it."""
    touched = changes(snapshot, policy)
    if touched is None:
        return
    for path in touched.judged:
        seen: set[int] = set()
        for variant in touched.variants(path):
            uses = [arm.use for arm in touched.arms_of(path) if arm.variant is variant]
            for found in speculations(variant):
                if found.length and _ignored(found) and found.length.line not in seen:
                    seen.add(found.length.line)
                    yield _judged(touched, policy, path, found, uses)
    scripted: set[tuple[str, int]] = set()
    # Fixed-length runs: see ``speculative-decoding/simulated-outside-agentic``.
    for script in (each for each in script_arms(touched) if each.use.space.agentic):
        for found in script.speculations:
            place = (script.path, found.length.line if found.length else 0)
            if found.length and _ignored(found) and place not in scripted:
                scripted.add(place)
                yield _judged(touched, policy, script.path, found, [script.use])


def _ignored(found: Speculation) -> bool:
    length, wanted = found.simulated, MODES.get(found.role.engine.lower())
    if length is None or length <= 0 or wanted is None or not found.role.generates:
        return False
    return found.mode is None or found.mode.value != wanted[1]


def _judged(
    touched: Changes, policy: Policy, path: str, found: Speculation, uses: Sequence[Use]
) -> Observation | Cleared:
    assert found.length
    measured = [use for use in uses if not use.reference.evaluation]
    if not (measured if uses else not re.search(r"(?<![a-z])eval", path)):
        reason = text("{name} is not read, but only evaluations run this.", name=found.length.name)
        return Cleared(path, found.length.line, reason)
    if measured and all(use.injected for use in measured):
        reason = text(
            "{name} is not read as written; the launcher sets length and mode.",
            name=found.length.name,
        )
        return Cleared(path, found.length.line, reason)
    fixed = bool(measured) and not any(use.space.agentic for use in measured)
    planned = touched.layout.golden_al_source == "planner"
    return Observation(
        path,
        found.length.line,
        text("The simulated acceptance length is not used"),
        _message(found, fixed),
        (origin(touched.recipe(path), found.length), found.role.name, found.length.name),
        evidence=tuple(_evidence(touched, policy, path, found, measured)),
        suggestion=_suggestion(touched, path, found, fixed),
        severity=Severity.NOTE if planned else Severity.WARNING if fixed else None,
    )


def _message(found: Speculation, fixed: bool) -> Text:
    assert found.length
    name, value = found.length.name, found.length.value
    mode, wanted = MODES[found.role.engine.lower()]
    if found.mode:
        why = text(
            "{length} is {value}, but {mode} is {actual}, which does not hold the run to it.",
            length=name,
            value=value,
            mode=mode,
            actual=found.mode.value,
        )
    else:
        why = text(
            "{length} is {value}, but {mode} is not set, and its default does not hold the run "
            "to it.",
            length=name,
            value=value,
            mode=mode,
        )
    if fixed:
        return text("{why} Fixed-length runs measure real acceptance: remove it.", why=why)
    return text(
        "{why} The run measures real acceptance while the file claims {value}. Set {mode} to "
        "{wanted}.",
        why=why,
        value=value,
        mode=mode,
        wanted=wanted,
    )


def _evidence(
    touched: Changes, policy: Policy, path: str, found: Speculation, uses: Sequence[Use]
) -> Iterator[Evidence]:
    tree, length = touched.snapshot.head, found.length
    assert length
    yield Evidence(path, length.line, f"{length.name}: {length.value}")
    if found.mode:
        yield Evidence(path, found.mode.line, f"{found.mode.name}: {found.mode.value}")
    for use in uses:
        held = held_to(tree, touched.layout, policy, use, found)
        if held and found.simulated is not None and held[1].agrees(found.simulated):
            yield quote(tree, held[0].path, held[1].line)
            return


def _suggestion(touched: Changes, path: str, found: Speculation, fixed: bool) -> Suggestion | None:
    tree, (mode, wanted) = touched.snapshot.head, MODES[found.role.engine.lower()]
    assert found.length
    if fixed:
        return drop_members(tree, path, found.length)
    if found.mode:
        return replace_fact(tree, path, found.mode, wanted)
    add = insert_members if found.length.embedded else add_settings_after
    return add(tree, path, found.length, {mode: wanted})
