"""Keys that stand twice in one mapping of a file, of which only the last one counts."""

from typing import Any

from checks.parse.yaml import Duplicate, Map, Seq

Place = tuple[str, ...]
_NESTED = (Map, Seq)


def duplicates(content: Any) -> list[tuple[Place, Duplicate]]:
    """Return every such key with the keys that lead to its mapping, those of the root first."""
    found: list[tuple[Place, Duplicate]] = []
    if isinstance(content, _NESTED):
        _look(content, (), set(), found)
    return found


def _look(
    node: Map | Seq, place: Place, seen: set[int], found: list[tuple[Place, Duplicate]]
) -> None:
    if id(node) in seen:
        return  # an alias stands for what was looked at where its anchor is
    seen.add(id(node))
    if isinstance(node, Map):
        found += [(place, each) for each in node.duplicates]
        for key, value in node.items():
            if isinstance(value, _NESTED):
                _look(value, (*place, str(key)), seen, found)
    else:
        for item in node:
            if isinstance(item, _NESTED):
                _look(item, place, seen, found)
