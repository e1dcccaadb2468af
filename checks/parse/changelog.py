"""The changelog: its entries as bytes and as values, each with its exact lines.

The file is hundreds of kilobytes and only its end changes, so it is cut into entries by looking
at lines; an entry is parsed when somebody asks, and cached by its own bytes.
"""

import re
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import islice, pairwise
from typing import Any, NamedTuple

from checks.model import Blob
from checks.parse.conflicts import Conflict, find_conflicts
from checks.parse.wildcard import matches_key
from checks.parse.yaml import Map, Mark, Seq, YamlError, parse
from checks.text import text

MOST_ITEMS = 1000
SCENARIOS = ("fixed-seq-len", "agentic-coding")
# Documents and directives, and the line ends that libyaml sees and git does not: with these the
# entries of a file are not what its lines look like.
_UNSAFE = (b"\n---", b"\n...", b"\n%", b"\r", b"\xc2\x85", b"\xe2\x80\xa8", b"\xe2\x80\xa9")
_UNSAFE_START = (b"---", b"...", b"%", b"\xef\xbb\xbf")
_ITEM = re.compile(rb"^-(?=[ \n]|\Z)", re.MULTILINE)
_INDENTED_ITEM = re.compile(rb"(?:[ ]*(?:#[^\n]*)?\n)*([ ]+)-(?=[ \n]|\Z)")
_STRAY = re.compile(rb"(?:[ \t]*\n)*((?:[ \t]+-[ \t]*|-\t[ \t]*|-|[ \t]*)config[-_]?keys?[ \t]*:)")
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


@dataclass(frozen=True, eq=False)
class Changelog:
    """One version of the changelog.

    Attributes:
        blob: its bytes.
        preamble: what stands before the first entry.
        entries: all entries in file order.
        error: why the file as a whole is no YAML although its entries may be; rarely looked for.

    """

    blob: Blob
    preamble: bytes
    entries: tuple[Entry, ...]
    error: YamlError | None = None

    @cached_property
    def lines(self) -> list[bytes]:
        """Return the lines with their ends."""
        return self.blob.lines()

    @cached_property
    def conflicts(self) -> tuple[Conflict, ...]:
        """Return the merge conflicts that are left in it."""
        return find_conflicts(self.blob.data)


@lru_cache(maxsize=4)
def read_changelog(blob: Blob) -> Changelog:
    """Cut a changelog into entries; what cannot be read shows when an entry is looked at."""
    if blob.data.startswith(_UNSAFE_START) or any(each in blob.data for each in _UNSAFE):
        try:
            return _whole(blob) or _by_lines(blob)
        except YamlError as error:
            return replace(_by_lines(blob), error=error)
    return _by_lines(blob)


@lru_cache(maxsize=4)
def read_whole(blob: Blob) -> Changelog | None:
    """Read a changelog as one YAML document; None when that is impossible.

    Needed where entries depend on each other (an alias of another entry's anchor) or do not start
    where they seem to.
    """
    try:
        return _whole(blob)
    except YamlError:
        return None


def _whole(blob: Blob) -> Changelog | None:
    content = parse(blob.data)
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


def read_appended(base: Blob, head: Blob) -> Changelog | None:
    """Read a changelog whose appended text means to be an entry but starts in a wrong way.

    None when there is no such text. By its lines alone it would belong to the entry before.
    """
    if not base.data.endswith(b"\n") or not head.data.startswith(base.data):
        return None
    stray = _STRAY.match(head.data, len(base.data))
    return _by_lines(head, stray.start(1)) if stray else None


def _by_lines(blob: Blob, also: int | None = None) -> Changelog:
    """Cut at each item of the root, and at one more place."""
    if (first := _ITEM.search(blob.data)) is not None:
        start, indent = first.start(), b""
    elif (indented := _INDENTED_ITEM.match(blob.data)) is not None:
        start, indent = indented.start(1), indented[1]
    else:
        return Changelog(blob, blob.data, ())
    item = re.compile(rb"\n" + indent + rb"-(?=[ \n]|\Z)")
    following = (match.start() + 1 for match in item.finditer(blob.data, start))
    cuts = {start, *following, len(blob.data), *([] if also is None else [also])}
    return _cut(blob, sorted(cuts), None)


def _cut(blob: Blob, cuts: list[int], known: list[tuple[Any, int]] | None) -> Changelog:
    data, entries = blob.data, []
    line = data.count(b"\n", 0, cuts[0]) + 1
    for index, (start, end) in enumerate(pairwise(cuts)):
        whole = data[start:end]
        raw = _without_tail(whole)
        value = known[index] if known is not None else None
        last = line + raw.count(b"\n")
        entries.append(Entry(index, line, last, raw, whole[len(raw) :], value))
        line = last + whole.count(b"\n", len(raw))
    return Changelog(blob, data[: cuts[0]], tuple(entries))


def _without_tail(piece: bytes) -> bytes:
    end = len(piece)
    start = piece.rfind(b"\n") + 1
    while start and (piece.startswith(b"#", start) or not piece[start:end].strip(_BLANKS)):
        end = start - 1
        start = piece.rfind(b"\n", 0, end) + 1
    end = start + len(piece[start:end].rstrip(_BLANKS))
    while piece[end : end + 1] in (b" ", b"\t"):
        end += 1
    return piece[:end]


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
