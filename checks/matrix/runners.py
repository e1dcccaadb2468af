"""The runners file: which machines a scheduling label stands for, and what a node of them has."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from checks.matrix.problem import Problem
from checks.model import Blob, Tree
from checks.parse.hardware import sku
from checks.parse.yaml import Map, Mark, YamlError, parse
from checks.policy import Layout
from checks.text import Text, text

CLUSTER = "cluster:"
DRAM, GPUS = "available-cpu-dram-mib", "gpus-per-node"


@dataclass(frozen=True, slots=True)
class Node:
    """One machine of a runner: usable CPU memory in MiB and GPUs, None where it is not said."""

    dram_mib: int | None = None
    gpus: int | None = None


@dataclass(frozen=True, eq=False)
class Runners:
    """The runners of one revision.

    ``labels`` are the scheduling labels with their machines; ``nodes`` are keyed by label, as in
    ``cluster:b300``. ``known`` is False where there is no readable file, so that nothing is wrong.
    """

    path: str = ""
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    nodes: Mapping[str, Node] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    known: bool = True

    def has(self, runner: str) -> bool:
        """Tell whether a runner is a label, a machine, or what the names of machines start with."""
        return runner in self.labels or any(
            machine == runner or machine.startswith((f"{runner}_", f"{runner}-"))
            for machines in self.labels.values()
            for machine in machines
        )

    def gpus_of(self, label: str) -> int | Text:
        """Return the GPUs of a node, of the label itself or of its GPU family, or why not."""
        if label in self.nodes:
            found = {self.nodes[label].gpus}
        else:
            found = {n.gpus for name, n in self.nodes.items() if sku(name) == sku(label)}
        counts = sorted(gpus for gpus in found if gpus)
        if len(counts) == 1:
            return counts[0]
        if counts:
            return text(
                "Nodes of {runner} have {one} or {other} GPUs; name a cluster.",
                runner=label, one=counts[0], other=counts[-1],
            )  # fmt: skip
        return text(
            "{file} does not say how many GPUs a node of {runner} has; add {field}.",
            file=self.path, runner=label, field=GPUS,
        )  # fmt: skip


UNKNOWN = Runners(known=False)


def runners_of(tree: Tree, layout: Layout) -> Runners:
    """Return the runners of a revision; `UNKNOWN` when it has no such file."""
    found = ((path, blob) for path in layout.runners if (blob := tree.blob(path)))
    return next((read_runners(path, blob) for path, blob in found), UNKNOWN)


@lru_cache(maxsize=64)
def read_runners(path: str, blob: Blob) -> Runners:
    """Read a runners file; never raises: see `Runners.problems`."""
    try:
        content = parse(blob.data)
    except YamlError as error:
        return Runners(path, problems=(Problem(path, error.line, error.reason),), known=False)
    if not isinstance(content, Map):
        what = text("A runners file is a mapping with {labels}.", labels="labels")
        return Runners(path, problems=(Problem(path, 1, what),), known=False)
    # Until July 2026 the labels stood at the top of the file, without anything about nodes.
    labels = content.map("labels") or (content if "labels" not in content else Map())
    reading = _Reading(path)
    named = dict(reading.labels(labels))
    nodes = dict(reading.nodes(content.map("hardware"), ""))
    nodes |= dict(reading.nodes(content.map("clusters"), CLUSTER))
    return Runners(path, named, nodes, tuple(reading.problems))


class _Reading:
    """Collects what is wrong on the way."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.problems: list[Problem] = []

    def labels(self, labels: Map) -> Iterator[tuple[str, tuple[str, ...]]]:
        for name, machines in labels.items():
            if isinstance(machines, list) and machines and all(_is_name(x) for x in machines):
                yield str(name), tuple(machines)
            else:
                what = text("{label} lists no machines by name.", label=str(name))
                self._wrong(labels.key_marks[name], what)

    def nodes(self, hardware: Map | None, prefix: str) -> Iterator[tuple[str, Node]]:
        for name, facts in (hardware or Map()).items():
            if isinstance(facts, Map):
                yield f"{prefix}{name}", Node(self._count(facts, DRAM), self._count(facts, GPUS))

    def _count(self, facts: Map, name: str) -> int | None:
        value = facts.get(name)
        if value is None:
            return None
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value
        what = text("{field} is a whole number above 0.", field=name)
        self._wrong(facts.marks[name], what)
        return None

    def _wrong(self, mark: Mark, what: Text) -> None:
        self.problems.append(Problem(self.path, mark.row + 1, what))


def _is_name(value: object) -> bool:
    return isinstance(value, str)
