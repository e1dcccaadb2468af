"""What the single-node scripts do at each point of the search space that a pull request touches."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from posixpath import basename

from checks.model import Blob
from checks.once import once
from checks.parse.arms import Changes, Use
from checks.parse.config_entry import ConfigEntry, RecipeReference, SearchSpace
from checks.parse.hardware import sku_of
from checks.parse.master_config import config_entries
from checks.parse.scripts import FOLDERS, script_of
from checks.parse.server import Server, servers
from checks.parse.shell.deciding import environment
from checks.parse.shell.interpret import runs_of
from checks.parse.shell.launch import CLIENT
from checks.parse.shell.state import Run
from checks.parse.shell.syntax import read_script
from checks.parse.speculation import Speculation

MOST_POINTS = 64
_MEASURED = (("EVAL_ONLY", "false"),)


@dataclass(frozen=True, eq=False)
class ScriptPoint:
    """A search-space entry at one concurrency, with what its script starts.

    Attributes:
        use: the config key and search-space entry; its reference names the script.
        path: of the script.
        concurrency: of the point.
        servers: the servers that it may start; more than one where a condition is not known.
        clients: the benchmark clients that it may start.

    """

    use: Use
    path: str
    concurrency: int
    servers: tuple[Server, ...] = field(repr=False)
    clients: tuple[Run, ...] = field(repr=False)

    @property
    def key(self) -> str:
        """Return the config key."""
        return self.use.entry.key


@dataclass(frozen=True, slots=True, eq=False)
class ScriptArm:
    """A server that a script starts, in the place of a recipe's variant."""

    use: Use
    path: str
    speculations: tuple[Speculation, ...] = field(repr=False)


def script_points(
    touched: Changes,
    *,
    evaluation: bool = False,
    prefixes: frozenset[str] = frozenset(),
    scenario: str = "",
    instead: Mapping[str, str] | None = None,
    mentions: tuple[bytes, ...] = (b"",),
) -> Iterator[ScriptPoint]:
    """Return the single-node points whose script or search-space entry is new or differs.

    An entry whose script asks nothing about the concurrency is followed at its first one only.

    Args:
        touched: the changes of the pull request.
        evaluation: whether to follow the scripts as an evaluation runs them.
        prefixes: model prefixes of which all points are returned, touched or not.
        scenario: the only one to follow, all when "".
        instead: variables that have another value than the point gives them.
        mentions: of which a script must contain one to be followed.

    """
    given = tuple(sorted({**(instead or {}), "EVAL_ONLY": str(evaluation).lower()}.items()))
    for space, path in _scripted(touched, prefixes):
        blob = touched.snapshot.head.blob(path)
        wanted = blob and any(each in blob.data for each in mentions)
        if blob and wanted and scenario in ("", space.scenario):
            yield from _points(touched, space, path, blob, given)


def points_in(touched: Changes, space: SearchSpace) -> tuple[ScriptPoint, ...]:
    """Return the points of a single-node search-space entry, whether it is touched or not."""
    tree = touched.snapshot.head
    path = script_of(space.entry, space, tree, touched.layout)
    blob = tree.blob(path) if path else None
    return _points(touched, space, path, blob, _MEASURED) if path and blob else ()


@once
def _scripted(touched: Changes, prefixes: frozenset[str]) -> tuple[tuple[SearchSpace, str], ...]:
    """Return the search-space entries to follow, each with its script."""
    return tuple(_wanted(touched, prefixes))


def _wanted(touched: Changes, prefixes: frozenset[str]) -> Iterator[tuple[SearchSpace, str]]:
    tree, layout = touched.snapshot.head, touched.layout
    names = tuple(basename(path) for path in touched.scripts)
    starts = {name.partition("_")[0] for name in names}
    changed = {entry.key for entry in touched.entries}
    for entry in config_entries(tree, layout).values():
        if not (prefixes or entry.key in changed or any(map(entry.may_hold, starts))):
            continue
        prefix, precision = entry.node.str("model-prefix"), entry.node.str("precision")
        if entry.node.get("multinode") is True or not (prefix and precision and sku_of(entry)):
            continue
        near = any(name.startswith(f"{prefix}_{precision}_{sku_of(entry)}") for name in names)
        wanted = prefix in prefixes
        for space in entry.search_spaces:
            new = space in touched.spaces
            path = script_of(entry, space, tree, layout) if near or wanted or new else None
            if path and (wanted or new or path in touched.scripts):
                yield space, path


