"""Benchmark scripts: which config keys run one, and whether its commands differ.

The launchers (``runners/launch_*.sh``) compose a script's name from the fields of a master entry.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from enum import IntEnum
from functools import lru_cache
from posixpath import basename, dirname

from checks.model import Blob, Tree
from checks.parse.config_entry import ConfigEntry, SearchSpace
from checks.parse.hardware import sku_of
from checks.policy import Layout

# Launchers of these take no framework into the name.
_PLAIN = frozenset({"h100", "mi300x", "mi325x"})
# Machines whose launchers compose the name of a script as this file does.
HARDWARE = _PLAIN | {"h200", "b200", "b300", "mi355x", "rtx6000pro"}
_LEGACY = {"trt": "_trt", "atom": "_atom"}
# Some of these machines run the older name even where there is a newer one.
_BOTH = frozenset({"h200"})
_FIXED = "fixed-seq-len"
FOLDERS = {"agentic-coding": "agentic", _FIXED: "fixed_seq_len"}
# Until June 2026, scripts of fixed lengths stood here, beside the folder of the agentic ones.
_FLAT = "single_node"


def runs_script(entry: ConfigEntry, path: str, tree: Tree) -> Iterator[SearchSpace]:
    """Return the search-space entries in which a config key runs a script."""
    folder, name, stem = dirname(path), basename(path), _stem(entry)
    if stem is None or not name.startswith(stem):
        return
    for space in entry.search_spaces:
        if not _looks_in(folder, entry, space, tree):
            continue
        names = [x for x in _names(stem, entry, space) if tree.has(f"{folder}/{x}")]
        if name in (names if sku_of(entry) in _BOTH else names[:1]):
            yield space


def script_of(entry: ConfigEntry, space: SearchSpace, tree: Tree, layout: Layout) -> str | None:
    """Return the script that a single-node search-space entry runs, None when there is none."""
    places = searched(entry, space, layout)
    if found := next((path for path in places if tree.has(path)), None):
        return found
    # Where no folder is kept for them, they stand above it.
    above = (f"{dirname(dirname(p))}/{basename(p)}" for p in places if space.scenario == _FIXED)
    flat = next((path for path in above if tree.has(path)), None)
    return flat if flat and not _keeps_folder(tree, dirname(flat)) else None


def searched(entry: ConfigEntry, space: SearchSpace, layout: Layout) -> tuple[str, ...]:
    """Return where the launcher looks for the script of a single-node search-space entry.

    () for what runs no script: several nodes, a recipe, or an entry without the fields of a name.
    """
    stem, folder = _stem(entry), FOLDERS.get(space.scenario)
    if entry.node.get("multinode") is True or space.references or not (stem and folder):
        return ()
    roots = [glob.partition("**")[0] for glob in layout.scripts if "single_node/**" in glob]
    names = dict.fromkeys(_names(stem, entry, space))
    return tuple(f"{root}{folder}/{name}" for root in roots for name in names)


def _looks_in(folder: str, entry: ConfigEntry, space: SearchSpace, tree: Tree) -> bool:
    """Tell whether the launcher looks for the script of a search-space entry in a folder."""
    name, wanted = basename(folder), _folder(entry, space)
    flat = name == _FLAT and wanted == FOLDERS[_FIXED]
    return name == wanted or (flat and not _keeps_folder(tree, folder))


def _keeps_folder(tree: Tree, above: str) -> bool:
    """Tell whether a tree keeps a folder for the scripts of fixed lengths."""
    start, paths = f"{above}/{FOLDERS[_FIXED]}/", tree.paths()
    at = bisect_left(paths, start)
    return at < len(paths) and paths[at].startswith(start)


def _folder(entry: ConfigEntry, space: SearchSpace) -> str:
    if entry.node.get("multinode") is not True:
        return FOLDERS.get(space.scenario, "")
    return "agentic" if space.agentic else "multi_node"


def _stem(entry: ConfigEntry) -> str | None:
    node = entry.node
    prefix, precision, hardware = node.str("model-prefix"), node.str("precision"), sku_of(entry)
    return f"{prefix}_{precision}_{hardware}" if prefix and precision and hardware else None


def _names(stem: str, entry: ConfigEntry, space: SearchSpace) -> tuple[str, ...]:
    """Return what the script may be called, in the order in which the launcher looks."""
    node, hardware = entry.node, sku_of(entry)
    framework = node.str("framework") or ""
    if node.get("multinode") is True:
        return (f"{stem}_{framework}.sh", f"{stem}_{framework}-disagg.sh")
    ending = ("_mtp" if space.node.get("spec-decoding") == "mtp" else "") + ".sh"
    if hardware in _PLAIN:
        return (stem + ending,)
    return (f"{stem}_{framework}{ending}", f"{stem}{_LEGACY.get(framework, '')}{ending}")


class Difference(IntEnum):
    """What a change of a script touches, at most."""

    NOTHING = 0
    EVALUATION = 1
    CLIENT = 2
    SERVER = 3


_ASKING = re.compile(rb"^[ \t]*check_env_vars\b(?:[^\n\\]|\\[^\n]|\\\n)*", re.MULTILINE)
_SYNTAX = rb"if|then|else|fi|do|done|esac|;;|\{|\}"
_EVALUATION = re.compile(rb".*(?:EVAL|run_eval).*|" + _SYNTAX)
_CLIENT = re.compile(
    rb".*(?:AIPERF_|EVAL|run_eval|build_replay_cmd|run_agentic_replay).*|" + _SYNTAX
)


@lru_cache(maxsize=128)
def difference(base: Blob, head: Blob) -> Difference:
    """Compare the commands of two versions of a script, line by line.

    Comments, blank lines and which variables are asked for are nothing.
    """
    before, after = _commands(base), _commands(head)
    if before == after:
        return Difference.NOTHING
    old, new = Counter(before), Counter(after)
    lines = (old - new) + (new - old)
    if lines and all(map(_EVALUATION.fullmatch, lines)):
        return Difference.EVALUATION
    client = lines and all(map(_CLIENT.fullmatch, lines))
    return Difference.CLIENT if client else Difference.SERVER


def _commands(blob: Blob) -> list[bytes]:
    lines = (line.strip() for line in _ASKING.sub(b"", blob.data).split(b"\n"))
    return [line for line in lines if line and not line.startswith(b"#")]
