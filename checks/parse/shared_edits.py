"""Files that points of the base run, and whether a change of one reaches those points.

What stands in a branch for other points, and runs the same commands at every existing one, does
not. Comments never do.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from checks.model import Blob, ChangedFile, Snapshot, Status, Tree
from checks.parse.arms import uses_of
from checks.parse.config_changes import first_line
from checks.parse.config_entry import ConfigEntry, SearchSpace
from checks.parse.master_config import config_entries
from checks.parse.recipe import read_recipe, split_reference
from checks.parse.script_change import starts_otherwise, starts_the_same
from checks.parse.scripts import Difference, difference, runs_script, script_of
from checks.parse.shell.syntax import Node, read_script
from checks.parse.yaml import Map
from checks.paths import matches
from checks.policy import Layout

_POINT = frozenset({"CONC", "TP", "EP_SIZE", "DP_ATTENTION", "PP_SIZE", "DCP_SIZE", "PCP_SIZE"})
_BRANCHES = ("if_statement", "case_statement")
_NOT_MEASURED = frozenset({"name", "identity"})


@dataclass(frozen=True, slots=True, eq=False)
class SharedEdit:
    """A changed file that config keys of the base run.

    Attributes:
        path: at head.
        line: 1-based first line at head that differs, None when only lines are gone.
        entries: the config keys at base that run it.

    """

    path: str
    line: int | None
    entries: tuple[ConfigEntry, ...] = field(repr=False)


def shared_edits(snapshot: Snapshot, layout: Layout) -> Iterator[SharedEdit]:
    """Return the changed recipes and scripts that reach points of the base."""
    before = config_entries(snapshot.base, layout)
    for file in snapshot.files:
        old, new = snapshot.base.blob(file.base_path), snapshot.head.blob(file.path)
        kept = file.status in (Status.MODIFIED, Status.RENAMED) and old and new and old != new
        if not kept or not old or not new or matches(file.base_path, layout.ignored):
            continue
        if matches(file.base_path, layout.recipes):
            entries = tuple(_of_recipe(snapshot.base, layout, file.base_path, old, new))
        elif file.base_path.endswith(".sh"):
            entries = tuple(_of_script(snapshot, layout, before, file, (old, new)))
        else:
            continue
        if entries:
            yield SharedEdit(file.path, first_line(file, new), entries)


def _of_recipe(
    base: Tree, layout: Layout, path: str, old: Blob, new: Blob
) -> Iterator[ConfigEntry]:
    found: dict[ConfigEntry, None] = {}
    for use in uses_of(base, layout, path):
        selector = split_reference(use.reference.reference)[1]
        if not use.reference.evaluation and _variants_differ(old, new, selector):
            found[use.entry] = None
    yield from found


@lru_cache(maxsize=128)
def _variants_differ(old: Blob, new: Blob, selector: str) -> bool:
    """Tell whether a variant of the base runs otherwise; a new variant does not count."""
    before, after = read_recipe(old), read_recipe(new)
    if before.error or after.error:
        return False
    kept = {each.selector: each.content for each in after.variants.values()}
    return any(
        _measured(each.content) != _measured(kept[each.selector])
        for each in before.select(selector)
        if each.selector in kept
    )


def _measured(content: Map) -> dict[object, object]:
    """Return what a variant runs with; concurrencies only say which points there are."""
    result: dict[object, object] = {k: v for k, v in content.items() if k not in _NOT_MEASURED}
    benchmark = content.map("benchmark")
    if benchmark:
        result["benchmark"] = {k: v for k, v in benchmark.items() if k != "concurrencies"}
    return result


def _of_script(
    snapshot: Snapshot,
    layout: Layout,
    before: Mapping[str, ConfigEntry],
    file: ChangedFile,
    blobs: tuple[Blob, Blob],
) -> Iterator[ConfigEntry]:
    old, new = blobs
    if difference(old, new) <= Difference.EVALUATION:
        return
    guarded = _guarded(old, new, file)
    for entry in before.values():
        spaces = [s for s in entry.search_spaces if _runs(snapshot, layout, entry, s, file)]
        apart = guarded and not starts_otherwise(entry, spaces, old, new)
        if spaces and not apart and not starts_the_same(entry, spaces, old, new):
            yield entry


def _runs(
    snapshot: Snapshot, layout: Layout, entry: ConfigEntry, space: SearchSpace, file: ChangedFile
) -> bool:
    """Tell whether a search-space entry of the base runs a script, itself or by its name."""
    if space in runs_script(entry, file.base_path, snapshot.base):
        return True
    script = script_of(entry, space, snapshot.base, layout)
    blob, name = snapshot.base.blob(script) if script else None, file.base_path.rpartition("/")[2]
    return blob is not None and name.encode("utf-8", "surrogateescape") in blob.data


def _guarded(old: Blob, new: Blob, file: ChangedFile) -> bool:
    """Tell whether all changed commands stand in branches that a point decides."""
    removed = {line - 1 for hunk in file.hunks for line in hunk.removed}
    added = {line - 1 for hunk in file.hunks for line in hunk.added}
    return _inside(old, removed) and _inside(new, added)


def _inside(blob: Blob, rows: set[int]) -> bool:
    script = read_script(blob)
    if script is None:
        return False
    lines = [line.strip() for line in blob.data.split(b"\n")]
    commands = {r for r in rows if r < len(lines) and lines[r] and not lines[r].startswith(b"#")}
    branches = _deciding(script.root)
    return all(any(b.row <= row <= b.end_row for b in branches) for row in commands)


def _deciding(root: Node) -> list[Node]:
    """Return the branches that a point decides, also by a variable that is set in another one."""
    asking: dict[str, list[Node]] = {}
    for node in root.walk():
        for name in _asked(node) if node.kind in _BRANCHES else ():
            asking.setdefault(name, []).append(node)
    found, waiting = dict[Node, None](), list(_POINT)
    while waiting:
        for branch in asking.pop(waiting.pop(), ()):
            found[branch] = None
            targets = (n.child("name") for n in branch.walk() if n.kind == "variable_assignment")
            waiting += [target.text for target in targets if target]
    return list(found)


def _asked(branch: Node) -> set[str]:
    """Return the variables that decide which way a branch goes."""
    head = branch.child("value" if branch.kind == "case_statement" else "condition")
    return {each.text for each in head.walk() if each.kind == "variable_name"} if head else set()
