"""Quotes of files as evidence, and names of places that survive line shifts."""

from checks.model import Evidence, Tree
from checks.parse.arms import Use, speculations
from checks.parse.edit import line_of
from checks.parse.golden_al import THINKING_ON, Cell, GoldenCurve, golden
from checks.parse.recipe import Recipe
from checks.parse.speculation import Fact, Speculation
from checks.policy import Layout, Policy

LONGEST_QUOTE = 240


def quote(tree: Tree, path: str, line: int) -> Evidence:
    """Return a line of a file as evidence, without the white space around it."""
    content = (line_of(tree, path, line) or "").strip()
    cut = content if len(content) <= LONGEST_QUOTE else content[: LONGEST_QUOTE - 1] + "…"
    return Evidence(path, line, cut)


def origin(recipe: Recipe, fact: Fact) -> str:
    """Return the selector of the first variant that takes a fact from the same place."""
    for variant in recipe.variants.values():
        for found in speculations(variant):
            facts = (found.length, found.mode, found.tokens, found.draft_dtype)
            if any(f and (f.line, f.name) == (fact.line, fact.name) for f in facts):
                return variant.selector
    return ""


def held_to(
    tree: Tree, layout: Layout, policy: Policy, use: Use, found: Speculation
) -> tuple[GoldenCurve, Cell, int] | None:
    """Return the golden curve, cell and draft length that a role of a use is held to.

    None when any of method, draft length, curve or cell is unknown.
    """
    tokens = found.tokens.number if found.tokens else None
    if tokens is None or tokens != int(tokens):
        return None
    node = use.entry.node
    models = [name for name in (node.str("model"),) if name]
    prefix = str(node.get("model-prefix") or "")
    curve = golden(tree, layout, policy.curves, prefix, models, found)
    cell = curve.cell(int(tokens), THINKING_ON) if curve else None
    return (curve, cell, int(tokens)) if curve and cell else None
