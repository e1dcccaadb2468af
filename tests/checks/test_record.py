"""Records are what frozen dataclasses are."""

import copy
import pickle
from dataclasses import FrozenInstanceError, asdict, field, fields, replace
from functools import cached_property

import pytest

from checks.record import Record


class Place(Record):
    path: str
    line: int = 1
    seen: list[str] = field(default_factory=list, compare=False, repr=False)

    @cached_property
    def shown(self) -> str:
        return f"{self.path}:{self.line}"


class Other(Record):
    path: str
    line: int = 1


class Itself(Record, eq=False):
    path: str


class Checked(Record):
    line: int

    def __post_init__(self) -> None:
        if self.line < 1:
            raise ValueError("lines start at 1")


def test_fields_are_given_by_place_or_name_and_have_defaults() -> None:
    one, other = Place("a", 2), Place(line=2, path="a")
    assert (one.path, one.line, one.seen) == (other.path, other.line, other.seen) == ("a", 2, [])
    assert Place("a").seen is not Place("a").seen
    assert [each.name for each in fields(one)] == ["path", "line", "seen"]
    assert asdict(one) == {"path": "a", "line": 2, "seen": []}


@pytest.mark.parametrize(
    ("values", "named", "wrong"),
    [
        ((), {}, "path"),
        (("a",), {"row": 1}, "row"),
        ((), {"row": 1, "line": 1}, "path, row"),
        (("a", 1, [], 4), {}, "there are more values"),
        (("a",), {"path": "b", "line": 1, "seen": []}, "there are more values"),
        (("a",), {"path": "b"}, "there are more values"),
    ],
)
def test_wrong_fields_are_refused(
    values: tuple[object, ...], named: dict[str, object], wrong: str
) -> None:
    with pytest.raises(TypeError, match=f"Place, missing or unknown: {wrong}"):
        Place(*values, **named)  # type: ignore[arg-type]


def test_records_are_equal_by_what_is_compared() -> None:
    assert Place("a", 1, ["x"]) == Place("a")
    assert hash(Place("a", 1, ["x"])) == hash(Place("a"))
    assert Place("a") != Place("a", 2)
    assert Place("a") != Other("a")
    one = Itself("a")
    assert one == one
    assert one != Itself("a")
    assert len({one, Itself("a")}) == 2


def test_what_was_computed_is_no_field() -> None:
    one = Place("a")
    assert one.shown == "a:1"
    assert one == Place("a")
    assert repr(one) == "Place(path='a', line=1)"
    assert replace(one, line=2).shown == "a:2"


def test_records_are_frozen() -> None:
    one = Place("a")
    with pytest.raises(FrozenInstanceError):
        one.path = "b"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del one.path
    assert one.path == "a"


def test_copies_are_equal() -> None:
    assert copy.copy(Place("a", 3)) == pickle.loads(pickle.dumps(Place("a", 3))) == Place("a", 3)


def test_a_record_checks_its_fields_when_they_are_there() -> None:
    with pytest.raises(ValueError, match="start at 1"):
        Checked(0)
    with pytest.raises(ValueError, match="start at 1"):
        replace(Checked(1), line=0)
