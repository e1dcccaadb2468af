"""What a pull request makes the machines do: the points it adds and removes, the jobs it starts."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from checks.matrix.difference import Difference, Point, difference
from checks.matrix.matrix import Matrix, matrix
from checks.matrix.problem import Problem
from checks.matrix.rows import Row
from checks.matrix.schema import AGENTIC, FIXED, SCENARIOS
from checks.matrix.selection import selected
from checks.model import Snapshot, Tree
from checks.once import once
from checks.parse.changelog import Entry
from checks.parse.changelog_change import changelog_change
from checks.policy import Policy


@dataclass(frozen=True, slots=True)
class Sweep:
    """The effect of a pull request on the matrix.

    Attributes:
        added: points that only the head has.
        removed: points that only the base has.
        rerun: points of both that the new changelog entries measure again.
        unmeasured: added points that no new changelog entry names, so that no job runs them.
        jobs: the throughput jobs that the new changelog entries start.
        evals: the evaluation jobs that they start.
        problems: what is wrong with the head's matrix, with the config key that it is about.

    """

    added: tuple[Point, ...]
    removed: tuple[Point, ...]
    rerun: tuple[Point, ...]
    unmeasured: tuple[Point, ...]
    jobs: tuple[Point, ...]
    evals: tuple[Row, ...]
    problems: tuple[tuple[str, Problem], ...]


@once
def sweep(snapshot: Snapshot, policy: Policy) -> Sweep | None:
    """Return what a pull request does to the matrix; None where the head has no known layout."""
    head = _matrix(snapshot.head, policy)
    if head is None:
        return None
    base = _matrix(snapshot.base, policy, head)
    changed = difference(base.rows if base else {}, head.rows)
    change = changelog_change(snapshot, policy)
    plan = _Plan(head, changed)
    # Entries that ask for every evaluation win over others of the same config key.
    for entry in sorted(change.new if change else (), key=lambda each: not each.flag("all-evals")):
        plan.add(entry)
    rerun = tuple(plan.rerun())
    unmeasured = tuple(point for point in changed.added if not plan.runs(point))
    return Sweep(
        changed.added,
        changed.removed,
        rerun,
        unmeasured,
        tuple(plan.jobs),
        tuple(plan.evals),
        tuple(head.problems_by_key()),
    )


def _matrix(tree: Tree, policy: Policy, like: Matrix | None = None) -> Matrix | None:
    layout = policy.layout(tree)
    return matrix(tree, layout, like.dialect if like else None) if layout else None


@dataclass(slots=True)
class _Plan:
    """Entries claim scenarios of config keys; the first one that does so decides."""

    head: Matrix
    changed: Difference
    jobs: list[Point] = field(default_factory=list)
    evals: list[Row] = field(default_factory=list)
    measured: dict[tuple[str, str], bool] = field(default_factory=dict)
    evaluated: set[tuple[str, str]] = field(default_factory=set)
    new: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        self.new = frozenset(id(point) for point in self.changed.added)

    def add(self, entry: Entry) -> None:
        keys = [key for key in self.head.rows if entry.names(key)]
        scenarios = [name for name in SCENARIOS if name in entry.scenario_types]
        claims = [(key, name) for key in keys for name in scenarios]
        every, additive = entry.flag("all-evals"), entry.flag("append-only")
        if not (every or entry.flag("evals-only")):
            new = [claim for claim in claims if claim not in self.measured]
            self.measured |= dict.fromkeys(new, additive)
            self.jobs += self._delta(new) if additive else self._points(new)
        if additive or entry.flag("no-evals"):
            return
        new = [claim for claim in claims if claim not in self.evaluated]
        self.evaluated.update(new)
        for group in _grouped(new):
            rows = [point.row for point in self._points(group)]
            jobs = selected(rows, self.head.dialect, "all" if every else "only")
            self.evals += _above(jobs, entry.fields.get("eval-min-prefill-ep"))

    def _points(self, claims: Iterable[tuple[str, str]]) -> Iterator[Point]:
        for key, scenario in claims:
            for row in self.head.rows[key]:
                if _scenario(row) == scenario:
                    yield Point(key, row)

    def _delta(self, claims: list[tuple[str, str]]) -> list[Point]:
        known = set(claims)
        return [p for p in self.changed.added if (p.config_key, _scenario(p.row)) in known]

    def rerun(self) -> Iterator[Point]:
        """Return the points of both revisions that a job measures."""
        yield from (point for point in self.changed.same if self.runs(point))
        whole = (claim for claim, additive in self.measured.items() if not additive)
        yield from self._points(x for x in whole if x[0] not in self.changed.touched)

    def runs(self, point: Point) -> bool:
        """Tell whether a job measures a point; an additive entry measures only what is new."""
        additive = self.measured.get((point.config_key, _scenario(point.row)))
        return additive is False or (additive is True and id(point) in self.new)


def _scenario(row: Row) -> str:
    return AGENTIC if row.get("scenario-type") == AGENTIC else FIXED


def _grouped(claims: Iterable[tuple[str, str]]) -> Iterator[list[tuple[str, str]]]:
    """Return claims by the scenarios of their config key, as they are generated together."""
    names: dict[str, list[tuple[str, str]]] = {}
    for claim in claims:
        names.setdefault(claim[0], []).append(claim)
    groups: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for own in names.values():
        groups.setdefault(tuple(scenario for _, scenario in own), []).extend(own)
    yield from groups.values()


def _above(rows: Iterable[Row], least: object) -> list[Row]:
    """Return the evaluations whose prefill has at least so much expert parallelism."""
    if not isinstance(least, int):
        return list(rows)
    return [row for row in rows if (row.get("prefill") or {}).get("ep", least) >= least]
