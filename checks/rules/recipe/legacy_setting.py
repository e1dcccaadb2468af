"""A recipe is named in a worker's settings, where it is not read any more.

What it does
    In layouts whose recipes are chosen by a field of the search space, looks for the settings that
    did so before (``CONFIG_FILE`` and its like) and that the config key did not have at the base.

Why it matters
    The matrix cannot be generated: the field has replaced the setting, and the generator refuses
    it.

Example
    ``additional-settings: ["CONFIG_FILE=recipes/vllm/toy/agg.yaml"]``

Use instead
    ``srt-recipe: recipes/vllm/toy/agg.yaml`` beside the workers.

Exceptions
    The layout of summer 2026, and settings that were there before.

References
    https://github.com/SemiAnalysisAI/InferenceX/tree/main/inferencex-e2e/configs
"""

import re
from collections.abc import Iterator

from checks.model import Observation, Severity, Snapshot, Suggestion, Tree
from checks.parse.arms import changes
from checks.parse.config_entry import WORKERS, ConfigEntry, SearchSpace, Setting
from checks.parse.master_config import config_entries
from checks.parse.quote import line_of, quote
from checks.parse.yaml import Map
from checks.policy import Policy
from checks.registry import rule
from checks.text import text


@rule(Severity.BLOCKING, family="config-schema", excused="ruled out")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Look for retired settings that a config key did not have before."""
    touched = changes(snapshot, policy)
    if touched is None or not touched.layout.retired_settings:
        return
    before = config_entries(snapshot.base, touched.layout)
    for entry in touched.entries:
        old = {(each.name, each.value) for _, each in _settings(before.get(entry.key))}
        found: dict[tuple[str, str], list[tuple[SearchSpace, Setting]]] = {}
        for space, setting in _settings(entry):
            if setting.name in touched.layout.retired_settings:
                found.setdefault((setting.name, setting.value), []).append((space, setting))
        for (name, value), places in found.items():
            if (name, value) not in old:
                yield _observation(snapshot, touched.layout.retired_settings[name], places)


def _settings(entry: ConfigEntry | None) -> Iterator[tuple[SearchSpace, Setting]]:
    spaces = entry.search_spaces if entry else ()
    return ((space, each) for space in spaces for each in space.settings)


def _observation(
    snapshot: Snapshot, field: str, places: list[tuple[SearchSpace, Setting]]
) -> Observation:
    (space, setting), *others = places
    entry, lines = space.entry, dict.fromkeys(each.line for _, each in places)
    written = f"{field}: {setting.value}"
    return Observation(
        entry.path,
        setting.line,
        text("The recipe is named in a setting that was retired"),
        text(
            "{key} names its recipe in {setting}, which is refused now. Write {field} beside the "
            "workers of the search-space entry instead.",
            key=entry.key,
            setting=setting.name,
            field=written,
        ),
        (entry.key, setting.name, setting.value),
        evidence=tuple(quote(snapshot.head, entry.path, line) for line in lines),
        suggestion=None if others else _moved(snapshot.head, space, setting, field),
        config_key=entry.key,
    )


def _moved(tree: Tree, space: SearchSpace, setting: Setting, field: str) -> Suggestion | None:
    """Return the edit that writes the field above the worker that has the setting.

    None where the config names a folder for its recipes, and where not everything stands on a line
    of its own.
    """
    entry, worker = space.entry, _worker(space, setting)
    if worker is None or field in space.node or "srt-recipe-dir" in entry.node:
        return None
    listed = space.node[worker].key_marks["additional-settings"]
    first, list_line = entry.line(space.node.key_marks[worker]), entry.line(listed)
    lines = [line_of(tree, entry.path, each) or "" for each in range(first, setting.line + 1)]
    alone = len(space.node[worker]["additional-settings"]) == 1
    dropped = {setting.line - first, *([list_line - first] if alone else [])}
    forms = {0: rf"\s*{worker}:\s*(?:#.*)?\n", list_line - first: r"\s*additional-settings:\s*\n",
             setting.line - first: rf"\s*- ([\"']?){setting.name}=.*\1\s*\n"}  # fmt: skip
    if not all(re.fullmatch(form, lines[index]) for index, form in forms.items()):
        return None
    indent = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
    kept = [line for index, line in enumerate(lines) if index not in dropped]
    return Suggestion(first, setting.line, "".join([f"{indent}{field}: {setting.value}\n", *kept]))


def _worker(space: SearchSpace, setting: Setting) -> str | None:
    """Return the worker that has a setting."""
    for name in WORKERS:
        listed = (space.node.map(name) or Map()).seq("additional-settings")
        if listed and any(space.entry.line(m) == setting.line for _, m in listed.items()):
            return name
    return None
