"""Master configs: every config key with its search space, each value with its line in the file.

A master is hundreds of kilobytes and a pull request touches a few of its entries, so each
top-level entry is parsed when somebody asks, and cached by its own bytes.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from checks.model import Blob, Tree
from checks.parse.recipe import full_reference
from checks.parse.scalar import resolve
from checks.parse.top_level import split_entries
from checks.parse.yaml import Map, Mark, Seq, YamlError, is_well_formed, parse
from checks.paths import matches
from checks.policy import Layout
from checks.text import text

AGENTIC = "agentic-coding"
MOST_CONCURRENCIES = 1000
SETTING = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
REFERENCES = {
    "srt-recipe": False,
    "eval-srt-recipe": True,
    "CONFIG_FILE": False,
    "EVAL_CONFIG_FILE": True,
}
_SIMPLE_KEY = re.compile(rb"([A-Za-z][A-Za-z0-9._-]*):(?=[ \n])")
# What `parse` may refuse although the syntax is right: tags, complex and merge keys.
_RARE = re.compile(rb"[!?]|<<|[\]}]\s*:")
# Words that YAML writes as they are: neither folded nor escaped.
_VERBATIM = re.compile(r"[\w.:/+@-]+", re.ASCII)
WORKERS = ("prefill", "decode", "worker")


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """One ``NAME=value`` of a worker's ``additional-settings``; ``line`` is absolute, 1-based."""

    name: str
    value: str
    line: int


@dataclass(frozen=True, slots=True, eq=False)
class RecipeReference:
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


@dataclass(frozen=True, eq=False)
class SearchSpace:
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


@dataclass(frozen=True, eq=False)
class ConfigEntry:
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
        return (_parse_part(self.part) or Map()).map(self.key) or Map()

    def may_hold(self, word: str) -> bool:
        """Tell whether a word may stand in it, which its bytes say without being parsed."""
        if self.part is None or b"\\" in self.part or not _VERBATIM.fullmatch(word):
            return True
        return word.encode() in self.part

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


@dataclass(frozen=True, eq=False)
class Master:
    """One master config; ``error`` says why it has no entries when it cannot be read.

    ``duplicates`` are (config key, 1-based line) of keys that stand there a second time.
    """

    entries: Mapping[str, ConfigEntry] = field(default_factory=dict)
    duplicates: tuple[tuple[str, int], ...] = ()
    error: YamlError | None = None


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


Masters = tuple[tuple[str, Blob], ...]


def masters(tree: Tree, layout: Layout) -> Masters:
    """Return path and bytes of the masters of a layout in a tree, in the layout's order."""
    found: dict[str, Blob] = {}
    for glob in layout.masters:
        plain = not re.search(r"[*?\[\]!\\]", glob)
        names = [glob] if plain else [path for path in tree.paths() if matches(path, [glob])]
        found |= {name: blob for name in names if (blob := tree.blob(name))}
    return tuple(found.items())


def config_entries(tree: Tree, layout: Layout) -> Mapping[str, ConfigEntry]:
    """Return every config key of every readable master of a layout; the first of a name wins."""
    return _all_entries(masters(tree, layout))


@lru_cache(maxsize=8)
def _all_entries(found: Masters) -> Mapping[str, ConfigEntry]:
    entries: dict[str, ConfigEntry] = {}
    for path, blob in found:
        for key, entry in read_master(path, blob).entries.items():
            entries.setdefault(key, entry)
    return entries


@lru_cache(maxsize=16)
def read_master(path: str, blob: Blob) -> Master:
    """Read one master config; never raises: see `Master.error`."""
    parts = split_entries(blob.data)
    if parts is not None and (master := _from_parts(path, parts)) is not None:
        return master
    try:
        content = parse(blob.data)
    except YamlError as error:
        return Master(error=error)
    if content is not None and not isinstance(content, Map):
        reason = text("A master config is a mapping of config keys.")
        return Master(error=YamlError(reason, 1, 1))
    return _from_whole(path, content or Map())


def _from_parts(path: str, parts: list[tuple[int, bytes]]) -> Master | None:
    """Return the master, or None when a part is no single entry and the split was wrong."""
    entries = []
    for row, part in parts:
        found = _key_of(part)
        if found is None:
            return None
        key, mark = found
        entries.append(ConfigEntry(key, path, row, mark, part))
    return _collected(entries)


@lru_cache(maxsize=2048)
def _key_of(part: bytes) -> tuple[str, Mark] | None:
    """Return the key of a part and where it stands, or None when it is no single entry."""
    simple = _SIMPLE_KEY.match(part)
    if simple is not None and not _RARE.search(part) and is_well_formed(part):
        key = simple[1].decode()
        if isinstance(resolve(key), str):
            return key, Mark(0, 0, 0, len(key), key)
    content = _parse_part(part)
    if content is None:
        return None
    ((key_, mark),) = content.key_marks.items()
    return str(key_), mark


@lru_cache(maxsize=2048)
def _parse_part(part: bytes) -> Map | None:
    try:
        content = parse(part)
    except YamlError:
        return None
    return content if isinstance(content, Map) and len(content) == 1 else None


def _from_whole(path: str, content: Map) -> Master:
    marks = content.key_marks
    found = [ConfigEntry(str(x), path, 0, marks[x], known=content[x]) for x in content]
    return _collected(found, [(each.key, each.mark) for each in content.duplicates])


def _collected(found: Iterable[ConfigEntry], twice: Iterable[tuple[Any, Mark]] = ()) -> Master:
    entries: dict[str, ConfigEntry] = {}
    duplicates = [(str(key), mark.row + 1) for key, mark in twice]
    for entry in found:
        if entry.key in entries:
            duplicates.append((entry.key, entry.key_line))
        else:
            entries[entry.key] = entry
    return Master(entries, tuple(sorted(duplicates, key=lambda each: each[1])))
