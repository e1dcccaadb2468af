"""The benchmark matrix of a revision: every job that its master configs stand for."""

import fnmatch
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from checks.matrix.dialect import Dialect, dialect_of
from checks.matrix.nodes import Recipes
from checks.matrix.problem import Problem
from checks.matrix.rows import Content, Row, expansion
from checks.matrix.runners import runners_of
from checks.matrix.selection import Evals, selected
from checks.model import Tree
from checks.parse.config_entry import ConfigEntry
from checks.parse.master_config import config_entries, masters, read_master
from checks.parse.recipe import recipe_paths
from checks.policy import Layout
from checks.text import text

MOST_DUPLICATES = 1_000  # of a master config; more are as easily made as they are useless


@dataclass(frozen=True, slots=True)
class Matrix:
    """What can be generated at one revision.

    Attributes:
        entries: the config keys.
        dialect: the rules of the revision.
        rows: the rows of each config key before any evaluation is chosen, in the masters' order.
        problems: what is wrong, each at its line.

    """

    entries: Mapping[str, ConfigEntry]
    dialect: Dialect
    rows: Mapping[str, tuple[Row, ...]]
    problems: tuple[Problem, ...] = ()

    def jobs(self, config_keys: Iterable[str], evals: Evals = "default") -> list[Row]:
        """Return the jobs of some config keys, as the generator makes them in one run."""
        rows = [row for key in config_keys for row in self.rows.get(key, ())]
        return selected(rows, self.dialect, evals)

    def problems_by_key(self) -> Iterator[tuple[str, Problem]]:
        """Return each problem with the config key whose lines it is in, "" for none."""
        places: dict[str, list[ConfigEntry]] = {}
        for entry in self.entries.values():
            places.setdefault(entry.path, []).append(entry)
        for problem in self.problems:
            before = places.get(problem.path, [])
            at = bisect_right(before, problem.line or 0, key=lambda entry: entry.key_line)
            yield before[at - 1].key if at else "", problem


def matrix(tree: Tree, layout: Layout, dialect: Dialect | None = None) -> Matrix:
    """Return the matrix of a revision; never raises: see `Matrix.problems`.

    ``dialect`` replaces the revision's own rules, to compare it with another revision.
    """
    entries, dialect = config_entries(tree, layout), dialect or dialect_of(tree, layout)
    runners = runners_of(tree, layout)
    problems = [*_unreadable(tree, layout), *runners.problems]
    rows, expanded = {}, expansion(runners, dialect)
    for key, entry in entries.items():
        recipes = _recipes(tree, layout, entry) if dialect.node_count else ()
        found = expanded(Content(entry.node), recipes)
        rows[key] = found.rows
        for each in found.defects:
            line = entry.line(each.mark) if each.mark else entry.key_line
            problems.append(Problem(entry.path, line, each.what, each.fatal, each.renamed))
    return Matrix(entries, dialect, rows, tuple(problems))


def _unreadable(tree: Tree, layout: Layout) -> Iterator[Problem]:
    owners: dict[str, str] = {}
    for path, blob in masters(tree, layout):
        master = read_master(path, blob)
        if master.error:
            yield Problem(path, master.error.line, master.error.reason)
        for key, line in master.duplicates[:MOST_DUPLICATES]:
            yield Problem(path, line, text("{key} is given twice; keep one.", key=key))
        for key, entry in master.entries.items():
            if "*" in key:
                what = text("{key} holds a wildcard; only changelog entries may.", key=key)
                yield Problem(path, entry.key_line, what)
            if owners.setdefault(key, path) != path:
                what = text("{key} is also in {file}; keep one.", key=key, file=owners[key])
                yield Problem(path, entry.key_line, what)


def _recipes(tree: Tree, layout: Layout, entry: ConfigEntry) -> Recipes:
    """Return the recipes that a multi-node config key names; external ones have no file."""
    if entry.node.get("multinode") is not True:
        return ()
    roots = {start: root for start, root in layout.recipe_roots.items() if start}
    spaces = entry.search_spaces
    named = dict.fromkeys(x.reference for s in spaces for x in s.references if not x.evaluation)
    found = ((name, (tree.blob(p) for p in recipe_paths(name, roots))) for name in named)
    return tuple((name, next(filter(None, blobs), None)) for name, blobs in found)


def matching(keys: Iterable[str], patterns: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the config keys that patterns with ``*`` and ``?`` name, and the patterns that miss.

    No pattern names every config key.
    """
    known = list(keys)
    if not patterns:
        return known, []
    found: dict[str, None] = {}
    missed = []
    for pattern in patterns:
        hits = fnmatch.filter(known, pattern) if set(pattern) & set("*?") else []
        hits = hits or [key for key in known if key == pattern]
        found |= dict.fromkeys(hits)
        missed += [] if hits else [pattern]
    return list(found), missed