def script_arms(
    touched: Changes, *, prefixes: frozenset[str] = frozenset(), scenario: str = ""
) -> Iterator[ScriptArm]:
    """Return the servers of the points, each with the facts that its place is judged by."""
    for point in script_points(touched, prefixes=prefixes, scenario=scenario):
        for each in point.servers:
            yield ScriptArm(point.use, point.path, (each.speculation,))


@once
def _points(
    _touched: Changes,
    space: SearchSpace,
    path: str,
    blob: Blob,
    given: tuple[tuple[str, str], ...],
) -> tuple[ScriptPoint, ...]:
    evaluation = ("EVAL_ONLY", "true") in given
    use = Use(space.entry, space, RecipeReference(path, space.line, evaluation))
    found = []
    for concurrency in followed_concurrencies(space, blob):
        point = {**environment_of(space.entry, space, concurrency), **dict(given)}
        commands = _started(blob, environment(blob, point))
        if commands is not None:
            found.append(ScriptPoint(use, path, concurrency, *commands))
    return tuple(found)


def followed_concurrencies(space: SearchSpace, *blobs: Blob) -> tuple[int, ...]:
    """Return the concurrencies to follow scripts at: the first one where none asks about it."""
    return space.concurrencies[: MOST_POINTS if any(map(_branches, blobs)) else 1]


@lru_cache(maxsize=128)
def _branches(blob: Blob) -> bool:
    """Tell whether what a script starts may depend on the concurrency."""
    script = read_script(blob)
    return script is not None and script.branches_on("CONC")


@lru_cache(maxsize=512)
def _started(
    blob: Blob, given: tuple[tuple[str, str], ...]
) -> tuple[tuple[Server, ...], tuple[Run, ...]] | None:
    runs = runs_of(blob, given)
    if runs is None:
        return None
    return servers(runs), tuple(run for run in runs if run.starts == CLIENT)


def environment_of(entry: ConfigEntry, space: SearchSpace, concurrency: int) -> Mapping[str, str]:
    """Return the variables that the workflow and the launcher set for a point."""
    node, top, backend = space.node, entry.node, space.node.map("kv-offload-backend")
    values = {
        "MODEL": top.get("model"),
        "MODEL_PREFIX": top.get("model-prefix"),
        "IMAGE": top.get("image"),
        "FRAMEWORK": top.get("framework"),
        "PRECISION": top.get("precision"),
        "TP": node.get("tp"),
        "PP_SIZE": node.get("pp", 1),
        "DCP_SIZE": node.get("dcp-size", 1),
        "PCP_SIZE": node.get("pcp-size", 1),
        "EP_SIZE": node.get("ep", 1),
        "DP_ATTENTION": node.get("dp-attn", False),
        "CONC": concurrency,
        "SPEC_DECODING": node.get("spec-decoding", "none"),
        "ISL": space.block.get("isl"),
        "OSL": space.block.get("osl"),
        "KV_OFFLOADING": node.get("kv-offloading", "none" if space.agentic else ""),
        "KV_OFFLOAD_BACKEND": backend.get("name") if backend else "",
        "IS_AGENTIC": int(space.agentic),
        "SCENARIO_TYPE": space.scenario,
        "SCENARIO_SUBDIR": f"{FOLDERS[space.scenario]}/" if space.scenario in FOLDERS else None,
        "DISAGG": False,
        "RUNNER_TYPE": top.get("runner"),
    }
    return {name: _written(value) for name, value in values.items() if value is not None}


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
