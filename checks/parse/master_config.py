"""Master configs: every config key with its search space.

A master is hundreds of kilobytes and a pull request touches a few of its entries, so each
top-level entry is parsed when somebody asks, and cached by its own bytes.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import field
from functools import lru_cache
from typing import Any

from checks.answers import Answers
from checks.model import Blob, Tree
from checks.parse.config_entry import ConfigEntry, parse_part
from checks.parse.scalar import resolve
from checks.parse.top_level import split_entries
from checks.parse.yaml import MAX_DEPTH, MAX_NODES, Map, Mark, YamlError, is_well_formed, parse
from checks.paths import matches
from checks.policy import Layout
from checks.record import Record
from checks.text import text

_SIMPLE_KEY = re.compile(rb"([A-Za-z][A-Za-z0-9._-]*):(?=[ \n])")
_AS_ROUND, _NO_BRACKET = bytes.maketrans(b"[]{}", b"()()"), bytes({*range(256)} - {*b"[]{}"})
_TAG_OR_KEY = re.compile(rb"(?<!\w)[!?]")


MOST_KEYS = 2_000  # of one master config; those of the reference repository have 152 at most


class Master(Record, eq=False):
    """One master config; ``error`` says why it has no entries when it cannot be read.

    ``duplicates`` are (config key, 1-based line) of keys that stand there a second time.
    """

    entries: Mapping[str, ConfigEntry] = field(default_factory=dict)
    duplicates: tuple[tuple[str, int], ...] = ()
    error: YamlError | None = None


Masters = tuple[tuple[str, Blob], ...]


def masters(tree: Tree, layout: Layout) -> Masters:
    """Return path and bytes of the masters of a layout in a tree, in the layout's order."""
    found: dict[str, Blob] = {}
    for glob in layout.masters:
        plain = not re.search(r"[*?\[\]!\\]", glob)
        names = [glob] if plain else [path for path in tree.paths() if matches(path, [glob])]
        found |= {name: blob for name in names if (blob := tree.blob(name))}
    return tuple(found.items())


class Entries(dict[str, ConfigEntry]):
    """Config keys in the masters' order; ``answers`` are those of `checks.once`.

    Two that were read from the same bytes have other entries, and what is said of the entries of
    one holds for that one alone: so it is remembered here, and gone with them.
    """

    def __init__(self) -> None:
        super().__init__()
        self.answers = Answers()


def config_entries(tree: Tree, layout: Layout) -> Entries:
    """Return every config key of every readable master of a layout; the first of a name wins."""
    return _entries_of(masters(tree, layout))


@lru_cache(maxsize=8)
def _entries_of(found: Masters) -> Entries:
    entries = Entries()
    for path, blob in found:
        for key, entry in read_master(path, blob).entries.items():
            entries.setdefault(key, entry)
    return entries


@lru_cache(maxsize=16)
def read_master(path: str, blob: Blob) -> Master:
    """Read one master config; never raises: see `Master.error`."""
    parts = split_entries(blob.data)
    if parts is not None and len(parts) > MOST_KEYS:
        return _too_many(parts[MOST_KEYS][0])
    if parts is not None and (master := _from_parts(path, parts)) is not None:
        return master
    try:
        content = parse(blob.data)
    except YamlError as error:
        return Master(error=error)
    if content is not None and not isinstance(content, Map):
        reason = text("A master config is a mapping of config keys.")
        return Master(error=YamlError(reason, 1, 1))
    if content and len(content) > MOST_KEYS:
        return _too_many([*content.key_marks.values()][MOST_KEYS].row)
    return _from_whole(path, content or Map())


def _too_many(row: int) -> Master:
    reason = text("A master config has at most {most} config keys.", most=MOST_KEYS)
    return Master(error=YamlError(reason, row + 1, 1))


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
    simple = None if _is_rare(part) or _is_large(part) else _SIMPLE_KEY.match(part)
    if simple is not None and is_well_formed(part):
        key = simple[1].decode()
        if isinstance(resolve(key), str):
            return key, Mark(0, 0, 0, len(key), key)
    content = parse_part(part)
    if content is None:
        return None
    ((key_, mark),) = content.key_marks.items()
    return str(key_), mark


def _is_rare(part: bytes) -> bool:
    """Tell whether a part may hold what `parse` may refuse although the syntax is right."""
    if b"<<" in part or ((b"!" in part or b"?" in part) and _TAG_OR_KEY.search(part)):
        return True
    packed = part.translate(None, b" \t\r\n")
    return b"]:" in packed or b"}:" in packed


def _is_large(part: bytes) -> bool:
    """Tell whether a part may nest deeper, or hold more values, than `parse` takes."""
    # A block nests at most twice for each column that it is indented by.
    left = MAX_DEPTH - 2
    brackets = part.translate(_AS_ROUND, _NO_BRACKET)
    while b"()" in brackets and left > 0:
        brackets = brackets.replace(b"()", b"")  # the innermost ones, all at once
        left -= 1
    columns = (left - brackets.count(b"(") + 1) // 2
    deep = columns <= 0 or re.search(rb"\n[ -]{%d}" % columns, part)
    return bool(deep) or len(part) > MAX_NODES


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
        entries[entry.key] = entry  # the last one counts, as in every mapping
    return Master(entries, tuple(sorted(duplicates, key=lambda each: each[1])))
