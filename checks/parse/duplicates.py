"""Keys that stand twice in one mapping of a file, of which only the last one counts."""

from collections.abc import Iterator
from typing import Any

from checks.parse.yaml import Duplicate, Map, Seq

Place = tuple[str, ...]


def duplicates(content: Any) -> Iterator[tuple[Place, Duplicate]]:
    """Return every such key with the keys that lead to its mapping, those of the root first."""
    return _below(content, (), set())


def _below(node: Any, place: Place, seen: set[int]) -> Iterator[tuple[Place, Duplicate]]:
    if not isinstance(node, Map | Seq) or id(node) in seen:
        return  # an alias stands for what was looked at where its anchor is
    seen.add(id(node))
    if isinstance(node, Map):
        yield from ((place, each) for each in node.duplicates)
        for key, value in node.items():
            yield from _below(value, (*place, str(key)), seen)
    else:
        for item in node:
            yield from _below(item, place, seen)
