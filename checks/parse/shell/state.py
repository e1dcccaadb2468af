"""What is known at one place of a script: variables, exports, files written, servers started."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter

from checks.parse.shell.launch import complete, flags, started
from checks.parse.shell.words import Array, Word, known, unknown

MOST_STATES = 12
# Among the exported variables, it says that all which are set from here on are exported.
ALLEXPORT = "-a"


@dataclass(frozen=True, eq=False)
class Run:
    """A command that was started.

    Attributes:
        argv: its words; `words.ANY` among them stands for words that are not known.
        env: the variables that it was given; `words.REST` among them where there may be others.
        files: the text of the files that the script wrote before.
        row: 0-based row at which the command stands.

    """

    argv: tuple[Word, ...] = field(repr=False)
    env: Mapping[str, Word] = field(repr=False)
    files: Mapping[str, Word] = field(repr=False)
    row: int

    @cached_property
    def starts(self) -> str:
        """Return the engine whose server it starts, `launch.CLIENT`, or "" for anything else."""
        return started(self.argv)

    @cached_property
    def flags(self) -> tuple[tuple[str, Word, Word], ...]:
        """Return its flags: name without dashes, its own word and its value."""
        return tuple(flags(self.argv))

    @cached_property
    def _last(self) -> dict[str, tuple[int, Word]]:
        """Return the place and the value of each flag where it is given last."""
        return {name: (place, value) for place, (name, _, value) in enumerate(self.flags)}

    def flag(self, *names: str) -> Word | None:
        """Return the value of the last flag with one of these names, () for one without a value."""
        found = [self._last[name] for name in names if name in self._last]
        return max(found, key=itemgetter(0))[1] if found else None

    @cached_property
    def complete(self) -> bool:
        """Tell whether every flag is known; a file of settings may hold others."""
        settings = self.starts != "trtllm" and self.flag("config") is not None
        return not settings and complete(self.argv)


@dataclass(eq=False)
class State:
    """One way through a script up to a place."""

    variables: dict[str, Word | Array] = field(default_factory=dict)
    exported: set[str] = field(default_factory=set)
    files: dict[str, Word] = field(default_factory=dict)
    runs: tuple[Run, ...] = ()
    halted: str = ""

    def copy(self) -> "State":
        """Return a state that goes its own way."""
        return State(
            dict(self.variables), set(self.exported), dict(self.files), self.runs, self.halted
        )

    def same(self, other: "State") -> bool:
        """Tell whether nothing distinguishes two states."""
        return (
            self.halted == other.halted
            and self.runs == other.runs
            and self.variables == other.variables
            and self.exported == other.exported
            and self.files == other.files
        )

    def text(self, name: str) -> str | None:
        """Return the value of a variable, None when it is not known."""
        return known(self.variables.get(name))

    def restore(self, names: Iterable[str], before: "State") -> None:
        """Take variables back to what they were before."""
        for name in names:
            self.variables.pop(name, None)
            self.exported.discard(name)
        self.exported.update(before.exported.intersection(names))
        self.variables.update({k: before.variables[k] for k in names if k in before.variables})

    def environment(self) -> dict[str, Word]:
        """Return the exported variables."""
        names = self.exported - {ALLEXPORT}
        values = {name: self.variables.get(name, unknown(-1)) for name in names}
        return {name: word for name, word in values.items() if not isinstance(word, Array)}


def merged(states: Iterable[State]) -> list[State]:
    """Return the states that differ; one that knows less when they are too many."""
    states = list(states)
    if len(states) < 2:
        return states
    kept: list[State] = []
    for state in states:
        for other in kept:
            if state.same(other):
                break
        else:
            kept.append(state)
    going = [state for state in kept if not state.halted]
    if len(going) <= MOST_STATES:
        return kept
    return [state for state in kept if state.halted] + [_blurred(going)]


def _blurred(states: list[State]) -> State:
    """Return one state that knows only what all of them agree on."""
    first, *rest = states
    result = first.copy()
    names = {name for state in states for name in state.variables}
    for name in names:
        values = [state.variables.get(name) for state in states]
        if any(value != values[0] for value in values):
            result.variables.pop(name, None)
            result.variables[name] = unknown(-1)
    for state in rest:
        result.exported |= state.exported
        result.runs += tuple(run for run in state.runs if run not in result.runs)
        for name in {*result.files, *state.files}:
            if result.files.get(name) != state.files.get(name):
                result.files[name] = unknown(-1)
    return result
