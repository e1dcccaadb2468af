"""A fixed-length run is measured with a simulated acceptance length.

What it does
    For each fixed-length search-space entry that the pull request touches (itself, its recipe or
    its script), looks for a simulated acceptance: in the recipe, in what its script exports and
    passes, and in the settings with which the launcher writes one into the recipe.

Why it matters
    Only agentic points are compared at a golden acceptance length. A fixed-length point with a
    simulated one shows a speed that no user gets.

Example
    A recipe for 8k input and 1k output with ``"synthetic_acceptance_length": 2.49``.

Use instead
    Real acceptance: delete the settings, or run the recipe from an agentic scenario.

Exceptions
    Evaluations. Runs that do not draft, in which the setting has no effect. Branches of a script
    that this scenario does not take. Scripts that cannot be followed. What the base already
    measures this way is a warning: it is not new.

References
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/docs/PR_REVIEW_CHECKLIST.md
"""

import re
from collections.abc import Iterator

from checks.model import Evidence, Observation, Severity, Snapshot, Suggestion, Tree
from checks.parse.arms import Changes, Use, changes
from checks.parse.config_entry import Setting
from checks.parse.edit import drop_members
from checks.parse.master_config import config_entries
from checks.parse.quote import line_of, quote
from checks.parse.script_points import script_points
from checks.parse.speculation import FORCED, Fact, Speculation
from checks.policy import Policy
from checks.registry import rule
from checks.text import text

_SIMULATION = re.compile(
    rf"""\s*(?:-\s+)?["']?(?:SGLANG_SIMULATE_ACC_\w+|{FORCED}|SYNTHETIC_ACCEPTANCE\w*)["']?\s*[:=]"""
)


@rule(Severity.BLOCKING, family="golden-al-nonagentic", excused=Severity.WARNING)
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Report fixed-length runs whose acceptance is simulated."""
    touched = changes(snapshot, policy)
    if touched is None:
        return
    seen: set[tuple[str, str, int]] = set()
    for use, path, pin, found in (*_recipes(touched), *_scripts(touched)):
        place = (use.entry.key, path, pin.line)
        if place not in seen:
            seen.add(place)
            yield _observation(touched, use, path, pin, found)


_Found = tuple[Use, str, Fact | Setting, Speculation]


def _recipes(touched: Changes) -> Iterator[_Found]:
    for arm in (arm for path in touched.judged for arm in touched.arms_of(path)):
        use = arm.use
        if use.space.agentic or use.reference.evaluation:
            continue
        for found in (each for each in arm.speculations if each.role.generates):
            pin, injected = found.pin, use.injected
            if injected:
                yield use, use.entry.path, injected, found
            elif pin and found.simulated is not None and (found.method or found.tokens):
                yield use, arm.path, pin, found


def _scripts(touched: Changes) -> Iterator[_Found]:
    for point in script_points(touched):
        if point.use.space.agentic:
            continue
        for each in point.servers:
            pin = each.speculation.pin
            if each.drafts is True and each.simulates is True and pin:
                yield point.use, point.path, pin, each.speculation


def _observation(
    touched: Changes, use: Use, path: str, pin: Fact | Setting, found: Speculation
) -> Observation:
    tree, line, name, value = touched.snapshot.head, pin.line, pin.name, pin.value
    return Observation(
        path,
        line,
        text("Simulated acceptance outside of the agentic scenario"),
        text(
            "{name} is {value} in a fixed-length run of {key}. Fixed-length runs measure real "
            "acceptance: delete the setting, or run this from an agentic scenario.",
            name=name,
            value=value,
            key=use.entry.key,
        ),
        (use.entry.key, use.reference.reference, name),
        evidence=(
            Evidence(path, line, f"{name}: {value}"),
            quote(tree, use.entry.path, use.space.line),
        ),
        suggestion=None if path.endswith(".sh") else _dropped(tree, path, pin, found),
        severity=Severity.WARNING if _known(touched, use) else None,
        config_key=use.entry.key,
    )


def _dropped(tree: Tree, path: str, pin: Fact | Setting, found: Speculation) -> Suggestion | None:
    """Return the edit that deletes the setting with those that only belong to it.

    Not in a script, where a branch may be left empty.
    """
    if isinstance(pin, Fact) and pin.embedded:
        mode = found.mode if found.mode and found.mode.value == "synthetic" else None
        return drop_members(tree, path, pin, *([mode] if mode else []))
    start = end = pin.line
    while _belongs(tree, path, start - 1):
        start -= 1
    while _belongs(tree, path, end + 1):
        end += 1
    return Suggestion(start, end, "") if _belongs(tree, path, pin.line) else None


def _belongs(tree: Tree, path: str, line: int) -> bool:
    """Tell whether a line holds nothing but a setting of the simulation."""
    return _SIMULATION.match(line_of(tree, path, line) or "") is not None


def _known(touched: Changes, use: Use) -> bool:
    """Tell whether the base has the same search-space entry, which a recipe's edit touches."""
    before = config_entries(touched.snapshot.base, touched.layout).get(use.entry.key)
    spaces = before.search_spaces if before else ()
    wanted = (use.space.scenario, use.space.node)
    return any((space.scenario, space.node) == wanted for space in spaces)
