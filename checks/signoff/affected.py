"""The config keys whose measurements a pull request adds, changes or repeats."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass

from checks.matrix.identity import concurrencies, curve
from checks.matrix.matrix import Matrix, matrix
from checks.matrix.rows import Row
from checks.matrix.schema import AGENTIC, FIXED
from checks.matrix.shape import traits
from checks.matrix.sweep import Sweep, sweep
from checks.model import Snapshot
from checks.parse.arms import Changes, changes
from checks.parse.changelog_change import new_entries
from checks.parse.config_changes import changed_configs, changed_files, readable
from checks.parse.config_entry import ConfigEntry
from checks.policy import Policy
from checks.results.fields import series_of
from checks.signoff.curves import curve_name
from checks.signoff.drafting import chats, golden
from checks.signoff.facts import Config, Traits
from checks.signoff.flags import flags_of

MOST_FOLLOWED = 40  # config keys whose servers are looked at


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
    layout, touched = policy.layout(snapshot.head), changes(snapshot, policy)
    found = sweep(snapshot, policy)
    if not (layout and touched and found and readable(snapshot.head, layout)):
        return None
    head = matrix(snapshot.head, layout)
    rows = _affected_rows(snapshot, policy, found, head)
    entries = new_entries(snapshot, policy)
    points = (*found.added, *found.jobs)
    around = _Around(
        head,
        touched,
        policy,
        frozenset(_Load(each.config_key, _scenario(each.row)) for each in points)
        | frozenset(_changed(snapshot, policy))
        | frozenset(_claimed(snapshot, policy, head, ("append-only", "evals-only", "all-evals"))),
        tuple((_measured(row), row) for row in found.evals),
        lambda key: any(entry.names(key) for entry in entries),
    )
    loads = sorted(
        (load for load in rows if load.config_key in head.entries),
        key=lambda load: (load.config_key, load.scenario == AGENTIC),
    )
    return tuple(
        around.config(head.entries[load.config_key], load, rows[load], number)
        for number, load in enumerate(loads)
    )


def _affected_rows(
    snapshot: Snapshot, policy: Policy, found: Sweep, head: Matrix
) -> dict[_Load, list[Row]]:
    rows: dict[_Load, list[Row]] = {}
    for point in (*found.added, *found.rerun, *found.jobs):
        rows.setdefault(_Load(point.config_key, _scenario(point.row)), []).append(point.row)
    for load in _whole(snapshot, policy, head):
        rows[load] = _rows(head, load)
    # What cannot be expanded has no points to tell, but differs all the same.
    for change in changed_configs(snapshot, policy):
        for scenario in change.scenarios if change.certain else ():
            rows.setdefault(_Load(change.entry.key, scenario), [])
    return rows


def _scenario(row: Row) -> str:
    return AGENTIC if row.get("scenario-type") == AGENTIC else FIXED


def _rows(head: Matrix, load: _Load) -> list[Row]:
    return [row for row in head.rows.get(load.config_key, ()) if _scenario(row) == load.scenario]


def _whole(snapshot: Snapshot, policy: Policy, head: Matrix) -> Iterator[_Load]:
    """Yield what is affected as a whole: what an entry claims, and what runs something else."""
    yield from _claimed(snapshot, policy, head, ("append-only",))
    for change in changed_files(snapshot, policy):
        if change.certain:
            yield from (_Load(change.entry.key, name) for name in change.scenarios)


def _claimed(
    snapshot: Snapshot, policy: Policy, head: Matrix, unless: Sequence[str]
) -> Iterator[_Load]:
    """Yield what new changelog entries without any of some flags have measured."""
    for entry in new_entries(snapshot, policy):
        if not any(map(entry.flag, unless)):
            named = (each for key, each in head.entries.items() if entry.names(key))
            claims = (_Load(x.key, y) for x in named for y in x.scenarios)
            yield from (each for each in claims if each.scenario in entry.scenario_types)


def _changed(snapshot: Snapshot, policy: Policy) -> Iterator[_Load]:
    """Yield what differs, or may differ."""
    for change in (*changed_configs(snapshot, policy), *changed_files(snapshot, policy)):
        yield from (_Load(change.entry.key, name) for name in change.scenarios)


@dataclass(frozen=True, slots=True)
class _Around:
    """What the configs of one pull request are read with.

    ``measured`` is what a job measures, or what none does though it should.
    """

    head: Matrix
    touched: Changes
    policy: Policy
    measured: frozenset[_Load]
    evals: tuple[tuple[Hashable, Row], ...]
    named: Callable[[str], bool]

    def config(self, entry: ConfigEntry, load: _Load, rows: Sequence[Row], number: int) -> Config:
        node, followed = entry.node, number < MOST_FOLLOWED
        spaces = [space for space in entry.search_spaces if space.scenario == load.scenario]
        evaluations = self._evaluations(load, rows)
        return Config(
            key=entry.key,
            model_prefix=node.str("model-prefix") or "",
            framework=node.str("framework") or "",
            precision=node.str("precision") or "",
            runner=node.str("runner") or "",
            image=entry.image or "",
            nodes="multi" if node.get("multinode") is True else "single",
            agentic=load.scenario == AGENTIC,
            speculative=any(space.speculative for space in spaces),
            path=entry.path,
            line=entry.key_line,
            points=sum(len(concurrencies(row)) for row in _rows(self.head, load)),
            curves=tuple(sorted({curve_name(series_of(row)) for row in rows})),
            model=node.str("model") or "",
            measured=load in self.measured,
            evaluated=bool(evaluations) if rows else None,
            flags=flags_of(spaces, self.touched) if followed else None,
            chats=chats(spaces, self.touched) if followed else None,
            golden=golden(spaces, self.touched, self.policy) if followed else None,
            traits=_traits(rows),
            evaluations=_traits(evaluations),
        )

    def _evaluations(self, load: _Load, rows: Sequence[Row]) -> Sequence[Row]:
        """Return what a sweep evaluates; of what no entry names, as one would that did."""
        if not self.named(load.config_key):
            jobs = self.head.jobs([load.config_key], "only")
            return [row for row in jobs if _scenario(row) == load.scenario]
        wanted = frozenset(map(_measured, rows))
        return [row for same, row in self.evals if same in wanted]


def _traits(rows: Sequence[Row]) -> tuple[Traits, ...]:
    """Return the traits of some rows, each once."""
    return tuple({repr(found): found for found in map(traits, rows)}.values())


def _measured(row: Row) -> Hashable:
    """Return what an evaluation has in common with the row that it is made of."""
    return curve({name: value for name, value in row.items() if name != "require-power"})
