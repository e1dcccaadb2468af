"""A recipe reference selects a variant that the recipe does not have.

What it does
    For each reference with a selector that is new, or whose recipe changed, looks for the variant:
    ``base``, ``override_<name>``, ``zip_override_<name>`` or one element ``[i]`` of it.

Why it matters
    The job fails when it starts, on machines that others wait for.

Example
    ``agg.yaml:override_tp8_c16`` while the recipe has ``override_tp8_c32`` only, or
    ``agg.yaml:zip_override_hi[2]`` while its lists hold two elements, ``[0]`` and ``[1]``.

Use instead
    ``agg.yaml:override_tp8_c32``

Exceptions
    A selector with a wildcard, and a recipe that is not in the repository or cannot be read.

References
    https://github.com/NVIDIA/srt-slurm
"""

import difflib
from collections.abc import Iterator

from checks.model import Evidence, Observation, Severity, Snapshot
from checks.parse.arms import Changes, changes
from checks.parse.edit import replace_text
from checks.parse.recipe import split_reference
from checks.parse.references import Named, located, named_recipes
from checks.policy import Policy
from checks.registry import rule
from checks.text import Text, text

MOST_SHOWN = 8


@rule(Severity.BLOCKING, family="recipe-missing", excused="ruled out")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Look for the variant of each touched reference."""
    touched = changes(snapshot, policy)
    for named in named_recipes(touched) if touched else ():
        _, selector = split_reference(named.reference)
        path = located(touched, named.reference) if touched and selector else None
        if touched is None or path is None or not (named.new or path in touched.recipes):
            continue
        recipe = touched.recipe(path)
        if recipe.error is None and "*" not in selector and not recipe.select(selector):
            yield _observation(touched, named, path, selector)


def _observation(touched: Changes, named: Named, path: str, selector: str) -> Observation:
    known = [each for each in touched.recipe(path).variants if each]
    close = next(iter(difflib.get_close_matches(selector, known, 1)), None)
    tree, line = touched.snapshot.head, named.lines[0]
    old, new = f":{selector}", f":{close}"
    there = ", ".join(known[:MOST_SHOWN]) or "-"
    return Observation(
        named.entry.path,
        line,
        text("The recipe has no such variant"),
        text(
            "{key} selects {selector}, but {recipe} has no such variant. {advice}",
            key=named.entry.key,
            selector=selector,
            recipe=path,
            advice=_advice(close, known),
        ),
        (named.entry.key, named.reference),
        evidence=(*named.evidence(touched), Evidence(path, None, there)),
        suggestion=replace_text(tree, named.entry.path, line, old, new)
        if close and len(named.lines) == 1
        else None,
        config_key=named.entry.key,
    )


def _advice(close: str | None, known: list[str]) -> Text:
    if close:
        return text("Did you mean {selector}?", selector=close)
    if known:
        return text("Name one that it has, such as {selector}.", selector=known[0])
    return text("It has no variants; name it without a selector.")
