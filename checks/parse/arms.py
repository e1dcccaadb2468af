"""Who runs what: search-space entries joined with the recipes that they name.

An arm is one search-space entry of a config key run with one variant of one recipe. Recipes that
lie outside of the repository give no arms.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from posixpath import basename
from typing import Any

from checks.answers import Answers
from checks.model import Snapshot, Status, Tree
from checks.once import once
from checks.parse.config_entry import ConfigEntry, RecipeReference, SearchSpace, Setting
from checks.parse.entry_edit import canonical
from checks.parse.master_config import Entries, config_entries
from checks.parse.recipe import Recipe, Variant, read_recipe, recipe_paths, split_reference
from checks.parse.speculation import Speculation, decimal, speculations
from checks.paths import matches
from checks.policy import Layout, Policy

# https://github.com/SemiAnalysisAI/InferenceX: runners/synthetic_injectors
INJECTED = frozenset({"dynamo-vllm", "dynamo-sglang"})


@dataclass(frozen=True, slots=True, eq=False)
class Use:
    """A place in a master config that names a recipe."""

    entry: ConfigEntry
    space: SearchSpace
    reference: RecipeReference

    @property
    def injected(self) -> Setting | None:
        """Return the acceptance length that the launcher writes into the recipe, if any."""
        named = {each.name: each for each in self.space.settings}
        switch, length = named.get("SYNTHETIC_ACCEPTANCE"), named.get("SYNTHETIC_ACCEPTANCE_LENGTH")
        enabled = switch is not None and switch.value.strip().lower() == "true"
        known = self.entry.node.str("framework") in INJECTED
        return length if enabled and known and length and decimal(length.value) else None


@dataclass(frozen=True, slots=True, eq=False)
class Arm:
    """A use of a recipe with one variant that it selects. ``path`` is the recipe's."""

    use: Use
    path: str
    variant: Variant = field(repr=False)

    @property
    def speculations(self) -> tuple[Speculation, ...]:
        """Return what each role says about speculative decoding."""
        return speculations(self.variant)


@dataclass(frozen=True, eq=False)
class Changes:
    """What a pull request touches among recipes and search spaces.

    Attributes:
        snapshot: the pull request.
        layout: where things are.
        entries: config keys that are new or differ.
        spaces: search-space entries that are new or differ, with their config key.
        recipes: recipes that are new or differ at head.
        curves: golden files that are new, differ, or are gone.
        scripts: benchmark scripts that are new or differ at head.

    """

    snapshot: Snapshot = field(repr=False)
    layout: Layout = field(repr=False)
    entries: tuple[ConfigEntry, ...]
    spaces: frozenset[SearchSpace]
    recipes: frozenset[str]
    curves: frozenset[str]
    scripts: frozenset[str] = frozenset()

    @property
    def answers(self) -> Answers:
        """Return what was answered of the snapshot; see `checks.once`."""
        return self.snapshot.answers

    def uses(self, path: str) -> tuple[Use, ...]:
        """Return every use of a recipe at head."""
        return _uses(self, path)

    @property
    @once
    def judged(self) -> tuple[str, ...]:
        """Return the recipes to judge: changed ones, and those that a changed entry runs."""
        return tuple(sorted(self.recipes | self._run_by(self.spaces)))

    @property
    @once
    def golden_arms(self) -> tuple[Arm, ...]:
        """Return the arms to hold to golden curves: all of them when a curve changed."""
        entries = config_entries(self.snapshot.head, self.layout).values() if self.curves else ()
        bound = self._run_by(space for entry in entries for space in entry.search_spaces)
        return tuple(arm for path in sorted({*self.judged, *bound}) for arm in self.arms_of(path))

    @property
    @once
    def renewed_images(self) -> frozenset[str]:
        """Return the config keys whose image is new or differs."""
        before = config_entries(self.snapshot.base, self.layout)
        return frozenset(
            entry.key
            for entry in self.entries
            if entry.key not in before or before[entry.key].image != entry.image
        )

    @property
    @once
    def image_arms(self) -> tuple[Arm, ...]:
        """Return the arms in which the image of the config key or of the recipe may be new."""
        renewed = (e for e in self.entries if e.key in self.renewed_images)
        behind = self._run_by(space for entry in renewed for space in entry.search_spaces)
        arms = (arm for path in sorted({*self.judged, *behind}) for arm in self.arms_of(path))
        return tuple(
            arm
            for arm in arms
            if arm.path in self.recipes
            or arm.use.space in self.spaces
            or arm.use.entry.key in self.renewed_images
        )

    def touches(self, use: Use, path: str, curve: str) -> bool:
        """Tell whether a use, its recipe or script, or its golden curve is new or differs."""
        files = self.recipes | self.scripts
        return use.space in self.spaces or path in files or curve in self.curves

    def arms_of(self, path: str) -> Iterator[Arm]:
        """Return the arms of a recipe."""
        return (arm for use in self.uses(path) for arm in self._arms(use, path))

    def arms_in(self, space: SearchSpace) -> tuple[Arm, ...]:
        """Return the arms of a search-space entry; () when a recipe is not in the repository."""
        located = ((use, self.located(use)) for use in _uses_of(space))
        found = [self._arms(use, path) if path else () for use, path in located]
        return tuple(arm for arms in found for arm in arms) if all(found) else ()

    def _arms(self, use: Use, path: str) -> tuple[Arm, ...]:
        _, selector = split_reference(use.reference.reference)
        return tuple(Arm(use, path, each) for each in self.recipe(path).select(selector))

    def _run_by(self, spaces: Iterable[SearchSpace]) -> set[str]:
        """Return the recipes of the repository that search-space entries run."""
        located = (self.located(use) for space in spaces for use in _uses_of(space))
        return {path for path in located if path is not None}

    def located(self, use: Use) -> str | None:
        """Return the path of the recipe that a use names, or None when it is not at head."""
        candidates = recipe_paths(use.reference.reference, self.layout.recipe_roots)
        return next((path for path in candidates if self.snapshot.head.has(path)), None)

    def recipe(self, path: str) -> Recipe:
        """Return a recipe at head; one without variants when there is none."""
        blob = self.snapshot.head.blob(path)
        return read_recipe(blob) if blob else Recipe()

    def variants(self, path: str) -> tuple[Variant, ...]:
        """Return the variants of a recipe that can run."""
        named = dict.fromkeys(arm.variant for arm in self.arms_of(path))
        return tuple(named | dict.fromkeys(self.recipe(path).select("")))


