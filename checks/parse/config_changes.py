"""Which config keys a pull request changes: in the masters, in their recipes or their scripts.

Only what is certain counts. A file that no active config key names, a comment, another order,
another spelling of the same concurrencies and points that are taken away change nothing that is
measured.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from functools import cached_property, lru_cache, partial
from posixpath import basename
from typing import TYPE_CHECKING, Any

from checks.model import Blob, ChangedFile, Snapshot, Tree
from checks.once import once
from checks.parse.config_entry import ConfigEntry, SearchSpace
from checks.parse.entry_edit import EntryEdit, first_difference
from checks.parse.hardware import sku_of
from checks.parse.master_config import config_entries, masters, read_master
from checks.parse.recipe import read_recipe, split_reference
from checks.parse.scripts import Difference, difference, runs_script
from checks.parse.yaml import Map
from checks.paths import matches
from checks.policy import Layout, Policy
from checks.record import Record

if TYPE_CHECKING:
    from checks.parse.arms import Use

# Fields that only describe what runs. On several nodes the recipe decides about offloading.
_LABELS = frozenset({"router", "kv-p2p-transfer", "require-power"})
_MULTINODE_LABELS = _LABELS | {"kv-offloading", "kv-offload-backend", "dram-utilization"}
# Parts of a recipe around the engine: the client, the router, the job.
_AROUND = frozenset(
    {
        *("name", "benchmark", "frontend", "telemetry", "observability", "profiling"),
        *("health_check", "sbatch_directives", "slurm", "srun_options", "identity"),
        *("infra", "enable_config_dump"),
    }
)


class ConfigChange(Record):
    """A config key whose measurements can differ after the pull request.

    Attributes:
        entry: the config key at head.
        path: the file that changes it.
        line: the first line at head that does, None when it is not one line.
        scenarios: the scenarios that are affected.
        differs: tells whether what runs differs; see ``certain``.

    """

    entry: ConfigEntry
    path: str
    line: int | None
    scenarios: frozenset[str]
    differs: Callable[[], bool] = field(default=partial(bool, True), compare=False, repr=False)

    @cached_property
    def certain(self) -> bool:
        """Tell whether what runs differs, not only what describes it or what is around it.

        To know takes following both versions of a script, which not everybody asks for.
        """
        return self.differs()


@once
def changed_configs(snapshot: Snapshot, policy: Policy) -> tuple[ConfigChange, ...]:
    """Return the config keys whose own entry in a master config is new or differs.

    Nothing when a master config cannot be read before or after, or moved.
    """
    layout = _layout(snapshot, policy)
    if layout is None:
        return ()
    before, after = (config_entries(tree, layout) for tree in (snapshot.base, snapshot.head))
    found = (_changed(before.get(entry.key), entry) for entry in after.values())
    return tuple(change for change in found if change is not None)


@once
def changed_files(snapshot: Snapshot, policy: Policy) -> tuple[ConfigChange, ...]:
    """Return the config keys that a changed recipe or benchmark script belongs to."""
    return tuple(each for file in snapshot.files for each in changed_by(snapshot, policy, file))


@once
def changed_by(snapshot: Snapshot, policy: Policy, file: ChangedFile) -> tuple[ConfigChange, ...]:
    """Return the config keys that one changed file belongs to, if a recipe or benchmark script."""
    return tuple(_by_file(snapshot, policy, file, bool))


def changes_any(
    snapshot: Snapshot, policy: Policy, file: ChangedFile, wanted: Callable[[str], bool]
) -> bool:
    """Tell whether a changed file belongs to a wanted config key, looking at no other ones."""
    return any(_by_file(snapshot, policy, file, wanted))


@once
def changed_launchers(snapshot: Snapshot, policy: Policy) -> tuple[ConfigChange, ...]:
    """Return the config keys on the hardware that a changed launcher is named for; not certain."""
    layout = _layout(snapshot, policy)
    entries = config_entries(snapshot.head, layout) if layout else {}
    return tuple(
        ConfigChange(entry, file.path, line, frozenset(entry.scenarios), partial(bool, False))
        for file in snapshot.files
        if layout and matches(file.path, layout.launchers)
        for line in _launched(snapshot, file)
        for entry in entries.values()
        if sku_of(entry) in re.split(r"[_.-]", basename(file.path))
    )


def _launched(snapshot: Snapshot, file: ChangedFile) -> Iterator[int | None]:
    """Yield the first line of a launcher's change, if more than evaluations or comments differ."""
    head, base = snapshot.head.blob(file.path), snapshot.base.blob(file.base_path)
    if head and base and difference(base, head) > Difference.EVALUATION:
        yield first_line(file, head)


def _layout(snapshot: Snapshot, policy: Policy) -> Layout | None:
    layout = policy.layout(snapshot.base)
    if snapshot.everything_is_new or layout is None or policy.layout(snapshot.head) != layout:
        return None
    return layout if all(readable(x, layout) for x in (snapshot.base, snapshot.head)) else None


