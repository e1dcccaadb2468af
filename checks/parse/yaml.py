"""YAML at C speed, every value with its place, and bounded whatever the bytes are.

libyaml's event stream, as PyYAML brings it, is turned into values here, because ready-made loaders
either lose the places or hang on hostile aliases and merge keys. The benchmark repository's own
tools use PyYAML, so what they read is read here, as the same values (https://yaml.org/type/).
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from yaml import YAMLError, events
from yaml._yaml import CParser
from yaml.error import MarkedYAMLError
from yaml.reader import ReaderError

from checks.parse.scalar import resolve
from checks.text import Text, text

MAX_DEPTH = 64
MAX_NODES = 100_000  # five times what the largest file of the reference repository holds

_tuple = tuple.__new__  # a named one by its names takes twice as long
TYPE_TAGS = {f"tag:yaml.org,2002:{name}" for name in ("str", "int", "float", "bool", "null")}


class Mark(NamedTuple):
    """Where a value stands in the parsed bytes: 0-based rows and character columns, end exclusive.

    ``raw`` is a scalar's text before its type was resolved ("" for a mapping or sequence);
    ``style`` is "" (plain), "'", '"', "|" or ">".
    """

    row: int
    column: int
    end_row: int
    end_column: int
    raw: str = ""
    style: str = ""


class Duplicate(NamedTuple):
    """A key that came again: where with its ``value``, and where it was ``before`` that.

    ``equal`` tells whether both values are the same plain value.
    """

    key: Any
    mark: Mark
    before: Mark
    value: Mark
    equal: bool


class Map(dict[Any, Any]):
    """A mapping that knows where its keys and values stand, and which keys came twice.

    Of those the last value counts, as everywhere where such files are read.
    """

    __slots__ = ("duplicates", "key_marks", "marks")

    def __init__(self) -> None:
        self.key_marks: dict[Any, Mark] = {}
        self.marks: dict[Any, Mark] = {}
        self.duplicates: list[Duplicate] = []

    def map(self, key: object) -> "Map | None":
        """Return the mapping under a key, or None when there is none."""
        value = self.get(key)
        return value if isinstance(value, Map) else None

    def seq(self, key: object) -> "Seq | None":
        """Return the sequence under a key, or None when there is none."""
        value = self.get(key)
        return value if isinstance(value, Seq) else None

    def str(self, key: object) -> "str | None":
        """Return the string under a key, or None when there is none."""
        value = self.get(key)
        return value if isinstance(value, str) else None

    def put(self, key: Any, key_mark: Mark, value: Any, mark: Mark) -> None:
        """Set a key and remember where it and its value stand."""
        self[key] = value
        self.key_marks[key] = key_mark
        self.marks[key] = mark


class Seq(list[Any]):
    """A sequence that knows where its items stand."""

    __slots__ = ("marks",)

    def __init__(self) -> None:
        self.marks: list[Mark] = []

    def items(self) -> Iterator[tuple[Any, Mark]]:
        """Return each item with its mark."""
        return zip(self, self.marks, strict=True)


_NESTED = (Map, Seq)


class YamlError(ValueError):
    """The bytes are not one well-formed YAML document within bounds.

    ``line`` is 1-based, ``column`` 1-based; ``reason`` says what is wrong there.
    """

    def __init__(self, reason: Text, line: int, column: int) -> None:
        super().__init__(str(reason))
        self.reason, self.line, self.column = reason, line, column


def parse(data: bytes) -> Any:
    """Parse one YAML document.

    Returns:
        `Map`, `Seq` or a scalar; None for an empty document.

    Raises:
        YamlError: not UTF-8, not YAML, more than one document, an unknown tag, an unknown or
            recursive alias, or deeper or larger (aliases counted as often as they are used)
            than any benchmark file.

    """
    try:
        content = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise YamlError(text("This is not UTF-8."), line, 1) from None
    try:
        return _Builder(content).document()
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        reason = text("YAML cannot be read here: {problem}.", problem=str(error.problem))
        raise YamlError(reason, line, column) from None
    except ReaderError as error:
        line = content.count("\n", 0, error.position) + 1
        reason = text("YAML does not allow the control character {char}.", char=_char(error))
        raise YamlError(reason, line, 1) from None
    except YAMLError as error:
        raise YamlError(text("YAML cannot be read: {problem}.", problem=str(error)), 1, 1) from None


def is_well_formed(data: bytes) -> bool:
    """Tell whether bytes are YAML by their syntax, at the speed of C.

    `parse` may still refuse them, for a tag, an alias, a complex key or their depth.
    """
    try:
        CParser(data).raw_parse()
    except YAMLError:
        return False
    return True


def _char(error: ReaderError) -> str:
    return f"U+{error.character:04X}" if isinstance(error.character, int) else str(error.character)


class _Builder:
    """Turns the events of one document into values."""

    def __init__(self, content: str) -> None:
        self.parser = CParser(content)
        self.next: Callable[[], Any] = self.parser.get_event
        self.anchors: dict[str, tuple[Any, int]] = {}  # with the size, aliases counted in full
        self.nodes = 0
        self.line_starts = _line_starts(content)

    def document(self) -> Any:
        self.next()  # stream start
        event = self.next()
        if isinstance(event, events.StreamEndEvent):
            return None
        value, _ = self.node(self.next(), 0)
        self.next()  # document end
        event = self.next()
        if not isinstance(event, events.StreamEndEvent):
            raise self.error(event, text("A second YAML document starts here; use one a file."))
        return value

    def node(self, event: Any, depth: int) -> tuple[Any, Mark]:
        kind, before = type(event), self.nodes
        if kind is events.ScalarEvent:
            built = self.scalar(event)
        elif kind is events.AliasEvent:
            return self.alias(event)
        else:
            if depth >= MAX_DEPTH:
                raise self.error(event, text("YAML nests deeper than {most} here.", most=MAX_DEPTH))
            build = self.mapping if kind is events.MappingStartEvent else self.sequence
            built = build(event, depth + 1)
        if event.anchor is not None:
            self.anchors[event.anchor] = (built[0], self.nodes - before)
        return built

    def count(self, event: Any, size: int) -> None:
        self.nodes += size
        if self.nodes > MAX_NODES:
            limit = text("YAML grows to more than {most} values here.", most=MAX_NODES)
            raise self.error(event, limit)

    def alias(self, event: Any) -> tuple[Any, Mark]:
        if event.anchor not in self.anchors:
            unknown = text("The alias {name} has no anchor before it.", name="*" + event.anchor)
            raise self.error(event, unknown)
        value, size = self.anchors[event.anchor]
        self.count(event, size)
        return value, self.mark(event, event)

    def scalar(self, event: Any) -> tuple[Any, Mark]:
        self.count(event, 1)
        raw, style, tag = event.value, event.style or "", event.tag
        if self.line_starts is None:
            first, last = event.start_mark, event.end_mark
            mark = _tuple(Mark, (first.line, first.column, last.line, last.column, raw, style))
        else:
            mark = self.mark(event, event, raw, style)
        if tag is None:
            return (raw if style else resolve(raw)), mark
        if tag not in TYPE_TAGS and tag != "!":
            raise self.error(event, text("The YAML tag {tag} is not allowed.", tag=tag))
        return (raw if tag.endswith("str") or tag == "!" else resolve(raw)), mark

    def sequence(self, start: Any, depth: int) -> tuple[Any, Mark]:
        self.count(start, 1)
        items, following, node = Seq(), self.next, self.node
        while type(event := following()) is not events.SequenceEndEvent:
            value, mark = node(event, depth)
            items.append(value)
            items.marks.append(mark)
        return items, self.mark(start, event)

    def mapping(self, start: Any, depth: int) -> tuple[Any, Mark]:
        self.count(start, 1)
        result, merges, following, node = Map(), [], self.next, self.node
        key_marks, marks = result.key_marks, result.marks
        while type(event := following()) is not events.MappingEndEvent:
            key, key_mark = node(event, depth)
            if isinstance(key, _NESTED):
                raise self.error(event, text("A mapping key must be a plain value."))
            event = following()
            value, mark = node(event, depth)
            if key == "<<" and not key_mark.style:
                merges.append((event, value))
                continue
            if key in result:
                equal = _is_same(value, result[key])
                result.duplicates.append(Duplicate(key, key_mark, key_marks[key], mark, equal))
            result[key], key_marks[key], marks[key] = value, key_mark, mark
        for event_, source in reversed(merges):  # of several, PyYAML takes the last one's values
            self.merge(result, event_, source)
        return result, self.mark(start, event)

    def merge(self, into: Map, event: Any, source: Any) -> None:
        """Add the keys of ``<<`` that are not set already; all that are looked at are counted."""
        sources = source if isinstance(source, Seq) else [source]
        for each in sources:
            if not isinstance(each, Map):
                raise self.error(event, text("A YAML merge key takes mappings only."))
            self.count(event, len(each))
            for key, value in each.items():
                if key not in into:
                    into.put(key, each.key_marks[key], value, each.marks[key])

    def mark(self, start: Any, end: Any, raw: str = "", style: str = "") -> Mark:
        first, last = start.start_mark, end.end_mark
        if self.line_starts is None:
            return _tuple(Mark, (first.line, first.column, last.line, last.column, raw, style))
        return Mark(*self.place(first.index), *self.place(last.index), raw, style)

    def place(self, index: int) -> tuple[int, int]:
        assert self.line_starts is not None
        row = bisect_right(self.line_starts, index) - 1
        return row, index - self.line_starts[row]

    def error(self, event: Any, reason: Text) -> YamlError:
        mark = self.mark(event, event)
        return YamlError(reason, mark.row + 1, mark.column + 1)


def _is_same(one: Any, other: Any) -> bool:
    """Tell whether two values are the same scalar; larger ones could take long to compare."""
    return type(one) is type(other) and not isinstance(one, _NESTED) and one == other


def _line_starts(content: str) -> list[int] | None:
    """Return where LF lines start, or None when libyaml counts lines as git does.

    libyaml also breaks lines at CR, NEL, LS and PS: https://yaml.org/spec/1.1/#id868518
    """
    if not re.search("[\r\x85\u2028\u2029\ufeff]", content):
        return None
    return [0, *(match.end() for match in re.finditer("\n", content))]
