"""The config keys whose measurements a pull request adds, changes or repeats."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from checks.matrix.identity import concurrencies
from checks.matrix.matrix import Matrix, matrix
from checks.matrix.rows import Row
from checks.matrix.schema import AGENTIC, FIXED
from checks.matrix.sweep import sweep
from checks.model import Snapshot
from checks.parse.changelog_change import new_entries
from checks.parse.config_changes import changed_configs, changed_files, readable
from checks.parse.master_config import ConfigEntry
from checks.policy import Policy
from checks.results.fields import series_of
from checks.signoff.curves import curve_name
from checks.signoff.facts import Config


@dataclass(frozen=True, slots=True)
class _Load:
    """One scenario of a config key."""

    config_key: str
    scenario: str


def affected(snapshot: Snapshot, policy: Policy) -> tuple[Config, ...] | None:
    """Return the affected config keys, those with both scenarios twice.

    A config key counts when the pull request adds a point to it, when a new changelog entry has it
    measured again, and when what one of its points runs differs, whether or not an entry says so.

    Returns:
        Them, sorted; None where no layout is known or a master config cannot be read.

    """
    layout = policy.layout(snapshot.head)
    found = sweep(snapshot, policy)
    if layout is None or found is None or not readable(snapshot.head, layout):
        return None
    head = matrix(snapshot.head, layout)
    rows: dict[_Load, list[Row]] = {}
    for point in (*found.added, *found.rerun, *found.jobs):
        rows.setdefault(_Load(point.config_key, _scenario(point.row)), []).append(point.row)
    for load in _whole(snapshot, policy, head):
        rows[load] = _rows(head, load)
    # What cannot be expanded has no points to tell, but differs all the same.
    for change in changed_configs(snapshot, policy):
        for scenario in change.scenarios if change.certain else ():
            rows.setdefault(_Load(change.entry.key, scenario), [])
    named = ((load, head.entries.get(load.config_key)) for load in rows)
    configs = [_config(entry, load, rows[load], head) for load, entry in named if entry]
    return tuple(sorted(configs, key=lambda each: (each.key, each.agentic)))


def _scenario(row: Row) -> str:
    return AGENTIC if row.get("scenario-type") == AGENTIC else FIXED


def _rows(head: Matrix, load: _Load) -> list[Row]:
    return [row for row in head.rows.get(load.config_key, ()) if _scenario(row) == load.scenario]


def _whole(snapshot: Snapshot, policy: Policy, head: Matrix) -> Iterator[_Load]:
    """Yield what is affected as a whole: what an entry claims, and what runs something else."""
    for entry in new_entries(snapshot, policy):
        if not entry.flag("append-only"):
            named = (each for key, each in head.entries.items() if entry.names(key))
            claims = (_Load(x.key, y) for x in named for y in x.scenarios)
            yield from (each for each in claims if each.scenario in entry.scenario_types)
    for change in changed_files(snapshot, policy):
        if change.certain:
            yield from (_Load(change.entry.key, name) for name in change.scenarios)


def _config(entry: ConfigEntry, load: _Load, rows: Iterable[Row], head: Matrix) -> Config:
    fields = {name: entry.node.str(name) or "" for name in ("model-prefix", "framework", "runner")}
    spaces = (space for space in entry.search_spaces if space.scenario == load.scenario)
    drafting = any(space.speculative for space in spaces)
    return Config(
        key=entry.key,
        model_prefix=fields["model-prefix"],
        framework=fields["framework"],
        precision=entry.node.str("precision") or "",
        runner=fields["runner"],
        image=entry.image or "",
        nodes="multi" if entry.node.get("multinode") is True else "single",
        agentic=load.scenario == AGENTIC,
        speculative=drafting,
        path=entry.path,
        line=entry.key_line,
        points=sum(len(concurrencies(row)) for row in _rows(head, load)),
        curves=tuple(sorted({curve_name(series_of(row)) for row in rows})),
    )
