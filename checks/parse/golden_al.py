"""Golden acceptance-length curves, and which one a speculative configuration is held to."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache

from checks.model import Blob, Tree
from checks.parse.arms import Use
from checks.parse.recipe import content_of
from checks.parse.speculation import Speculation, decimal
from checks.parse.yaml import Map
from checks.paths import matches
from checks.policy import Curve, Layout, Policy

THINKING_ON, THINKING_OFF = "thinking_on", "thinking_off"
TOLERANCE = Decimal("0.005")


@dataclass(frozen=True, slots=True)
class Cell:
    """A golden acceptance length: ``value`` as a number, ``raw`` as written, its 1-based line."""

    value: Decimal
    raw: str
    line: int

    def agrees(self, length: Decimal) -> bool:
        """Tell whether a length is this one, to the precision of the files (two decimals)."""
        return abs(self.value - length) < TOLERANCE


@dataclass(frozen=True, eq=False)
class GoldenCurve:
    """A golden file: thinking mode -> draft length k -> cell."""

    path: str
    modes: Mapping[str, Mapping[int, Cell]] = field(repr=False)

    @property
    def name(self) -> str:
        """Return the file's name without folder and ending."""
        return self.path.rpartition("/")[2].removesuffix(".yaml")

    def cell(self, k: int, mode: str = THINKING_ON) -> Cell | None:
        """Return the golden acceptance length at k drafted tokens, or None."""
        return self.modes.get(mode, {}).get(k)


@lru_cache(maxsize=256)
def read_golden(path: str, blob: Blob) -> GoldenCurve | None:
    """Read a golden file; None when it has not the shape of one."""
    content = content_of(blob)
    if not isinstance(content, Map):
        return None
    models = [value for value in content.values() if isinstance(value, Map)]
    if len(models) != 1:
        return None
    return GoldenCurve(
        path, {str(m): _cells(v) for m, v in models[0].items() if isinstance(v, Map)}
    )


def _cells(node: Map) -> Mapping[int, Cell]:
    cells = {}
    for k, mark in node.marks.items():
        value = decimal(mark.raw)
        if isinstance(k, int) and value is not None:
            cells[k] = Cell(value, mark.raw, node.key_marks[k].row + 1)
    return cells


def golden_path(tree: Tree, layout: Layout, name: str) -> str | None:
    """Return the path of a golden file by its name without folder and ending."""
    for glob in layout.golden_al:
        folder, _, last = glob.rpartition("/")
        if last == "*.yaml" and "*" not in folder:
            paths: Iterable[str] = [f"{folder}/{name}.yaml".lstrip("/")]
        else:
            end = f"/{name}.yaml"
            paths = [p for p in tree.paths() if f"/{p}".endswith(end) and matches(p, [glob])]
        for path in paths:
            if tree.has(path):
                return path
    return None


def choose(curves: Iterable[Curve], prefix: str, model: str, found: Speculation) -> str | None:
    """Return the name of the golden file for a configuration, or None when no curve fits.

    Args:
        curves: the policy's, the first that fits wins.
        prefix: model prefix of the config key.
        model: name of the target model.
        found: the role's speculative facts.

    """
    facts = [found.method, found.draft, found.sampling]
    method, draft, sampling = (fact.value if fact else "" for fact in facts)
    for curve in curves:
        conditions = [
            (curve.method, method),
            (curve.draft, draft),
            (curve.sampling, sampling),
            (curve.model, f"{model} {draft}"),
        ]
        if curve.prefix == prefix and all(_found(*each) for each in conditions):
            return curve.file
    return None


def _found(pattern: str, value: str) -> bool:
    return not pattern or bool(value and re.search(pattern, value, re.IGNORECASE))


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
    prefix, model = str(node.get("model-prefix") or ""), node.str("model") or ""
    name = choose(policy.curves, prefix, model, found)
    path = golden_path(tree, layout, name) if name else None
    blob = tree.blob(path) if path else None
    curve = read_golden(path, blob) if path and blob else None
    cell = curve.cell(int(tokens), THINKING_ON) if curve else None
    return (curve, cell, int(tokens)) if curve and cell else None
