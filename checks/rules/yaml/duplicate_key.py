"""A setting stands twice in one place, and only the last one counts.

What it does
    Looks for keys that stand twice in one mapping: in changed recipes and golden curves, and in
    config keys that are new or changed.

Why it matters
    YAML readers take the last value without a word. Whoever reads or edits the first one believes
    in a setting that has no effect.

Example
    ``moe-runner-backend: cutlass`` and, some lines below, ``moe-runner-backend: trtllm``.

Use instead
    One line with the value that is meant.

Exceptions
    The same value twice, and what the base has already, get a note. A config key that stands twice
    in a master config belongs to ``master-config/schema``, and the fields of a changelog entry to
    ``changelog/schema``.

References
    https://yaml.org/spec/1.1/#id861060
    https://pyyaml.org/wiki/PyYAMLDocumentation
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from checks.limit import limited
from checks.model import Blob, Observation, Severity, Snapshot, Suggestion
from checks.parse.arms import Changes, changes
from checks.parse.config_entry import ConfigEntry
from checks.parse.duplicates import Place, duplicates
from checks.parse.master_config import config_entries
from checks.parse.quote import line_of, quote
from checks.parse.recipe import content_of
from checks.parse.yaml import Duplicate, YamlError
from checks.policy import Policy
from checks.registry import rule
from checks.text import text

MOST_FOUND = 100


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a file; its marks count from ``row``, and the base's version may be None."""

    path: str
    row: int
    place: Place
    content: Any
    before: Any


@rule(Severity.WARNING, family="config-schema")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Report keys of changed files and config keys that stand twice in one mapping."""
    touched = changes(snapshot, policy)
    if touched is not None:
        yield from limited(_observed(snapshot, touched), MOST_FOUND)


def _observed(snapshot: Snapshot, touched: Changes) -> Iterator[Observation]:
    for part in (*_entries(touched), *_files(touched)):
        twice = duplicates(part.content)
        old = {(place, each.key) for place, each in duplicates(part.before if twice else None)}
        for place, found in twice:
            known = (place, found.key) in old
            yield _observation(snapshot, part, place, found, mild=known or found.equal)


def _entries(touched: Changes) -> Iterator[_Part]:
    """Return the config keys whose bytes differ: a value that stands twice may change nothing."""
    trees = touched.snapshot.base, touched.snapshot.head
    before, after = (config_entries(tree, touched.layout) for tree in trees)
    for entry in after.values():
        old = before.get(entry.key)
        if touched.snapshot.changed(entry.path) and (old is None or not _is_same(old, entry)):
            node = old.node if old else None
            yield _Part(entry.path, entry.first_row, (entry.key,), entry.node, node)


def _is_same(old: ConfigEntry, new: ConfigEntry) -> bool:
    return old.part is not None and old.part == new.part


def _files(touched: Changes) -> Iterator[_Part]:
    snapshot = touched.snapshot
    for path in sorted(touched.recipes | touched.curves):
        changed = snapshot.changed(path)
        before = snapshot.base.blob(changed.base_path) if changed else None
        yield _Part(path, 0, (), _read(snapshot.head.blob(path)), _read(before))


def _read(blob: Blob | None) -> Any:
    """Return what a file holds; a file that cannot be read belongs to ``yaml/unreadable``."""
    content = content_of(blob) if blob else None
    return None if isinstance(content, YamlError) else content


def _observation(
    snapshot: Snapshot, part: _Part, place: Place, found: Duplicate, *, mild: bool
) -> Observation:
    line, first = (part.row + mark.row + 1 for mark in (found.mark, found.before))
    key = str(found.key)
    return Observation(
        part.path,
        line,
        text("A setting stands here twice"),
        text(
            "{key} stands on line {first} already, and only the last one counts: what line "
            "{first} says has no effect. Keep one of them.",
            key=key,
            first=first,
        ),
        (*part.place, *place, key),
        evidence=(quote(snapshot.head, part.path, first), quote(snapshot.head, part.path, line)),
        suggestion=_dropped(snapshot, part.path, line, found) if found.equal else None,
        severity=Severity.NOTE if mild else None,
    )


def _dropped(snapshot: Snapshot, path: str, line: int, found: Duplicate) -> Suggestion | None:
    """Return the edit that deletes the second line, where nothing else stands on it."""
    content, key, value = line_of(snapshot.head, path, line) or "", found.mark, found.value
    alone = not content[: key.column].strip() and key.row == value.row == value.end_row
    behind = content[value.end_column :].strip()
    return Suggestion(line, line, "") if alone and behind[:1] in ("", "#") else None
