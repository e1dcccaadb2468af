"""There is no golden acceptance length for what an agentic run drafts with.

What it does
    For each agentic search-space entry that the pull request touches, or whose golden cell it
    takes away, and whose method and draft length are known, looks for the golden curve of its
    model, method and draft model, and for the cell of its draft length.

Why it matters
    Without a golden value nobody can tell whether a simulated acceptance length is fair. Where a
    launch planner sets the length, it finds no value and the launch fails.

Example
    Nine draft tokens, and a golden file whose last cell is that of eight.

Use instead
    A draft length that has a cell, or a pull request that adds the measured curve first.

Exceptions
    Models for which the policy names no curve at all: nothing says that there should be one.
    Evaluations, the prefill role, and points that do not draft. It is a warning where the recipe
    sets the length: show in the sign-off where the value comes from.

References
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/golden_al_distribution/README.md
"""

from collections.abc import Iterator

from checks.model import Evidence, Observation, Severity, Snapshot
from checks.parse.arms import Arm, Changes, Use, changes
from checks.parse.config_entry import AGENTIC
from checks.parse.golden_al import THINKING_ON, choose, golden_path, held_to, read_golden
from checks.parse.pinned import renewed
from checks.parse.quote import quote
from checks.parse.script_points import ScriptArm, script_arms
from checks.parse.speculation import Fact, Speculation
from checks.policy import Policy
from checks.registry import rule
from checks.text import Text, text


@rule(Severity.BLOCKING, family="golden-al-missing")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Report touched agentic runs without a golden cell."""
    touched = changes(snapshot, policy)
    if touched is None:
        return
    scripts = script_arms(touched, prefixes=renewed(touched, policy), scenario=AGENTIC)
    arms: list[Arm | ScriptArm] = [*touched.golden_arms, *scripts]
    seen: set[tuple[str, int]] = set()
    for arm in arms:
        use = arm.use
        if use.reference.evaluation or not use.space.agentic or not use.space.speculative:
            continue
        for found in (each for each in arm.speculations if each.role.generates):
            tokens = found.tokens
            if tokens and found.method and (arm.path, tokens.line) not in seen:
                reason = _missing(touched, policy, use, found, tokens)
                if reason and (_touched(touched, arm) or _lost(touched, policy, use, found)):
                    seen.add((arm.path, tokens.line))
                    yield _observation(touched, arm.path, use, tokens, reason)


def _touched(touched: Changes, arm: Arm | ScriptArm) -> bool:
    return arm.path in touched.judged or touched.touches(arm.use, arm.path, "")


def _lost(touched: Changes, policy: Policy, use: Use, found: Speculation) -> bool:
    """Tell whether the base has the cell that is not there any more."""
    return held_to(touched.snapshot.base, touched.layout, policy, use, found) is not None


def _missing(
    touched: Changes, policy: Policy, use: Use, found: Speculation, tokens: Fact
) -> tuple[Text, str | None] | None:
    """Return what is missing, with the golden file that lacks it; None when nothing is."""
    prefix, model = str(use.entry.node.get("model-prefix") or ""), use.entry.node.str("model") or ""
    tree, k = touched.snapshot.head, tokens.number
    if k is None or k != int(k) or k <= 0 or all(each.prefix != prefix for each in policy.curves):
        return None
    name = choose(policy.curves, prefix, model, found)
    path = golden_path(tree, touched.layout, name) if name else None
    blob = tree.blob(path) if path else None
    if path is None or blob is None:
        method = found.method.value if found.method else ""
        what = text("no golden curve for {prefix} with {method}", prefix=prefix, method=method)
        # An older tree has no curves at all.
        known = any(_curves(touched, policy, prefix)) or _lost(touched, policy, use, found)
        return (what, None) if known else None
    curve = read_golden(path, blob)
    if curve is None or curve.cell(int(k), THINKING_ON):
        return None
    return text("no cell for {tokens} draft tokens in {curve}", tokens=int(k), curve=path), path


def _curves(touched: Changes, policy: Policy, prefix: str) -> Iterator[str]:
    """Return the golden files of a model prefix that exist."""
    for curve in policy.curves:
        path = golden_path(touched.snapshot.head, touched.layout, curve.file)
        if curve.prefix == prefix and path:
            yield path


def _observation(
    touched: Changes, path: str, use: Use, tokens: Fact, reason: tuple[Text, str | None]
) -> Observation:
    planned = touched.layout.golden_al_source == "planner"
    missing, curve = reason
    tree = touched.snapshot.head
    beside = [quote(tree, curve, 1)] if curve else [quote(tree, use.entry.path, use.space.line)]
    if planned:
        message = text(
            "There is {missing}, so that the launch planner finds no acceptance length and the "
            "launch fails. Use a draft length that has one, or add the measured curve first.",
            missing=missing,
        )
    else:
        message = text(
            "There is {missing}. Use a draft length that has one, or show in the sign-off where "
            "the acceptance length comes from.",
            missing=missing,
        )
    return Observation(
        path,
        tokens.line,
        text("No golden acceptance length"),
        message,
        (use.entry.key, tokens.name, tokens.value),
        evidence=(Evidence(path, tokens.line, f"{tokens.name}: {tokens.value}"), *beside),
        severity=None if planned else Severity.WARNING,
    )
