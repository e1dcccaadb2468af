"""Reads plain settings into the frozen classes of a policy, strictly, each problem at its place.

The classes say what a policy holds by their annotations. Everything that a policy needs is here:
the libraries for this take longer to import than a whole check of the changelog.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, field, fields
from enum import Enum
from functools import cache
from itertools import islice
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, dataclass_transform, get_args, get_origin

from checks.parse.yaml import Map, Mark, Seq
from checks.record import Record
from checks.text import Text, Value, text

MOST_UNKNOWN = 100  # settings in one place of which each is told
Place = tuple[str | int, ...]
Problem = tuple[int, int, Text]


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
class Strict(Record):
    """A part of a policy: frozen, of exact types, its names with dashes, nothing unknown in it.

    Its fields are of the types ``bool``, ``int``, ``float``, ``str``, an enum, ``Literal``,
    ``tuple[X, ...]``, ``dict[str, X]``, ``X | None``, another `Strict`, or ``Annotated[X, check]``
    where ``check`` raises ValueError for what X does not exclude.
    """


@cache
def _settings(kind: Any) -> Mapping[str, tuple[str, Any, bool]]:
    """Return setting -> (attribute, type, whether it must be given)."""
    return {
        each.name.replace("_", "-"): (
            each.name,
            each.type,
            each.default is MISSING and each.default_factory is MISSING,
        )
        for each in fields(kind)
    }


class Form:
    """Reads settings, and collects what is wrong with them.

    Args:
        content: the file of the author, whose places the problems have. Values that do not come
            from it, but from a preset, are right already and are not looked at closely.

    """

    def __init__(self, content: Map) -> None:
        self.content = content
        self.problems: list[Problem] = []
        self._readers: dict[Any, Callable[[Any, Any, Place], Any]] = {
            tuple: self._tuple,
            dict: self._dict,
            Literal: self._literal,
            Union: self._union,
            UnionType: self._union,
            Annotated: self._annotated,
        }

    def read(self, kind: Any, value: Any, place: Place = ()) -> Any:
        """Return a value of a type; something else after a problem."""
        reader = self._readers.get(get_origin(kind))
        if reader is not None:
            return reader(kind, value, place)
        if issubclass(kind, Strict):
            return self._strict(kind, value, place)
        if issubclass(kind, Enum):
            known = [member.value for member in kind]
            return kind(value) if self._is(value in known, place, _one_of(known)) else value
        whole = kind is float and type(value) is int
        self._is(whole or type(value) is kind, place, _NAMES[kind])
        return value

    def _strict(self, kind: Any, value: Any, place: Place) -> Any:
        if not self._is(isinstance(value, dict), place, text("a mapping")):
            return value
        before, known, found = len(self.problems), _settings(kind), {}
        for name, (attribute, wanted, required) in known.items():
            if name in value:
                found[attribute] = self.read(wanted, value[name], (*place, name))
            elif required:
                self._is(False, (*place, name), text("given"))
        for name in islice((each for each in value if each not in known), MOST_UNKNOWN):
            self._tell((*place, name), _unknown(_dotted((*place, name)), name, known))
        return kind(**found) if len(self.problems) == before else value

    def _tuple(self, kind: Any, value: Any, place: Place) -> Any:
        if not self._is(isinstance(value, tuple), place, text("a list")):
            return value
        wanted = get_args(kind)[0]
        return tuple(self.read(wanted, item, (*place, at)) for at, item in enumerate(value))

    def _dict(self, kind: Any, value: Any, place: Place) -> Any:
        if not self._is(isinstance(value, dict), place, text("a mapping")):
            return value
        wanted = get_args(kind)[1]
        return {name: self.read(wanted, item, (*place, name)) for name, item in value.items()}

    def _literal(self, kind: Any, value: Any, place: Place) -> Any:
        known = get_args(kind)
        self._is(value in known, place, _one_of(known))
        return value

    def _union(self, kind: Any, value: Any, place: Place) -> Any:
        (wanted,) = (each for each in get_args(kind) if each is not NoneType)
        return None if value is None else self.read(wanted, value, place)

    def _annotated(self, kind: Any, value: Any, place: Place) -> Any:
        wanted, check = get_args(kind)
        before = len(self.problems)
        found = self.read(wanted, value, place)
        if len(self.problems) == before and self._mark(place)[1]:
            try:
                check(found)
            except ValueError as error:
                wrong = text(
                    "{setting} is wrong: {problem}.", setting=_dotted(place), problem=str(error)
                )
                self._tell(place, wrong)
        return found

    def _is(self, right: bool, place: Place, what: Value) -> bool:
        if not right:
            self._tell(place, text("{setting} must be {what}.", setting=_dotted(place), what=what))
        return right

    def _tell(self, place: Place, what: Text) -> None:
        mark, _ = self._mark(place)
        row, column = (mark.row, mark.column) if mark else (0, 0)
        self.problems.append((row + 1, column + 1, what))

    def _mark(self, place: Place) -> tuple[Mark | None, bool]:
        """Return the mark of the innermost part of a place in the file, and if it is all of it."""
        node: Any = self.content
        mark = None
        for part in place:
            if isinstance(node, Map) and part in node:
                mark, node = node.key_marks[part], node[part]
            elif isinstance(node, Seq) and isinstance(part, int) and part < len(node):
                mark, node = node.marks[part], node[part]
            else:
                return mark, False
        return mark, True


_NAMES = {
    bool: text("true or false"),
    float: text("a number"),
    int: text("a whole number"),
    str: text("text"),
}


def plain(node: Any) -> Any:
    """Return YAML values in the types that a `Form` takes."""
    if isinstance(node, Map):
        return {str(key): plain(value) for key, value in node.items()}
    return tuple(plain(item) for item in node) if isinstance(node, Seq) else node


def _dotted(place: Place) -> str:
    return ".".join(map(str, place))


def _one_of(known: Any) -> Value:
    """Return what a setting takes, in the words of YAML instead of those of a type checker."""
    return known[0] if len(known) == 1 else text("one of {values}", values=tuple(known))


def _unknown(setting: str, name: str, known: Mapping[str, Any]) -> Text:
    from difflib import get_close_matches  # few policies need it, and each command reads one

    close = get_close_matches(name, known, 1)
    if not close:
        return text("There is no setting {setting}; remove it.", setting=setting)
    return text("There is no setting {setting}; did you mean {close}?", setting=setting,
                close=close[0])  # fmt: skip
