"""The draft model is given another precision, or is another model, than the one on record.

What it does
    In each role of a changed recipe, and each server that a changed script starts, looks for a
    quantization of the draft model alone (SGLang ``speculative-draft-model-quantization``, vLLM
    ``quantization`` inside ``speculative-config``), for a draft ``dtype`` below the target's, and
    for a draft model that the policy's ``drafts`` do not list for the model prefix.

Why it matters
    A draft model has to run as it was shipped. A cheaper or another draft makes the point faster
    in a way that is not the engine's or the hardware's.

Example
    ``speculative-draft-model-quantization: quark_mxfp4``

Use instead
    Neither the flag nor another draft: the engine loads the draft of the checkpoint by itself.

Exceptions
    ``auto`` and ``unquant``; the quantization that the target has in the same role, which is the
    default; settings of kernels. The KV cache is judged by ``draft-model/kv-cache-below-target``.
    A draft in a local folder, and model prefixes that the policy does not list.

References
    https://docs.sglang.io/advanced_features/server_arguments.html
    https://docs.vllm.ai/en/latest/features/spec_decode/
"""

import re
from collections.abc import Iterable, Iterator

from checks.model import Evidence, Observation, Severity, Snapshot
from checks.parse.arms import Arm, Changes, Use, changes
from checks.parse.dtype import UNSET, below, bits
from checks.parse.quote import quote
from checks.parse.script_points import ScriptArm, script_arms
from checks.parse.speculation import Fact, Speculation
from checks.policy import Policy
from checks.registry import rule
from checks.text import Text, text

_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")


@rule(Severity.WARNING, family="draft-precision")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Look at the draft model of each role."""
    touched = changes(snapshot, policy)
    if touched is None:
        return
    seen: set[tuple[str, int, str]] = set()
    for path, use, found in _drafting(touched):
        for fact, reason, beside in _lowered(policy, use, found):
            if (path, fact.line, fact.name) not in seen:
                seen.add((path, fact.line, fact.name))
                yield _observation(touched, path, found, fact, reason, beside)


def _drafting(touched: Changes) -> Iterator[tuple[str, Use, Speculation]]:
    """Return what drafts tokens in changed recipes and scripts, with the place that runs it."""
    arms: list[Arm | ScriptArm] = [arm for path in touched.judged for arm in touched.arms_of(path)]
    for arm in (*arms, *script_arms(touched)):
        for found in arm.speculations:
            yield arm.path, arm.use, found


def _lowered(
    policy: Policy, use: Use, found: Speculation
) -> Iterator[tuple[Fact, Text, Evidence | None]]:
    format_, weights, draft = found.draft_format, found.draft_weights, found.draft
    if format_ and _quantizes(format_, found.target_format):
        yield format_, text("quantizes the draft model alone"), None
    if weights and below(weights, found.target_weights):
        yield weights, text("is a dtype below the target's for the draft model alone"), None
    model = use.entry.node.str("model") or ""
    known = policy.drafts.get(use.entry.node.str("model-prefix") or "")
    if draft and known is not None and _is_another(draft.value, model, known):
        reason = text("is not the draft model on record for {model}, {drafts}", model=model,
                      drafts=tuple(known)) if known else text(
                      "is a draft model of its own, and {model} drafts with the head that it has",
                      model=model)  # fmt: skip
        entry = use.entry
        yield draft, reason, Evidence(entry.path, entry.line_of("model"), f"model: {model}")


def _quantizes(draft: Fact, target: Fact | None) -> bool:
    value = draft.value.lower()
    plain = value in (*UNSET, "unquant", "false") or (bits(value) or 0) >= 16
    return not plain and (target is None or target.value.lower() != value)


def _is_another(draft: str, model: str, known: Iterable[str]) -> bool:
    """Tell whether a draft is a repository of another name; a local folder may hold any."""
    right = {each.rpartition("/")[2].lower() for each in (*known, model)}
    repository = _REPOSITORY.fullmatch(draft) is not None
    return repository and draft.rpartition("/")[2].lower() not in right


def _observation(
    touched: Changes,
    path: str,
    found: Speculation,
    fact: Fact,
    reason: Text,
    beside: Evidence | None,
) -> Observation:
    return Observation(
        path,
        fact.line,
        text("The draft model does not run as shipped"),
        text(
            "{name} is {value} in the role {role}, which {reason}. A draft model runs as shipped: "
            "drop it, or say in the sign-off what the draft's stored and effective precision are.",
            name=fact.name,
            value=fact.value,
            role=found.role.name,
            reason=reason,
        ),
        (found.role.name, fact.name),
        evidence=(quote(touched.snapshot.head, path, fact.line), *([beside] if beside else [])),
    )
