"""The changelog: its entries as bytes and as values, each with its exact lines.

The file is hundreds of kilobytes and only its end changes, so it is cut into entries by looking
at lines; an entry is parsed when somebody asks, and cached by its own bytes.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from checks.model import Blob
from checks.parse.yaml import Map, Mark, Seq, YamlError, parse
from checks.text import text

SCENARIOS = ("fixed-seq-len", "agentic-coding")
_CONFLICT = re.compile(rb"^(?:<{7}|\|{7}|={7}|>{7})(?=[ \r\n]|\Z)", re.MULTILINE)
# Documents and directives, and the line ends that libyaml sees and git does not: with these the
# entries of a file are not what its lines look like.
_UNSAFE = (b"\n---", b"\n...", b"\n%", b"\r", b"\xc2\x85", b"\xe2\x80\xa8", b"\xe2\x80\xa9")
_UNSAFE_START = (b"---", b"...", b"%", b"\xef\xbb\xbf")
_FIRST_ITEM = re.compile(rb"(?:[ ]*(?:#[^\n]*)?\n)*([ ]*)-(?=[ \n]|\Z)")
_BLANKS = b" \t\r\n"


class Item(NamedTuple):
    """One string of an entry with the place it stands at (1-based lines, 0-based columns)."""

    value: str
    line: int
    end_line: int
    column: int
    end_column: int
    style: str


@dataclass(frozen=True, eq=False)
class Entry:
    """One entry of the changelog.

    Attributes:
        first_line: 1-based line of its ``- ``.
        last_line: 1-based last line that holds more than white space.
        raw: its bytes up to the end of its last line, without that line's end.
        gap: the bytes after it up to the next entry or the end of the file: line ends, blank
            lines and comments of the root.
        known: its value when it could only be read together with the rest of the file.

    """

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
        found = _parse_piece(self.raw)
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
        """Return the strings of a list."""
        listed = self.fields.seq(name) or Seq()
        return tuple(self._item(x, mark) for x, mark in listed.items() if isinstance(x, str))

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
    def name(self) -> str:
        """Return what to call the entry: its first config key, or what stands in its place."""
        if self.config_keys:
            return self.config_keys[0].value
        first, _, rest = self.raw.partition(b"\n")
        shown = rest.partition(b"\n")[0] if first.strip() == b"- config-keys:" else first
        return shown.decode("utf-8", "replace").strip().removeprefix("- ")

    @cached_property
    def scenario_types(self) -> tuple[str, ...]:
        """Return the scenarios that the entry is about: all when it names none."""
        if "scenario-type" not in self.fields:
            return SCENARIOS
        return tuple(item.value for item in self.items("scenario-type"))

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


def matches_key(pattern: str, config_key: str) -> bool:
    """Tell whether a config key is named; only ``*`` is special (DOMAIN, section 2.1)."""
    if "*" not in pattern:
        return pattern == config_key
    rest = config_key
    first, *middle, last = pattern.split("*")
    if not (rest.startswith(first) and rest[len(first) :].endswith(last)):
        return False
    rest = rest[len(first) : len(rest) - len(last)]
    for part in middle:
        _, found, rest = rest.partition(part) if part else ("", "*", rest)
        if not found:
            return False
    return True


class Conflict(NamedTuple):
    """A merge conflict that was left in the file: its 1-based lines, markers included."""

    line: int
    end_line: int


@dataclass(frozen=True, eq=False)
class Changelog:
    """One version of the changelog.

    Attributes:
        blob: its bytes.
        preamble: what stands before the first entry.
        entries: all entries in file order.

    """

    blob: Blob
    preamble: bytes
    entries: tuple[Entry, ...]

    @cached_property
    def lines(self) -> list[bytes]:
        """Return the lines with their ends."""
        return self.blob.lines()

    @cached_property
    def conflicts(self) -> tuple[Conflict, ...]:
        """Return the merge conflicts that are left in it."""
        data = self.blob.data
        marks = [(data.count(b"\n", 0, m.start()) + 1, m[0][:1]) for m in _CONFLICT.finditer(data)]
        return tuple(_conflicts(marks))


def _conflicts(marks: list[tuple[int, bytes]]) -> Iterator[Conflict]:
    """Return the regions; markers without a partner are regions of one line."""
    opened: int | None = None
    for line, kind in marks:
        if kind == b"<" and opened is None:
            opened = line
        elif kind == b">" and opened is not None:
            yield Conflict(opened, line)
            opened = None
        elif opened is None or kind == b"<":
            yield Conflict(line, line)
    if opened is not None:
        yield Conflict(opened, opened)


@lru_cache(maxsize=64)
def read_changelog(blob: Blob) -> Changelog:
    """Cut a changelog into entries; what cannot be read shows when an entry is looked at."""
    if blob.data.startswith(_UNSAFE_START) or any(each in blob.data for each in _UNSAFE):
        return read_whole(blob) or _by_lines(blob)
    return _by_lines(blob)


@lru_cache(maxsize=64)
def read_whole(blob: Blob) -> Changelog | None:
    """Read a changelog as one YAML document; None when that is impossible.

    Needed where entries depend on each other (an alias of another entry's anchor) or do not start
    where they seem to.
    """
    try:
        content = parse(blob.data)
    except YamlError:
        return None
    if not isinstance(content, Seq) or not content.marks:
        return None
    lines = blob.lines()
    rows = [mark.row for mark in content.marks]
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    cuts = [*(starts[row] for row in rows), len(blob.data)]
    known = [(value, 1) for value in content]
    return _cut(blob, cuts, known)


def _by_lines(blob: Blob) -> Changelog:
    first = _FIRST_ITEM.match(blob.data)
    if first is None:
        return Changelog(blob, blob.data, ())
    item = re.compile(rb"\n" + first[1] + rb"-(?=[ \n]|\Z)")
    following = (match.start() + 1 for match in item.finditer(blob.data, first.start(1)))
    cuts = [first.start(1), *following, len(blob.data)]
    return _cut(blob, cuts, [None] * (len(cuts) - 1))


def _cut(blob: Blob, cuts: list[int], known: list[Any]) -> Changelog:
    data, entries = blob.data, []
    line = data.count(b"\n", 0, cuts[0]) + 1
    for start, end, value in zip(cuts, cuts[1:], known, strict=False):
        whole = data[start:end]
        raw = _without_tail(whole)
        last = line + raw.count(b"\n")
        entries.append(Entry(line, last, raw, whole[len(raw) :], value))
        line = last + whole.count(b"\n", len(raw))
    return Changelog(blob, data[: cuts[0]], tuple(entries))


def _without_tail(piece: bytes) -> bytes:
    end = len(piece.rstrip(_BLANKS))
    while (start := piece.rfind(b"\n", 0, end) + 1) and piece.startswith(b"#", start):
        end = len(piece[:start].rstrip(_BLANKS))
    while piece[end : end + 1] in (b" ", b"\t"):
        end += 1
    return piece[:end]


@lru_cache(maxsize=4096)
def _parse_piece(raw: bytes) -> Any:
    """Return the one item of a sequence, or the `YamlError` that says why there is none."""
    try:
        content = parse(raw)
    except YamlError as error:
        return error
    if isinstance(content, Seq) and len(content) == 1:
        return content[0]
    return YamlError(text("Several entries share these lines; start each on a new line."), 1, 1)
