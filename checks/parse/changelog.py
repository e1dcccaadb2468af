"""An entry of the changelog as bytes and as values, with its exact lines.

It is parsed when somebody asks, and cached by its own bytes.
"""

from dataclasses import field
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any, NamedTuple

from checks.parse.wildcard import matches_key
from checks.parse.yaml import Map, Mark, Seq, YamlError, parse
from checks.record import Record
from checks.text import text

MOST_ITEMS = 1000
SCENARIOS = ("fixed-seq-len", "agentic-coding")


class Item(NamedTuple):
    """One string of an entry with the place it stands at (1-based lines, 0-based columns)."""

    value: str
    line: int
    end_line: int
    column: int
    end_column: int
    style: str


class Entry(Record, eq=False):
    """One entry of the changelog.

    Attributes:
        index: its 0-based place among the entries.
        first_line: 1-based line of its ``- ``.
        last_line: 1-based last line that holds more than white space.
        raw: its bytes up to the end of its last line, without that line's end.
        gap: the bytes after it up to the next entry or the end of the file: line ends, blank
            lines and comments of the root.
        known: its value when it could only be read together with the rest of the file.

    """

    index: int
    first_line: int
    last_line: int
    raw: bytes
    gap: bytes
    known: tuple[Any, int] | None = field(default=None, repr=False)

    @cached_property
    def content(self) -> Any:
        """Return the value of the entry, a `Map` when it is well-formed.

        Raises:
            YamlError: it is not YAML; line and column count from the start of the file.

        """
        if self.known is not None:
            return self.known[0]
        found = _parse_piece(self.raw + self.gap)
        if isinstance(found, YamlError):
            line = min(self.first_line + found.line - 1, self.last_line)
            raise YamlError(found.reason, line, found.column)
        return found

    @cached_property
    def error(self) -> YamlError | None:
        """Return why the entry cannot be read, or None."""
        try:
            _ = self.content
        except YamlError as error:
            return error
        return None

    @property
    def fields(self) -> Map:
        """Return the fields of the entry; none when it is unreadable or no mapping."""
        return self.content if self.error is None and isinstance(self.content, Map) else Map()

    def line(self, mark: Mark) -> int:
        """Return the 1-based line in the file of a mark of this entry."""
        first = self.known[1] if self.known is not None else self.first_line
        return first + mark.row

    def line_of(self, name: str) -> int:
        """Return the line of a field, or the entry's first when it is absent."""
        mark = self.fields.key_marks.get(name)
        return self.line(mark) if mark else self.first_line

    def _item(self, value: str, mark: Mark) -> Item:
        end = self.line(mark._replace(row=mark.end_row))
        return Item(value, self.line(mark), end, mark.column, mark.end_column, mark.style)

    def items(self, name: str) -> tuple[Item, ...]:
        """Return the strings of a list, of the first `MOST_ITEMS` items."""
        listed = self.fields.seq(name) or Seq()
        first = islice(listed.items(), MOST_ITEMS)
        return tuple(self._item(x, mark) for x, mark in first if isinstance(x, str))

    @cached_property
    def config_keys(self) -> tuple[Item, ...]:
        """Return the config keys and wildcards that the entry names."""
        return self.items("config-keys")

    @cached_property
    def description(self) -> tuple[Item, ...]:
        """Return the sentences that say what changed."""
        return self.items("description")

    @cached_property
    def pr_link(self) -> Item | None:
        """Return the link, or None when there is no such string."""
        link = self.fields.str("pr-link")
        return None if link is None else self._item(link, self.fields.marks["pr-link"])

    @property
    def link(self) -> str:
        """Return the link itself, "" when there is none."""
        return self.pr_link.value if self.pr_link else ""

    @property
    def name(self) -> str:
        """Return what to call the entry: its first config key, or what stands in its place."""
        if self.config_keys:
            return self.config_keys[0].value
        first, _, rest = self.raw.partition(b"\n")
        shown = rest.partition(b"\n")[0] if first.strip() == b"- config-keys:" else first
        return shown.decode("utf-8", "replace").strip().removeprefix("- ")

    @cached_property
    def scenario_types(self) -> tuple[str, ...]:
        """Return the scenarios that the entry is about: all when it names none, or no real one.

        Any may be meant by what is misspelt, so that nothing else is wrong because of it.
        """
        named = tuple(item.value for item in self.items("scenario-type"))
        return named if named and set(named) <= set(SCENARIOS) else SCENARIOS

    def flag(self, name: str) -> bool:
        """Tell whether a field is switched on."""
        return as_flag(self.fields.get(name)) is True

    def names(self, config_key: str) -> bool:
        """Tell whether the entry names a config key, itself or by a wildcard."""
        return any(matches_key(item.value, config_key) for item in self.config_keys)


def as_flag(value: Any) -> bool | None:
    """Return a value as true or false as the repository's own tools take it; None if they do not.

    https://docs.pydantic.dev/latest/concepts/conversion_table/
    """
    if isinstance(value, bool) or (isinstance(value, int) and value in (0, 1)):
        return bool(value)
    word = value.lower() if isinstance(value, str) else ""
    if word in ("true", "yes", "on", "t", "y", "1"):
        return True
    return False if word in ("false", "no", "off", "f", "n", "0") else None


@lru_cache(maxsize=1024)
def _parse_piece(piece: bytes) -> Any:
    """Return the one item of a sequence, or the `YamlError` that says why there is none."""
    try:
        content = parse(piece)
    except YamlError as error:
        return error
    if isinstance(content, Seq) and len(content) == 1:
        return content[0]
    return YamlError(text("Several entries share these lines; start each on a new line."), 1, 1)
