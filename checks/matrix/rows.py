"""One config key becomes rows: one for each job, with the generator's own field names."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from checks.matrix.agreement import component_fields, config_defects, space_defects
from checks.matrix.dialect import Dialect
from checks.matrix.memory import dram_gb
from checks.matrix.nodes import Recipes, node_count
from checks.matrix.problem import Defect
from checks.matrix.runners import Runners
from checks.matrix.schema import AGENTIC, ROLES, SCENARIOS, form_defects
from checks.parse.config_entry import expand
from checks.parse.recipe import full_reference
from checks.parse.yaml import Map
from checks.text import Text, text

Row = Mapping[str, Any]
SEQUENCES = {(1024, 1024): "1k1k", (8192, 1024): "8k1k"}
MOST_ROWS = 20_000
AGENTIC_SECONDS, EARLY_AGENTIC_SECONDS = 3600, 1800
RECIPES = ("srt-recipe", "eval-srt-recipe")


@dataclass(frozen=True, slots=True)
class Content:
    """What stands under a config key, equal only to itself, so that its rows can be cached."""

    node: Map = field(repr=False)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Content) and self.node is other.node

    def __hash__(self) -> int:
        return id(self.node)


@dataclass(frozen=True, slots=True)
class Expansion:
    """The rows of a config key in the generator's order, and what kept others from being rows."""

    rows: tuple[Row, ...] = ()
    defects: tuple[Defect, ...] = ()


@lru_cache(maxsize=8)
def expansion(runners: Runners, dialect: Dialect) -> Callable[[Content, Recipes], Expansion]:
    """Return what makes the rows of a config key before any evaluation is chosen."""

    @lru_cache(maxsize=2048)
    def expanded(content: Content, recipes: Recipes) -> Expansion:
        making = _Making(content.node, runners, dialect, recipes)
        rows = tuple(making.rows())
        return Expansion(rows, tuple(making.defects))

    return expanded


