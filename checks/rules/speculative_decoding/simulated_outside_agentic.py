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
    Evaluations. Branches of a script that this scenario does not take. Scripts that cannot be
    followed. What the base already measures this way is a warning: it is not new.

References
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/docs/PR_REVIEW_CHECKLIST.md
"""

from collections.abc import Iterator

from checks.model import Evidence, Observation, Severity, Snapshot
from checks.parse.arms import Changes, Use, changes
from checks.parse.master_config import config_entries
from checks.parse.quote import quote
from checks.parse.script_points import script_points
from checks.policy import Policy
from checks.registry import rule
from checks.text import text


@rule(Severity.BLOCKING, family="golden-al-nonagentic")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Report fixed-length runs whose acceptance is simulated."""
    touched = changes(snapshot, policy)
    if touched is None:
        return
    seen: set[tuple[str, str, int]] = set()
    for use, path, line, name, value in (*_recipes(touched), *_scripts(touched)):
        place = (use.entry.key, path, line)
        if place not in seen:
            seen.add(place)
            yield _observation(touched, use, path, line, name, value)


_Found = tuple[Use, str, int, str, str]


def _recipes(touched: Changes) -> Iterator[_Found]:
    for arm in (arm for path in touched.judged for arm in touched.arms_of(path)):
        use = arm.use
        if use.space.agentic or use.reference.evaluation:
            continue
        for found in (each for each in arm.speculations if each.role.generates):
            length, injected = found.length, use.injected
            if injected:
                yield use, use.entry.path, injected.line, injected.name, injected.value
            elif length and found.simulated is not None and found.simulated > found.bonus:
                yield use, arm.path, length.line, length.name, length.value


def _scripts(touched: Changes) -> Iterator[_Found]:
    for point in script_points(touched):
        if point.use.space.agentic:
            continue
        for each in point.servers:
            length = each.speculation.length
            if each.drafts is True and each.simulates is True and length:
                yield point.use, point.path, length.line, length.name, length.value


def _observation(
    touched: Changes, use: Use, path: str, line: int, name: str, value: str
) -> Observation:
    tree = touched.snapshot.head
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
        severity=Severity.WARNING if _known(touched, use) else None,
    )


def _known(touched: Changes, use: Use) -> bool:
    """Tell whether the base has the same search-space entry, which a recipe's edit touches."""
    before = config_entries(touched.snapshot.base, touched.layout).get(use.entry.key)
    spaces = before.search_spaces if before else ()
    wanted = (use.space.scenario, use.space.node)
    return any((space.scenario, space.node) == wanted for space in spaces)
