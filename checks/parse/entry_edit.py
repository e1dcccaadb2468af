"""What differs between two versions of a config key: the scenarios that it affects, and where."""

from collections.abc import Hashable, Iterable, Iterator
from functools import cached_property
from itertools import groupby
from typing import Any

from checks.parse.config_entry import ConfigEntry, SearchSpace
from checks.parse.yaml import Map, Mark, Seq
from checks.record import Record

_CONCURRENCY = {"conc-list", "conc-start", "conc-end"}


class EntryEdit(Record, eq=False):
    """A config key at base and at head."""

    before: ConfigEntry
    after: ConfigEntry

    def affected(self, ignored: frozenset[str]) -> frozenset[str]:
        """Return the scenarios with a point at head that is not the same at base.

        Args:
            ignored: fields, wherever they stand, that make no difference.

        """
        old, new = ({**x.node, "scenarios": None} for x in (self.before, self.after))
        if repr(old) != repr(new) and canonical(old, ignored) != canonical(new, ignored):
            return frozenset(self.after.scenarios)
        if not self._respelled:
            return frozenset()
        points = _points(self._respelled, ignored) - _points(self.before.search_spaces, ignored)
        return frozenset(scenario for scenario, _ in points)

    @cached_property
    def _respelled(self) -> tuple[SearchSpace, ...]:
        """Return the search-space entries at head that are spelled in another way than at base.

        Most of a config key stays as it is, and what is spelled the same has the same points.
        """
        blocks = {_whole(found) for found in _by_block(self.before.search_spaces)}
        left = [x for x in _by_block(self.after.search_spaces) if _whole(x) not in blocks]
        if not left:
            return ()
        known = {each for x in _by_block(self.before.search_spaces) for _, each in _spelled(x)}
        return tuple(space for x in left for space, each in _spelled(x) if each not in known)


def _by_block(spaces: Iterable[SearchSpace]) -> Iterator[tuple[SearchSpace, ...]]:
    """Yield the search-space entries of each scenario item."""
    items = groupby(spaces, key=lambda space: (space.scenario, id(space.block)))
    return (tuple(group) for _, group in items)


def _whole(spaces: tuple[SearchSpace, ...]) -> Hashable:
    """Return the spelling of a scenario item."""
    return spaces[0].scenario, repr(spaces[0].block)


def _around(spaces: tuple[SearchSpace, ...]) -> dict[Any, Any]:
    """Return the other fields of a scenario item."""
    return {key: value for key, value in spaces[0].block.items() if key != "search-space"}


def _spelled(spaces: tuple[SearchSpace, ...]) -> Iterator[tuple[SearchSpace, Hashable]]:
    """Yield each search-space entry with the spelling of everything that makes its points."""
    around = repr(_around(spaces))
    return ((space, (space.scenario, around, repr(space.node))) for space in spaces)


def _points(found: Iterable[SearchSpace], ignored: frozenset[str]) -> set[tuple[str, Hashable]]:
    """Return (scenario, everything that makes the point) of each point of search-space entries."""
    points = set[tuple[str, Hashable]]()
    for spaces in _by_block(found):
        around = canonical(_around(spaces), ignored)
        for space in spaces:
            arm = {key: value for key, value in space.node.items() if key not in _CONCURRENCY}
            fixed = (around, canonical(arm, ignored))
            points |= {(space.scenario, (fixed, each)) for each in space.concurrencies or (None,)}
    return points


def canonical(node: Any, ignored: frozenset[str]) -> Hashable:
    """Return what is equal for equal meaning, whatever the order."""
    if isinstance(node, dict):
        known = ((key, value) for key, value in node.items() if key not in ignored)
        return frozenset((key, canonical(value, ignored)) for key, value in known)
    if isinstance(node, list):
        return frozenset(canonical(item, ignored) for item in node)
    return (type(node).__name__, node)


def first_difference(before: Any, after: Any) -> Mark | None:
    """Return where a value starts to differ, at its innermost place."""
    if isinstance(before, Map) and isinstance(after, Map):
        for key, value in after.items():
            if key not in before:
                return after.key_marks[key]
            if value != before[key]:
                return first_difference(before[key], value) or after.key_marks[key]
    if isinstance(before, Seq) and isinstance(after, Seq):
        for index, (value, mark) in enumerate(after.items()):
            if index >= len(before):
                return mark
            if value != before[index]:
                return first_difference(before[index], value) or mark
    return None