class _Making:
    def __init__(self, node: Map, runners: Runners, dialect: Dialect, recipes: Recipes) -> None:
        self.node, self.runners, self.dialect, self.recipes = node, runners, dialect, recipes
        self.defects: list[Defect] = []
        self.broken = set[tuple[str | int, ...]]()
        for each in form_defects(node):
            self._add(each)
        for each in config_defects(node, runners, dialect) if () not in self.broken else ():
            self._add(each)

    def _add(self, defect: Defect) -> None:
        self.defects.append(defect)
        self.broken.add(defect.place)

    def rows(self) -> Iterator[Row]:
        count = 0
        for place, block, space in self._spaces():
            for row in self._of_space(place, block, space):
                if (count := count + 1) > MOST_ROWS:
                    what = text("A config key with more than {most} points.", most=MOST_ROWS)
                    self._add(Defect(None, what))
                    return
                yield row

    def _spaces(self) -> Iterator[tuple[tuple[str | int, ...], Map, Map]]:
        if () in self.broken:
            return
        for scenario in SCENARIOS:
            for at, block in enumerate(self.node["scenarios"].get(scenario) or ()):
                for index, space in enumerate(block["search-space"]):
                    place = ("scenarios", scenario, at, "search-space", index)
                    if place not in self.broken:
                        yield place, block, space

    def _of_space(self, place: tuple[str | int, ...], block: Map, space: Map) -> Iterator[Row]:
        agentic = place[1] == AGENTIC
        found = space_defects(self.node, block, space, str(place[1]), self.dialect)
        for name, what in found:
            self._wrong(place, block, space, name, what)
        if place not in self.broken:
            rows = self._agentic(block, space) if agentic else self._fixed(block, space)
            for row in rows:
                if isinstance(row, Text):
                    self._wrong(place, block, space, "kv-offloading" if agentic else "", row)
                    return
                yield row

    def _wrong(
        self, place: tuple[str | int, ...], block: Map, space: Map, name: str, what: Text
    ) -> None:
        marks = block["search-space"].marks
        mark = space.key_marks.get(name) or block.key_marks.get(name) or marks[int(place[4])]
        self._add(Defect(mark, what, place))

    def _common(self) -> dict[str, Any]:
        names = ("image", "model", "model-prefix", "precision", "framework", "runner")
        return {name: self.node[name] for name in names}

    def _single(self, space: Map) -> dict[str, Any]:
        row = {"tp": space["tp"]}
        if self.dialect.pipeline_parallel:
            row["pp"] = space.get("pp", 1)
        if self.dialect.context_parallel:
            row |= {name: space.get(name, 1) for name in ("dcp-size", "pcp-size")}
        return row

    def _attention(self, space: Map) -> dict[str, Any]:
        ep, attention = space.get("ep"), space.get("dp-attn")
        return {"ep": 1 if ep is None else ep, "dp-attn": attention or False}

    def _workers(self, space: Map) -> dict[str, Any]:
        if "worker" not in space or space["worker"] is None:
            return {role: self._worker(space[role]) for role in ROLES}
        worker = self._worker(space["worker"])
        count = worker.get("num-worker")
        left = {k: v for k, v in worker.items() if k not in ("num-worker", "additional-settings")}
        prefill = {**worker, "num-worker": 1 if count is None else count}
        return {"prefill": prefill, "decode": {"num-worker": 0, **left}}

    def _worker(self, worker: Map) -> dict[str, Any]:
        if not self.dialect.worker_parallelism:
            return dict(worker)
        return {**worker, **{name: worker.get(name, 1) for name in ("pp", "dcp-size", "pcp-size")}}

    def _extras(self, space: Map) -> dict[str, Any]:
        named = {
            name: full_reference(self.node, str(space[name]))
            for name in RECIPES
            if space.get(name) is not None
        }
        power = {"power": True} if space.get("power") and self.node["multinode"] else {}
        return {**named, **power, **component_fields(self.node, space)}

    def _fixed(self, block: Map, space: Map) -> Iterator[Row | Text]:
        isl, osl = block["isl"], block["osl"]
        row = self._common() | {"isl": isl, "osl": osl}
        if block.get("require-power"):
            row["require-power"] = True
        row |= {
            "spec-decoding": space.get("spec-decoding", "none"),
            "max-model-len": isl + osl + 256,
            "exp-name": f"{row['model-prefix']}_{SEQUENCES.get((isl, osl), f'{isl}_{osl}')}",
            "disagg": self.node.get("disagg", False),
            "run-eval": False,
            **self._extras(space),
        }
        concurrencies = _concurrencies(space, listed="conc-list" in space)
        if self.node["multinode"]:
            row |= {**self._workers(space), "conc": concurrencies}
            yield self._counted(row, space)
            return
        row |= self._single(space) | self._attention(space)
        yield from ({**row, "conc": each} for each in concurrencies)

    def _counted(self, row: dict[str, Any], space: Map) -> Row | Text:
        if not self.dialect.node_count:
            return row
        count = node_count(
            row,
            space.get("num-nodes"),
            self.runners,
            self.recipes,
            auxiliary=self.dialect.auxiliary_nodes,
        )
        if isinstance(count, Text):
            return count if self.runners.known else row
        return row | {"node-count": count}

    def _agentic(self, block: Map, space: Map) -> Iterator[Row | Text]:
        row = self._common() | self._extras(space)
        row["scenario-type"] = AGENTIC
        row["duration"] = (
            AGENTIC_SECONDS
            if self.dialect.dram_offload
            else block.get("duration", EARLY_AGENTIC_SECONDS)
        )
        if self.dialect.dram_offload:
            row["kv-offloading"] = space.get("kv-offloading") or "none"
            if space.get("kv-offload-backend") is not None:
                row["kv-offload-backend"] = space["kv-offload-backend"]
            if not self.node["multinode"] or self.dialect.multinode_dram:
                budget = dram_gb(space, block, self.node["runner"], self.runners)
                if isinstance(budget, Text):
                    yield budget
                    return
                row["total-cpu-dram-gb"] = budget
        elif not self.node["multinode"]:
            row["offloading"] = space.get("offloading", "none")
        concurrencies = _concurrencies(space, listed=bool(space.get("conc-list")))
        make = self._agentic_multi if self.node["multinode"] else self._agentic_single
        yield from make(row, space, concurrencies)

    def _agentic_single(self, row: Any, space: Map, concurrencies: list[int]) -> Iterator[Row]:
        speculation = space.get("spec-decoding", "none")
        row = row | self._single(space) | self._attention(space)
        tail = f"offload{row['offloading']}" if "offloading" in row else _offload_name(row)
        if self.dialect.agentic_speculation:
            row["spec-decoding"] = speculation
            tail += f"_spec-{speculation}" if speculation != "none" else ""
        start = f"{row['model-prefix']}_tp{row['tp']}_conc"
        yield from (
            {**row, "conc": each, "exp-name": f"{start}{each}_{tail}"} for each in concurrencies
        )

    def _agentic_multi(
        self, row: Any, space: Map, concurrencies: list[int]
    ) -> Iterator[Row | Text]:
        row = {
            **row,
            **self._workers(space),
            "spec-decoding": space.get("spec-decoding", "none"),
            "disagg": self.node.get("disagg", False),
        }
        tag = self._tag if self.dialect.worker_tags else _plain_tag
        start = f"{row['model-prefix']}_p{tag(row['prefill'])}_d{tag(row['decode'])}_conc"
        offload = row.get("kv-offloading", "none")
        end = f"_{_offload_name(row)}" if offload != "none" else ""
        size = self.dialect.batch or 1
        for at in range(0, len(concurrencies), size):
            batch = concurrencies[at : at + size]
            name = f"{start}{'x'.join(map(str, batch))}{end}"
            conc = batch if self.dialect.batch else batch[0]
            yield self._counted({**row, "conc": conc, "exp-name": name}, space)

    def _tag(self, worker: Any) -> str:
        expert = f"ep{worker['ep']}" if worker.get("ep", 1) != 1 else ""
        return f"{_plain_tag(worker)}{expert}{'dpa' if worker.get('dp-attn') else ''}"


def _plain_tag(worker: Any) -> str:
    return f"{worker['num-worker']}x{worker['tp']}"


def _offload_name(row: Any) -> str:
    if row["kv-offloading"] == "none":
        return "kvnone"
    backend = row["kv-offload-backend"]
    name = backend["name"] if isinstance(backend, Mapping) else backend
    return f"kv{row['kv-offloading']}-{name}"


def _concurrencies(space: Map, *, listed: bool) -> list[int]:
    if listed:
        return list(space["conc-list"] or ())
    return list(expand(space.get("conc-start"), space.get("conc-end")))
