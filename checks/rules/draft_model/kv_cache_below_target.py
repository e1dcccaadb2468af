"""The draft model alone keeps its KV cache at a lower precision than the target model.

What it does
    For each role of a changed recipe, and each server that a changed script starts, compares the
    draft's own KV-cache dtype with the target's (SGLang ``speculative-draft-kv-cache-dtype`` and
    ``kv-cache-dtype``; vLLM ``kv_cache_dtype`` inside ``speculative-config`` and
    ``kv-cache-dtype``). A target without a setting stays at its default, the precision of the
    model.

Why it matters
    A draft model has to run as it was shipped. A cheaper draft makes the point faster in a way
    that is not the engine's or the hardware's.

Example
    ``speculative-draft-kv-cache-dtype: fp8_e4m3`` and no ``kv-cache-dtype``.

Use instead
    Neither of them, or ``kv-cache-dtype: fp8_e4m3`` alone, which the draft model inherits.

Exceptions
    The same width for both, a draft dtype that is inherited, and ``auto``.

References
    https://docs.sglang.io/advanced_features/server_arguments.html
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/CONTRIBUTING.md
"""

from collections.abc import Iterator

from checks.model import Evidence, Observation, Severity, Snapshot
from checks.parse.arms import Changes, changes
from checks.parse.dtype import below
from checks.parse.edit import drop_line, drop_members
from checks.parse.script_points import script_arms
from checks.parse.speculation import Fact, Speculation, origin, speculations
from checks.policy import Policy
from checks.registry import rule
from checks.text import Text, text


@rule(Severity.BLOCKING, family="draft-precision")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Compare the draft's KV-cache dtype with the target's, role by role."""
    touched = changes(snapshot, policy)
    if touched is None:
        return
    for path in touched.judged:
        seen: set[int] = set()
        for variant in touched.variants(path):
            for found in speculations(variant):
                draft = found.draft_dtype
                if draft and draft.line not in seen and below(draft, found.target_dtype):
                    seen.add(draft.line)
                    yield _observation(touched, path, found, draft)
    scripted: set[tuple[str, int]] = set()
    for script in script_arms(touched):
        for found in script.speculations:
            draft = found.draft_dtype
            place = (script.path, draft.line if draft else 0)
            if draft and place not in scripted and below(draft, found.target_dtype):
                scripted.add(place)
                yield _observation(touched, script.path, found, draft)


def _observation(touched: Changes, path: str, found: Speculation, draft: Fact) -> Observation:
    tree, role, target = touched.snapshot.head, found.role, found.target_dtype
    evidence = Evidence(path, draft.line, f"{draft.name}: {draft.value}")
    if target:
        other = Evidence(path, target.line, f"{target.name}: {target.value}")
    else:
        other = Evidence(path, role.line, f"{role.name}: kv-cache-dtype is not set")
    drop = drop_members if draft.embedded else drop_line
    return Observation(
        path,
        draft.line,
        text("The draft model's KV cache is below the target's"),
        _message(role.name, draft, target),
        (origin(touched.recipe(path), draft), role.name, draft.name),
        evidence=(evidence, other),
        suggestion=drop(tree, path, draft),
    )


def _message(role: str, draft: Fact, target: Fact | None) -> Text:
    if target:
        beside = text("{name} is {value}", name=target.name, value=target.value)
    else:
        beside = text("the target has no {name} and stays at its default", name="kv-cache-dtype")
    return text(
        "{name} is {value} for the draft model alone; in the same role ({role}) {beside}. A draft "
        "model runs as shipped: drop this setting, or set the dtype for the target, from which "
        "the draft model inherits it.",
        name=draft.name,
        value=draft.value,
        role=role,
        beside=beside,
    )
