"""One config key of a master config with its search space, each value with its line in the file."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import cached_property, lru_cache
from typing import Any

from checks.parse.recipe import full_reference
from checks.parse.yaml import Map, Mark, Seq, YamlError, parse
from checks.record import Record

AGENTIC = "agentic-coding"
MOST_CONCURRENCIES = 1000
SETTING = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
REFERENCES = {
    "srt-recipe": False,
    "eval-srt-recipe": True,
    "CONFIG_FILE": False,
    "EVAL_CONFIG_FILE": True,
}
# Words that YAML writes as they are: neither folded nor escaped.
_VERBATIM = re.compile(r"[\w.:/+@-]+", re.ASCII)
WORKERS = ("prefill", "decode", "worker")


class Setting(Record, eq=False):
    """One ``NAME=value`` of a worker's ``additional-settings``; ``line`` is absolute, 1-based."""

    name: str
    value: str
    line: int


class RecipeReference(Record, eq=False):
    """Where a search-space entry names its recipe.

    Attributes:
        reference: below the config's recipe folder where it has one; selector included.
        line: absolute, 1-based.
        evaluation: whether the recipe is used for evals only.
        written: as it stands in the file.

    """

    reference: str
    line: int
    evaluation: bool = False
    written: str = ""


class SearchSpace(Record, eq=False):
    """One entry of a ``search-space`` list: a curve's arm with its concurrencies.

    ``block`` is the scenario item it stands in (``isl``, ``osl``, ...); ``line`` is absolute.
    """

    entry: "ConfigEntry" = field(repr=False)
    scenario: str
    block: Map
    node: Map
    line: int

    @cached_property
    def concurrencies(self) -> tuple[int, ...]:
        """Return the concurrencies in the order in which they run; () when none can be read."""
        listed = self.node.seq("conc-list")
        if listed is not None:
            return tuple(item for item in listed if _positive(item))
        return expand(self.node.get("conc-start"), self.node.get("conc-end"))

    @property
    def concurrency_line(self) -> int:
        """Return the line of ``conc-list`` or ``conc-start``, else the entry's own."""
        marks = self.node.key_marks
        mark = marks.get("conc-list") or marks.get("conc-start")
        return self.entry.line(mark) if mark else self.line

    @property
    def agentic(self) -> bool:
        """Tell whether it belongs to the agentic scenario."""
        return self.scenario == AGENTIC

    @property
    def speculative(self) -> bool:
        """Tell whether the master says that this arm drafts tokens."""
        return self.node.get("spec-decoding") not in (None, "none", False)

    @cached_property
    def settings(self) -> tuple[Setting, ...]:
        """Return the workers' additional settings in file order."""
        return tuple(self._settings())

    def _settings(self) -> Iterator[Setting]:
        for worker in WORKERS:
            listed = (self.node.map(worker) or Map()).seq("additional-settings") or Seq()
            for item, mark in listed.items():
                if isinstance(item, str) and (match := SETTING.fullmatch(item)):
                    yield Setting(match[1], match[2], self.entry.line(mark))

    @cached_property
    def references(self) -> tuple[RecipeReference, ...]:
        """Return the recipes it names, throughput ones first."""
        found = [
            RecipeReference(full, line, REFERENCES[name], written)
            for name, full, written, line in self._named()
            if name in REFERENCES and written
        ]
        return tuple(sorted(found, key=lambda each: each.evaluation))

    def _named(self) -> Iterator[tuple[str, str, str, int]]:
        for name in REFERENCES:
            if value := self.node.str(name):
                full = full_reference(self.entry.node, value)
                yield name, full, value, self.entry.line(self.node.marks[name])
        for setting in self.settings:
            yield setting.name, setting.value, setting.value, setting.line


class ConfigEntry(Record, eq=False):
    """One config key of a master config.

    Attributes:
        key: the config key.
        path: the master's path.
        first_row: 0-based row of the file at which the bytes that the marks count from start.
        key_mark: where the key stands.
        part: its bytes, with the comments up to the next one; None where it cannot be cut out.
        known: its value where it could only be read together with the rest of the file.

    """

    key: str
    path: str
    first_row: int
    key_mark: Mark = field(repr=False)
    part: bytes | None = field(default=None, repr=False)
    known: Any = field(default=None, repr=False)

    @cached_property
    def node(self) -> Map:
        """Return what stands under the key; empty when that is no mapping."""
        if self.part is None:
            return self.known if isinstance(self.known, Map) else Map()
        return (parse_part(self.part) or Map()).map(self.key) or Map()

    def may_hold(self, word: str) -> bool:
        """Tell whether a word may stand in it, which its bytes say without being parsed."""
        if self.part is None or b"\\" in self.part or not _VERBATIM.fullmatch(word):
            return True
        return word.encode() in self.part

    def may_run_on(self, hardware: str) -> bool:
        """Tell whether its runner may be of a hardware, in whichever case; an ending is ignored."""
        word = hardware.partition(".")[0]
        return self.may_hold(word) or word.encode() in (self.part or b"").lower()

    def line(self, mark: Mark) -> int:
        """Return the 1-based line in the file of a mark from this entry."""
        return self.first_row + mark.row + 1

    @property
    def key_line(self) -> int:
        """Return the line of the config key itself."""
        return self.line(self.key_mark)

    def line_of(self, name: str) -> int:
        """Return the line of a field of the entry, or the key's own when it is absent."""
        mark = self.node.key_marks.get(name)
        return self.line(mark) if mark else self.key_line

    @property
    def image(self) -> str | None:
        """Return the container image."""
        return self.node.str("image")

    @property
    def scenarios(self) -> Mapping[str, Map | Seq]:
        """Return what stands under each scenario's name."""
        found = self.node.map("scenarios") or Map()
        return {str(k): v for k, v in found.items() if isinstance(v, Map | Seq)}

    @cached_property
    def search_spaces(self) -> tuple[SearchSpace, ...]:
        """Return every search-space entry of every scenario, in file order."""
        return tuple(self._search_spaces())

    def _search_spaces(self) -> Iterator[SearchSpace]:
        for scenario, blocks in self.scenarios.items():
            for block in blocks if isinstance(blocks, Seq) else [blocks]:
                spaces = block.seq("search-space") if isinstance(block, Map) else None
                for node, mark in spaces.items() if spaces is not None else ():
                    if isinstance(node, Map):
                        yield SearchSpace(self, scenario, block, node, self.line(mark))


@lru_cache(maxsize=2048)
def parse_part(part: bytes) -> Map | None:
    """Return the mapping of one config key that bytes are, None when they are something else."""
    try:
        content = parse(part)
    except YamlError:
        return None
    return content if isinstance(content, Map) and len(content) == 1 else None


def expand(start: Any, end: Any) -> tuple[int, ...]:
    """Return the concurrencies of a range: doubling from start, the last one clamped to end."""
    if not (_positive(start) and _positive(end)) or start > end:
        return ()
    values = [int(start)]
    while values[-1] < end and len(values) < MOST_CONCURRENCIES:
        values.append(min(values[-1] * 2, int(end)))
    return tuple(values)


def _positive(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
