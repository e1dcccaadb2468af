"""An agentic run drafts tokens, but nothing sets its acceptance length.

What it does
    For each agentic search-space entry that the pull request touches (itself, its recipe or its
    script) and that drafts tokens, looks for a simulated acceptance: in the recipe's role that
    generates tokens, in what its script exports and passes, and in the settings with which the
    launcher writes one into the recipe (``SYNTHETIC_ACCEPTANCE`` of the master config).

Why it matters
    Agentic points are compared at the same acceptance length for the same draft length. Real
    acceptance depends on the prompts that were replayed, so that the point shows the draft model's
    luck instead of the system's speed.

Example
    ``speculative-algorithm: EAGLE`` and no ``SGLANG_SIMULATE_ACC_LEN``.

Use instead
    The golden value of the draft length: ``SGLANG_SIMULATE_ACC_LEN: "2.30"`` with
    ``SGLANG_SIMULATE_ACC_METHOD: "match-expected"``.

Exceptions
    An acceptance rate in place of a length. Evaluations, which verify tokens for real. Points that
    do not draft. Recipes outside of the repository and scripts that cannot be followed. What has no
    golden cell: see ``speculative-decoding/no-golden-cell``. Where a launch planner sets the
    length.

References
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/golden_al_distribution/README.md
"""

from collections.abc import Iterator

from checks.model import Evidence, Observation, Severity, Snapshot, Suggestion, Tree
from checks.parse.arms import Changes, Use, changes
from checks.parse.edit import add_settings_after, insert_members, replace_fact
from checks.parse.golden_al import Cell, held_to
from checks.parse.quote import quote
from checks.parse.script_points import ScriptPoint, script_points
from checks.parse.speculation import Fact, Speculation, member, origin
from checks.policy import Policy
from checks.registry import rule
from checks.text import Text, text

SETTINGS = {
    "vllm": "synthetic_acceptance_length",
    "sglang": "SGLANG_SIMULATE_ACC_LEN",
    "trtllm": "TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS",
    "atom": "--spec-decode-acceptance-length",
}
BESIDE = {
    "SGLANG_SIMULATE_ACC_METHOD": "match-expected",
    "SGLANG_SIMULATE_ACC_TOKEN_MODE": "real-draft-token",
}


@rule(Severity.BLOCKING, family="golden-al-missing")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Report agentic runs that draft tokens with real acceptance."""
    touched = changes(snapshot, policy)
    if touched is None or touched.layout.golden_al_source == "planner":
        return
    yield from _recipes(touched, policy)
    yield from _scripts(touched, policy)


def _recipes(touched: Changes, policy: Policy) -> Iterator[Observation]:
    seen: set[tuple[str, int]] = set()
    for arm in (arm for path in touched.judged for arm in touched.arms_of(path)):
        use, agentic = arm.use, arm.use.space.agentic
        if use.reference.evaluation or not agentic or use.injected or not use.space.speculative:
            continue
        for found in (each for each in arm.speculations if each.role.generates and _unset(each)):
            first = found.method or found.tokens
            golden = _golden(touched, policy, use, found)
            if first and golden and (arm.path, first.line) not in seen:
                seen.add((arm.path, first.line))
                where = origin(touched.recipe(arm.path), first)
                anchor = (use.entry.key, where, found.role.name)
                held = held_to(touched.snapshot.head, touched.layout, policy, use, found)
                added = _added(touched.snapshot.head, arm.path, found, held[1]) if held else None
                yield _observation(arm.path, first, found, anchor, golden, added)


def _added(tree: Tree, path: str, found: Speculation, cell: Cell) -> Suggestion | None:
    """Return the edit that sets the golden length, where there is a place for it already.

    That is a length that simulates nothing, the JSON string of vLLM, or a variable of the role
    below which others can stand.
    """
    engine, method, variable = found.role.engine.lower(), found.method, _variable(found)
    if found.length:
        return replace_fact(tree, path, found.length, str(cell.value - found.bonus))
    if found.mode or not (method if engine == "vllm" else variable):
        return None
    if engine == "vllm" and method:
        mode = {"rejection_sample_method": "synthetic"}
        return insert_members(tree, path, method, {**mode, SETTINGS[engine]: cell.value})
    if variable and engine in ("sglang", "trtllm"):
        length = {SETTINGS[engine]: str(cell.value - found.bonus)}
        beside = BESIDE if engine == "sglang" else {}
        return add_settings_after(tree, path, variable, {**length, **beside})
    return None


def _variable(found: Speculation) -> Fact | None:
    """Return the last variable of a role's environment."""
    own = found.role.env[0] if found.role.env else None
    return member(own, next(reversed(own))) if own else None


def _unset(found: Speculation) -> bool:
    """Tell whether a recipe's role drafts and nothing simulates its acceptance."""
    tokens = found.tokens.number if found.tokens else None
    return found.pin is None and tokens != 0 and found.role.engine.lower() in SETTINGS


def _golden(touched: Changes, policy: Policy, use: Use, found: Speculation) -> tuple[Evidence, ...]:
    """Return the search-space entry and the golden cell, () when there is no cell."""
    tree = touched.snapshot.head
    held = held_to(tree, touched.layout, policy, use, found)
    entry = quote(tree, use.entry.path, use.space.line)
    return (entry, quote(tree, held[0].path, held[1].line)) if held else ()


def _scripts(touched: Changes, policy: Policy) -> Iterator[Observation]:
    seen: set[tuple[str, int]] = set()
    for point in script_points(touched):
        found = point.servers[0].speculation if _bare(point) else None
        first = (found.method or found.tokens) if found else None
        if found is None or first is None or (point.path, first.line) in seen:
            continue
        if golden := _golden(touched, policy, point.use, found):
            seen.add((point.path, first.line))
            yield _observation(point.path, first, found, (point.key, first.name), golden)


def _bare(point: ScriptPoint) -> bool:
    """Tell whether every server that a script may start at a point drafts with real acceptance."""
    space = point.use.space
    return (
        space.agentic
        and space.speculative
        and bool(point.servers)
        and all(each.drafts is True and each.simulates is False for each in point.servers)
    )


def _observation(
    path: str,
    first: Fact,
    found: Speculation,
    anchor: tuple[str, ...],
    golden: tuple[Evidence, ...],
    added: Suggestion | None = None,
) -> Observation:
    shown = [first, *([found.length] if found.length else [])]
    return Observation(
        path,
        first.line,
        text("The acceptance of an agentic run is not simulated"),
        _message(first, found),
        anchor,
        evidence=(*(Evidence(path, x.line, f"{x.name}: {x.value}") for x in shown), *golden),
        suggestion=added,
    )


def _message(first: Fact, found: Speculation) -> Text:
    if found.length:
        return text(
            "{name} makes this agentic run draft tokens, but {setting} is {value}, which simulates "
            "nothing, so that the point measures how well these prompts can be guessed. Set the "
            "golden acceptance length of its draft length.",
            name=first.name,
            setting=found.length.name,
            value=found.length.value,
        )
    return text(
        "{name} makes this agentic run draft tokens, but {setting} is not set, neither here "
        "nor by the launcher, so that the point measures how well these prompts can be "
        "guessed. Set the golden acceptance length of its draft length.",
        name=first.name,
        setting=SETTINGS[found.role.engine.lower()],
    )
