"""What runs which recipe, read with PyYAML alone, so that it does not depend on what is tested."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import yaml

from tests.mutation.site import World

RECIPES = "benchmarks/multi_node/srt-slurm-recipes/"


@dataclass(frozen=True)
class Use:
    """A search-space entry of a config key, and what it says about one recipe."""

    key: str
    entry: Any
    block: Any
    space: Any
    agentic: bool
    recipe: str = ""
    selector: str = ""
    evaluation: bool = False
    injected: bool = False

    @property
    def drafts(self) -> bool:
        """Tell whether the master says that it drafts tokens."""
        return self.space.get("spec-decoding") not in (None, "none")


@cache
def masters(world: World) -> dict[str, Any]:
    """Return the entries of all masters by config key."""
    found: dict[str, Any] = {}
    for path in world.paths(r"(.*/)?configs/\w+-master\.yaml"):
        found |= yaml.load(world.files[path], yaml.CSafeLoader) or {}
    return found


@cache
def spaces(world: World) -> tuple[Use, ...]:
    """Return every search-space entry."""
    return tuple(
        Use(key, entry, block, space, scenario == "agentic-coding")
        for key, entry in masters(world).items()
        for scenario, blocks in entry["scenarios"].items()
        for block in blocks
        for space in block["search-space"]
    )


@cache
def uses(world: World) -> dict[str, tuple[Use, ...]]:
    """Return who runs each recipe of the repository."""
    found: dict[str, list[Use]] = {}
    for use in spaces(world):
        for each in _named(world, use):
            found.setdefault(each.recipe, []).append(each)
    return {path: tuple(each) for path, each in found.items()}


def _named(world: World, use: Use) -> Iterator[Use]:
    settings = [
        str(each).partition("=")
        for worker in ("prefill", "decode", "worker")
        for each in (use.space.get(worker) or {}).get("additional-settings") or ()
    ]
    values = {name: value for name, _, value in settings}
    injected = values.get("SYNTHETIC_ACCEPTANCE") == "true"
    named = {
        name: use.space[name] for name in ("srt-recipe", "eval-srt-recipe") if name in use.space
    }
    for name, value in {**values, **named}.items():
        if name in ("CONFIG_FILE", "EVAL_CONFIG_FILE", "srt-recipe", "eval-srt-recipe"):
            path, _, selector = value.partition(":")
            recipe = _located(world, path)
            if recipe:
                yield Use(
                    use.key, use.entry, use.block, use.space, use.agentic,
                    recipe, selector, name.lower().startswith("eval"), injected,
                )  # fmt: skip


def _located(world: World, path: str) -> str | None:
    root = "inferencex-e2e/" if any(p.startswith("inferencex-e2e/") for p in world.files) else ""
    start = root + ("" if path.startswith("benchmarks/") else RECIPES)
    there = start + path.removeprefix("recipes/")
    return there if there in world.files else None


def recipes(world: World, *, agentic: bool, drafts: bool = True) -> list[str]:
    """Return the recipes that are measured in one scenario only, sorted.

    ``drafts`` asks for those whose every search-space entry drafts tokens.
    """
    return sorted(
        path
        for path, found in uses(world).items()
        if (measured := [use for use in found if not use.evaluation])
        and all(use.agentic is agentic for use in measured)
        and (not drafts or all(use.drafts for use in measured))
    )


@cache
def golden(world: World, name: str) -> dict[str, dict[int, str]]:
    """Return a golden file's cells as text by thinking mode and draft length."""
    (path,) = world.paths(rf"(.*/)?golden_al_distribution/{name}\.yaml")
    content = yaml.load(world.files[path], yaml.BaseLoader)
    (modes,) = content.values()
    return {mode: {int(k): v for k, v in cells.items()} for mode, cells in modes.items()}
