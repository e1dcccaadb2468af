"""Whether a changed script is known to start the same servers and clients as before."""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache

from checks.model import Blob
from checks.parse.config_entry import ConfigEntry, SearchSpace
from checks.parse.script_points import environment_of, followed_concurrencies
from checks.parse.shell.deciding import environment
from checks.parse.shell.interpret import runs_of
from checks.parse.shell.launch import may_start
from checks.parse.shell.state import Run
from checks.parse.shell.syntax import Node, read_script
from checks.parse.shell.words import shown

# Commands that change nothing of what is started after them.
_QUIET = frozenset({"check_env_vars", "echo", "printf", "exit", "return", "set"})
# What a server writes into its log, with no value.
_LOGGING = frozenset(
    {
        *("--disable-log-requests", "--enable-log-requests", "--no-enable-log-requests"),
        *("--disable-log-stats", "--disable-uvicorn-access-log"),
    }
)


def starts_the_same(
    entry: ConfigEntry, spaces: Iterable[SearchSpace], base: Blob, head: Blob
) -> bool:
    """Tell whether two versions of a script start the same at each point, as far as is known.

    False when they differ in commands that are not followed, or when one cannot be followed.
    """
    if _others(base) is None or _others(base) != _others(head):
        return False
    return all(_same(point, base, head) for point in _points(entry, spaces, base, head))


def starts_otherwise(
    entry: ConfigEntry, spaces: Iterable[SearchSpace], base: Blob, head: Blob
) -> bool:
    """Tell whether two versions of a script can be followed, and differ at a point."""
    compared = (_starts(point, base, head) for point in _points(entry, spaces, base, head))
    return any(old and new and old != new for old, new in compared)


def _points(
    entry: ConfigEntry, spaces: Iterable[SearchSpace], base: Blob, head: Blob
) -> Iterator[tuple[tuple[str, str], ...]]:
    for space in spaces:
        for concurrency in followed_concurrencies(space, base, head):
            yield tuple(environment_of(entry, space, concurrency).items())


def _same(point: tuple[tuple[str, str], ...], base: Blob, head: Blob) -> bool:
    old, new = _starts(point, base, head)
    return bool(old) and old == new


def _starts(
    point: tuple[tuple[str, str], ...], base: Blob, head: Blob
) -> tuple[frozenset[object], frozenset[object]]:
    """Return what both versions start at a point."""
    given = {**dict(point), "EVAL_ONLY": "false"}
    own = _read(base) | _read(head)
    old, new = (_seen(runs_of(x, environment(x, given)), own) for x in (base, head))
    return old, new


def _seen(runs: Iterable[Run] | None, own: frozenset[str]) -> frozenset[object]:
    """Return what is started, with the variables that only it reads."""
    return frozenset(
        (
            tuple(each for each in map(shown, run.argv) if each not in _LOGGING),
            frozenset((name, shown(word)) for name, word in run.env.items() if name not in own),
            frozenset((name, shown(word)) for name, word in run.files.items()),
        )
        for run in runs or ()
    )


@lru_cache(maxsize=64)
def _others(blob: Blob) -> Counter[str] | None:
    """Return the commands and here-documents that are not followed; None when unreadable."""
    script = read_script(blob)
    if script is None:
        return None
    # tree-sitter takes the sum in `${A:-$((B * 2))}` for a command that is called B.
    quiet = _QUIET | script.names
    nodes = (n for n in script.nodes if n.kind == "heredoc_body" or _unfollowed(n, quiet))
    return Counter(" ".join(node.text.split()) for node in nodes)


def _unfollowed(node: Node, quiet: frozenset[str]) -> bool:
    name = node.child("name") if node.kind == "command" else None
    if name is None or name.text in quiet:
        return False
    return not may_start(name.text) or any(each.text == "-c" for each in node.children)


@lru_cache(maxsize=64)
def _read(blob: Blob) -> frozenset[str]:
    """Return the variables that a script itself reads."""
    script = read_script(blob)
    nodes = script.nodes if script else ()
    return frozenset(
        each.text
        for node in nodes
        if node.kind not in ("variable_assignment", "declaration_command", "unset_command")
        for each in node.children
        if each.kind == "variable_name"
    )
