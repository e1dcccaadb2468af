"""Follows a script with the variables of a point and collects the commands that it starts."""

from collections.abc import Callable, Iterable
from functools import lru_cache

from checks.model import Blob
from checks.parse.shell.changing import own
from checks.parse.shell.conditions import decided, like, word_text
from checks.parse.shell.course import Given, course
from checks.parse.shell.deciding import HALTS, matters
from checks.parse.shell.effects import EFFECTS, assign, changed, expanded, forget, written
from checks.parse.shell.launch import given_by, started
from checks.parse.shell.shape import clauses, command, constant, redirects, statements
from checks.parse.shell.state import Run, State, merged
from checks.parse.shell.syntax import Node, Script, read_script
from checks.parse.shell.words import Piece, known

MOST_STEPS = 30_000
DEEPEST_CALL = 6


class _TooLongError(Exception):
    """A script that would take too long to follow."""


@lru_cache(maxsize=512)
def runs_of(blob: Blob, given: tuple[tuple[str, str], ...]) -> tuple[Run, ...] | None:
    """Return the commands that a script starts with these variables set.

    Returns:
        The commands in the order of the script; None when the script cannot be followed.

    """
    script = read_script(blob)
    if script is None:
        return None
    try:
        states = _Follower().script(script, {k: (Piece(v, -1),) if v else () for k, v in given})
    except (_TooLongError, RecursionError):
        return None
    runs = dict.fromkeys(run for each in states for run in each.runs)
    return tuple(sorted(runs, key=lambda run: run.row))


