"""Where search spaces name recipes, grouped so that one defect is one finding."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from checks.model import Evidence, Status
from checks.once import once
from checks.parse.arms import Changes, uses_of
from checks.parse.config_entry import ConfigEntry, SearchSpace
from checks.parse.master_config import config_entries
from checks.parse.quote import quote
from checks.parse.recipe import recipe_paths


@dataclass(frozen=True, eq=False)
class Named:
    """One recipe reference of a config key, with every line at which it stands.

    ``written`` is the reference without the config's recipe folder, as it stands there.
    """

    entry: ConfigEntry = field(repr=False)
    reference: str
    written: str
    lines: tuple[int, ...]
    new: bool

    def evidence(self, touched: Changes) -> tuple[Evidence, ...]:
        """Return the lines that name the recipe."""
        tree = touched.snapshot.head
        return tuple(quote(tree, self.entry.path, line) for line in self.lines)


def named_recipes(touched: Changes) -> Iterator[Named]:
    """Return the recipe references at head of the config keys that a pull request may affect.

    Those that are new or differ, and those that name a file which it changes. ``new`` where a new
    or changed arm names it.
    """
    for entry in _affected(touched):
        found: dict[tuple[str, str], list[tuple[int, SearchSpace]]] = {}
        for space in entry.search_spaces:
            for each in space.references:
                found.setdefault((each.reference, each.written), []).append((each.line, space))
        for (reference, written), places in found.items():
            lines = tuple(dict.fromkeys(line for line, _ in places))
            new = any(space in touched.spaces for _, space in places)
            yield Named(entry, reference, written, lines, new)


@once
def _affected(touched: Changes) -> tuple[ConfigEntry, ...]:
    """Return the config keys in the order of the masters."""
    entries = config_entries(touched.snapshot.head, touched.layout)
    paths = {path for file in touched.snapshot.files for path in (file.path, file.base_path)}
    uses = (use for path in paths for use in uses_of(touched.snapshot.head, touched.layout, path))
    wanted = {use.entry.key for use in uses}
    wanted |= {entry.key for entry in touched.entries}
    return tuple(entry for key, entry in entries.items() if key in wanted)


def located(touched: Changes, reference: str) -> str | None:
    """Return the path of a reference's recipe, or None when it is not at head."""
    paths = recipe_paths(reference, touched.layout.recipe_roots)
    return next((path for path in paths if touched.snapshot.head.has(path)), None)


def gone(touched: Changes, reference: str) -> str | None:
    """Return the path that a reference had at base, or None when it had none there."""
    paths = recipe_paths(reference, touched.layout.recipe_roots)
    return next((path for path in paths if touched.snapshot.base.has(path)), None)


def renamed(touched: Changes, path: str) -> str | None:
    """Return what a pull request renamed a file to."""
    files = (f for f in touched.snapshot.files if f.status is Status.RENAMED)
    return next((file.path for file in files if file.old_path == path), None)