def readable(tree: Tree, layout: Layout) -> bool:
    """Tell whether there are master configs and every one can be read."""
    found = masters(tree, layout)
    return bool(found) and all(read_master(path, blob).error is None for path, blob in found)


def _changed(before: ConfigEntry | None, after: ConfigEntry) -> ConfigChange | None:
    if before is None:
        return ConfigChange(after, after.path, after.key_line, frozenset(after.scenarios))
    cut_out = before.part is not None and before.part == after.part
    return None if cut_out else _edited(before, after)


@lru_cache(maxsize=128)
def _edited(before: ConfigEntry, after: ConfigEntry) -> ConfigChange | None:
    if before.node == after.node:
        return None
    labels = _MULTINODE_LABELS if after.node.get("multinode") is True else _LABELS
    if sku_of(before) == sku_of(after):
        # Another pool of the same machines.
        labels |= {"runner"}
    edit = EntryEdit(before, after)
    certain = edit.affected(labels)
    affected = certain or edit.affected(frozenset())
    if not affected:
        return None
    mark = first_difference(before.node, after.node)
    line = after.line(mark) if mark else after.key_line
    return ConfigChange(after, after.path, line, affected, partial(bool, certain))


def _by_file(
    snapshot: Snapshot, policy: Policy, file: ChangedFile, wanted: Callable[[str], bool]
) -> Iterator[ConfigChange]:
    layout = _layout(snapshot, policy)
    if layout is None or matches(file.path, layout.ignored):
        return
    head, base = snapshot.head.blob(file.path), snapshot.base.blob(file.base_path)
    if head is None or base is None or head == base:
        # A new file matters through the config key that starts to name it; one that was named
        # before was an external file then, and still may be.
        return
    if matches(file.path, layout.recipes):
        from checks.parse.arms import uses_of  # takes long to import, and few changes need it

        uses = [x for x in uses_of(snapshot.head, layout, file.path) if wanted(x.entry.key)]
        yield from _by_recipe(uses, file, base, head)
    elif matches(file.path, layout.scripts):
        touched = difference(base, head)
        if touched <= Difference.EVALUATION:
            return
        line = first_line(file, head)
        running = _running(config_entries(snapshot.head, layout), basename(file.path))
        for entry in (each for each in running if wanted(each.key)):
            if spaces := tuple(runs_script(entry, file.path, snapshot.head)):
                server = touched is Difference.SERVER
                otherwise = partial(_starts_otherwise, entry, spaces, base, head)
                differs = otherwise if server else partial(bool, False)
                affected = frozenset(space.scenario for space in spaces)
                yield ConfigChange(entry, file.path, line, affected, differs)


def _starts_otherwise(
    entry: ConfigEntry, spaces: tuple[SearchSpace, ...], base: Blob, head: Blob
) -> bool:
    # What follows scripts is imported when somebody asks.
    from checks.parse.script_change import starts_the_same

    return not starts_the_same(entry, spaces, base, head)


def _running(entries: Mapping[str, ConfigEntry], script: str) -> Iterator[ConfigEntry]:
    """Return the entries that may hold the fields of which a script's name is composed."""
    names, hardware = script.split("_")[:2], script.split("_")[2:3]
    for entry in entries.values():
        if all(map(entry.may_hold, names)) and all(map(entry.may_run_on, hardware)):
            yield entry


def first_line(file: ChangedFile, head: Blob) -> int | None:
    """Return the first head line of a change, or the one next to it where lines are removed."""
    places = [
        hunk.added[0] if hunk.added else hunk.new_start + hunk.removed[0] - hunk.old_start
        for hunk in file.hunks
        if hunk.added or hunk.removed
    ]
    return min(*places, len(head.lines())) if places else None


def _by_recipe(
    uses: Iterable["Use"], file: ChangedFile, base: Blob, head: Blob
) -> Iterator[ConfigChange]:
    """Return the config keys that run a changed variant of a recipe, evaluations aside."""
    found: dict[ConfigEntry, dict[str, bool]] = {}
    for use in (use for use in uses if not use.reference.evaluation):
        parts = _parts_changed(base, head, split_reference(use.reference.reference)[1])
        if parts:
            scenarios, scenario = found.setdefault(use.entry, {}), use.space.scenario
            scenarios[scenario] = not parts <= _AROUND or scenarios.get(scenario, False)
    for entry, scenarios in found.items():
        line, certain = first_line(file, head), any(scenarios.values())
        yield ConfigChange(entry, file.path, line, frozenset(scenarios), partial(bool, certain))


@lru_cache(maxsize=256)
def _parts_changed(base: Blob, head: Blob, selector: str) -> frozenset[Any]:
    """Return the top-level keys that differ in the variants that a selector names."""
    before, after = read_recipe(base), read_recipe(head)
    if after.error or before.error:
        return frozenset()
    old, new = ({x.selector: x.content for x in each.select(selector)} for each in (before, after))
    return frozenset(
        key
        for name, content in new.items()
        for key in {*content, *old.get(name, Map())}
        if content.get(key) != old.get(name, Map()).get(key)
    )