class _Follower:
    def __init__(self) -> None:
        self.steps = 0
        self.calls = 0
        self.functions: dict[str, Node] = {}
        self.kinds: dict[str, Callable[[Node, State], list[State]]] = {
            **dict.fromkeys(("list", "negated_command", "test_command"), self.decided),
            "command": self.command,
            "redirected_statement": self.redirected,
            "variable_assignments": self.inside,
            "if_statement": self.branch,
            "case_statement": self.case,
            "for_statement": self.loop,
            "c_style_for_statement": self.loop,
            "while_statement": self.loop,
            "until_statement": self.loop,
            "compound_statement": self.compound,
            "do_group": self.inside,
            "subshell": self.apart,
            "pipeline": self.apart,
            "function_definition": self.define,
        }

    def script(self, script: Script, given: Given) -> list[State]:
        """Follow what decides what a script starts with the variables of a point."""
        way = course(script, frozenset(given))
        place = way.start
        for at, stage in enumerate(way.stages):
            asked = tuple([given[name] for name in stage.asked])
            if asked in place.after:
                place, steps = place.after[asked]
                self.count(steps)
                continue
            self.functions, before = dict(place.functions), self.steps
            states = self.block(stage.statements, place.of(given))
            if any(each.runs for each in states):
                return self.block(way.rest(at), states)
            reached, kept = way.reached(at, states, self.functions, given)
            if kept:
                place.after[asked] = (reached, self.steps - before)
            place = reached
        return []

    def block(self, nodes: Iterable[Node], states: list[State]) -> list[State]:
        """Follow statements one after the other."""
        for node in nodes:
            if node.kind == "command" and not matters(node, self.functions):
                self.count()
                continue
            following: list[State] = []
            for state in states:
                following += [state] if state.halted else self.statement(node, state)
            states = merged(following) if len(following) > 1 else following
        return states

    def statement(self, node: Node, state: State) -> list[State]:
        """Follow one statement."""
        self.count()
        if effect := EFFECTS.get(node.kind):
            effect(node, state)
            return [state]
        follow = self.kinds.get(node.kind)
        return follow(node, state) if follow else [state]

    def count(self, steps: int = 1) -> None:
        """Take steps; not one too many."""
        self.steps += steps
        if self.steps > MOST_STEPS:
            raise _TooLongError

    def decided(self, node: Node, state: State) -> list[State]:
        """Follow a condition that stands alone."""
        return [after for after, _ in self.condition(node, state)]

    def inside(self, node: Node, state: State) -> list[State]:
        """Follow what a node is made of."""
        return self.block(statements(node), [state])

    def compound(self, node: Node, state: State) -> list[State]:
        """Follow a group of commands; an arithmetic command changes what it assigns."""
        if node.children[0].kind == "((":
            forget(node, state)
            return [state]
        return self.inside(node, state)

    def condition(self, node: Node, state: State) -> list[tuple[State, bool]]:
        """Follow a condition: each way that it can go, with what it says."""
        if state.halted:
            return [(state, False)]
        if node.kind == "list":
            left, operator, right = [n for n in node.children if n.kind != "comment"][:3]
            stops = operator.kind == "||"
            ways = self.condition(left, state)
            done = [way for way in ways if way[0].halted or way[1] is stops]
            going = [after for after, said in ways if not after.halted and said is not stops]
            return done + [way for after in going for way in self.condition(right, after)]
        if node.kind == "negated_command":
            return [(after, not said) for after, said in self.condition(node.children[-1], state)]
        tested = node.kind == "test_command" or [n.kind for n in node.children[:1]] == ["(("]
        said = decided(node, state) if tested else constant(node)
        states = [state] if node.kind == "test_command" else self.statement(node, state)
        if said is not None:
            return [(after, said) for after in states]
        return [way for after in states for way in ((after.copy(), True), (after, False))]

    def branch(self, node: Node, state: State) -> list[State]:
        """Follow an ``if`` statement."""
        waiting, done = [state], []
        for conditions, inner in clauses(node):
            taken: list[State] = []
            asked = [way for each in waiting for way in self.tested(conditions, each)]
            done += [after for after, _ in asked if after.halted]
            taken = [after for after, said in asked if said and not after.halted]
            waiting = [after for after, said in asked if not said and not after.halted]
            done += self.block(inner, taken)
        return merged(done + waiting)

    def tested(self, conditions: list[Node], state: State) -> list[tuple[State, bool]]:
        """Follow the commands of a condition, of which the last one decides."""
        if not conditions:
            return [(state, True)]
        before = self.block(conditions[:-1], [state])
        return [way for each in before for way in self.condition(conditions[-1], each)]

    def case(self, node: Node, state: State) -> list[State]:
        """Follow a ``case`` statement."""
        value = node.child("value")
        text = word_text(value, state) if value else None
        done: list[State] = []
        items = [each for each in node.children if each.kind == "case_item"]
        if any(each.child("fallthrough") for each in items):
            return self.falling(node, items, state)
        for item in items:
            said = [like(text, pattern, state) for pattern in item.all("value")]
            inner = [n for n in statements(item) if not n.field]
            if True in said:
                return merged(done + self.block(inner, [state]))
            if None in said:
                done += self.block(inner, [state.copy()])
        return merged([*done, state])

    def falling(self, node: Node, items: list[Node], state: State) -> list[State]:
        """Follow a ``case`` statement of which one part goes on with another one."""
        forget(node, state)
        done = [state]
        for item in items:
            done += self.block([n for n in statements(item) if not n.field], [state.copy()])
        for each in done:
            forget(node, each)
        return merged(done)

    def loop(self, node: Node, state: State) -> list[State]:
        """Follow a loop once; what it assigns is not known in it and after it."""
        forget(node, state)
        inner = node.child("body")
        after = self.inside(inner, state.copy()) if inner else []
        for each in after:
            forget(node, each)
        return merged([state, *after])

    def apart(self, node: Node, state: State) -> list[State]:
        """Follow a subshell or the commands of a pipeline: only what they start stays."""
        parts = statements(node) if node.kind == "pipeline" else (node,)
        for part in parts:
            inner = statements(part) if part.kind == "subshell" else (part,)
            for after in self.block(inner, [state.copy()]):
                state.runs += tuple(run for run in after.runs if run not in state.runs)
        return [state]

    def define(self, node: Node, state: State) -> list[State]:
        """Keep a function for when it is called."""
        name, inner = node.child("name"), node.child("body")
        if name and inner:
            self.functions[name.text] = inner
        return [state]

    def command(self, node: Node, state: State) -> list[State]:
        """Follow a command: a function of the script, or something that is started."""
        if not matters(node, self.functions):
            return [state]
        _, assignments, parts = command(node)
        inner = state.copy() if assignments else state
        names = frozenset(name.text for each in assignments if (name := each.child("name")))
        for each in assignments:
            assign(each, inner)
        inner.exported |= names
        argv = expanded(parts, inner)
        called = known(argv[0]) if argv else None
        if called in HALTS:
            state.halted = called or ""
            return [state]
        if called in self.functions and self.calls < DEEPEST_CALL:
            body = self.functions[called]
            return self.call(body, inner, own(body) | names, state)
        if started(argv):
            env = given_by(argv, inner.environment())
            state.runs += (Run(argv, env, dict(inner.files), node.row),)
        else:
            changed(node, argv, state)
        return [state]

    def call(self, body: Node, state: State, gone: frozenset[str], before: State) -> list[State]:
        """Follow a function of the script; some variables are afterwards as they were before."""
        before = before.copy()
        self.calls += 1
        states = self.block([body], [state])
        self.calls -= 1
        for each in states:
            each.halted = "" if each.halted == "return" else each.halted
            each.restore(gone, before)
        return states

    def redirected(self, node: Node, state: State) -> list[State]:
        """Follow a command whose output goes elsewhere; a here-document may become a file."""
        inner = node.child("body")
        files, heredoc = redirects(node)
        states = self.statement(inner, state) if inner else [state]
        for each in states:
            for redirect in files:
                written(redirect, heredoc, each)
        return states
