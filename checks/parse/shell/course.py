"""The points of a search space go through a script together as far as they do the same.

A script is cut into stages, each of which begins with a statement that asks about variables of a
point. What a stage leaves behind is kept without those that the script has not set itself, so that
it holds for every point to which the stage says the same.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from checks.parse.shell.deciding import Trace, deciding
from checks.parse.shell.state import State
from checks.parse.shell.syntax import Node, Script, remembered
from checks.parse.shell.words import Piece, Word

MOST_KEPT = 300  # states of a script
# The value of a variable that is still as the point gave it.
_GIVEN: Word = (Piece("", -2),)

Given = Mapping[str, Word]


class Stage(NamedTuple):
    """Statements of which only the first asks about variables of a point, and about which."""

    statements: tuple[Node, ...]
    asked: tuple[str, ...]


@dataclass(slots=True, eq=False)
class Place:
    """A place between two stages.

    Attributes:
        states: the ways on which it was reached.
        functions: those that are defined there.
        after: where the next stage leads, and its steps, by the values it asks about.

    """

    states: list[State]
    functions: Mapping[str, Node]
    after: dict[tuple[Word, ...], tuple["Place", int]] = field(default_factory=dict)

    def of(self, given: Given) -> list[State]:
        """Return the states of a point, to be changed at will."""
        states = [each.copy() for each in self.states]
        for variables in (each.variables for each in states):
            variables.update((k, v) for k, v in given.items() if variables.get(k) is _GIVEN)
        return states

    def like(self, other: "Place") -> bool:
        """Tell whether nothing distinguishes two places."""
        same = len(self.states) == len(other.states) and self.functions == other.functions
        return same and all(map(State.same, self.states, other.states))


class Course:
    """The stages of a script for points that give it the same variables."""

    def __init__(self, stages: Iterable[Stage], names: frozenset[str]) -> None:
        self.stages = tuple(stages)
        self.start = Place([State(dict.fromkeys(names, _GIVEN), set(names))], {})
        self._places: list[list[Place]] = [[] for _ in self.stages]
        self._kept = 0

    def rest(self, at: int) -> Iterable[Node]:
        """Return the statements behind a stage."""
        return (node for stage in self.stages[at + 1 :] for node in stage.statements)

    def reached(
        self, at: int, states: Iterable[State], functions: Mapping[str, Node], given: Given
    ) -> tuple[Place, bool]:
        """Return the place behind a stage that a point reached, and whether it is kept."""
        going = [each for each in states if not each.halted]
        for variables in (each.variables for each in going):
            variables.update((k, _GIVEN) for k, v in given.items() if variables.get(k) is v)
        new = Place(going, dict(functions))
        for each in self._places[at]:
            if each.like(new):
                return each, True
        if self._kept + len(going) > MOST_KEPT:
            return new, False
        self._kept += len(going)
        self._places[at].append(new)
        return new, True


def course(script: Script, names: frozenset[str]) -> Course:
    """Return the course of a script for points that give it these variables."""
    known = _courses(script.root)
    found = known.get(names)
    if found is None:
        found = known[names] = Course(_stages(deciding(script, names).traces, names), names)
    return found


@remembered
def _courses(_: Node) -> dict[frozenset[str], Course]:
    return {}


def _stages(traces: tuple[Trace, ...], names: frozenset[str]) -> Iterable[Stage]:
    asked = [_asked(trace, names) for trace in traces]
    starts = [at for at, each in enumerate(asked) if each or at == 0]
    for start, end in pairwise([*starts, len(traces)]):
        yield Stage(tuple(trace.node for trace in traces[start:end]), asked[start])


def _asked(trace: Trace, names: frozenset[str]) -> tuple[str, ...]:
    """Return the variables of a point about which a statement asks: all if it starts something."""
    return tuple(sorted(names if trace.starts else names & trace.names))