@once
def _uses(touched: Changes, path: str) -> tuple[Use, ...]:
    found = uses_of(touched.snapshot.head, touched.layout, path)
    return tuple(use for use in found if touched.located(use) == path)


def _uses_of(space: SearchSpace) -> Iterator[Use]:
    return (Use(space.entry, space, each) for each in space.references)


def uses_of(tree: Tree, layout: Layout, path: str) -> tuple[Use, ...]:
    """Return the uses of a recipe in a tree, in the masters' order, by each path it may have."""
    return _named(config_entries(tree, layout), tuple(layout.recipe_roots.items()), path)


@once
def _named(entries: Entries, roots: tuple[tuple[str, str], ...], path: str) -> tuple[Use, ...]:
    names = {basename(path.removeprefix(root)) for _, root in roots if path.startswith(root)}
    return tuple(
        use
        for entry in entries.values()
        if any(map(entry.may_hold, names))
        for space in entry.search_spaces
        for use in _uses_of(space)
        if path in recipe_paths(use.reference.reference, dict(roots))
    )


@once
def changes(snapshot: Snapshot, policy: Policy) -> Changes | None:
    """Return what a pull request touches, or None where no layout is known."""
    layout = policy.layout(snapshot.base) or policy.layout(snapshot.head)
    if layout is None:
        return None
    before = config_entries(snapshot.base, layout)
    after = config_entries(snapshot.head, layout)
    entries = tuple(e for e in after.values() if _differs(e, before.get(e.key)))
    spaces = (s for e in entries for s in _new_spaces(e, before.get(e.key)))
    return Changes(
        snapshot,
        layout,
        entries,
        frozenset(spaces),
        _changed(snapshot, layout.recipes, layout.ignored),
        _changed(snapshot, layout.golden_al, ()) | _removed(snapshot, layout.golden_al),
        _changed(snapshot, layout.scripts, layout.ignored),
    )


def _differs(entry: ConfigEntry, before: ConfigEntry | None) -> bool:
    if before is None or (before.part is not None and before.part == entry.part):
        return before is None
    return before.node != entry.node


def _new_spaces(entry: ConfigEntry, before: ConfigEntry | None) -> tuple[SearchSpace, ...]:
    # Most stay as they are, and what is spelled the same measures the same.
    spelled = {repr(_measured(space)) for space in before.search_spaces} if before else set()
    left = [space for space in entry.search_spaces if repr(_measured(space)) not in spelled]
    spaces = before.search_spaces if before and left else ()
    known = {canonical(_measured(space), frozenset()) for space in spaces}
    return tuple(space for space in left if canonical(_measured(space), frozenset()) not in known)


def _measured(space: SearchSpace) -> dict[str, Any]:
    """Return what a search-space entry measures: of which model, by which engine, and how."""
    top = {name: space.entry.node.get(name) for name in ("model", "model-prefix", "framework")}
    lengths = {name: space.block.get(name) for name in ("isl", "osl")}
    return {**top, **lengths, "scenario": space.scenario, "search-space": space.node}


def _changed(
    snapshot: Snapshot, globs: tuple[str, ...], ignored: tuple[str, ...]
) -> frozenset[str]:
    return frozenset(
        file.path
        for file in snapshot.files
        if (file.status in (Status.ADDED, Status.MODIFIED) or (file.old_path and file.hunks))
        and matches(file.path, globs)
        and not matches(file.path, ignored)
    )


def _removed(snapshot: Snapshot, globs: tuple[str, ...]) -> frozenset[str]:
    gone = (f for f in snapshot.files if f.status in (Status.REMOVED, Status.RENAMED))
    return frozenset(file.base_path for file in gone if matches(file.base_path, globs))
