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

from collections.abc import Iterator

from checks.model import Observation, Severity, Snapshot
from checks.parse.arms import changes
from checks.parse.master_config import ConfigEntry, Setting, config_entries
from checks.parse.quote import quote
from checks.policy import Policy
from checks.registry import rule
from checks.text import text


@rule(Severity.BLOCKING, family="config-schema")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Look for retired settings that a config key did not have before."""
    touched = changes(snapshot, policy)
    if touched is None or not touched.layout.retired_settings:
        return
    before = config_entries(snapshot.base, touched.layout)
    for entry in touched.entries:
        old = {(each.name, each.value) for each in _settings(before.get(entry.key))}
        found: dict[tuple[str, str], list[int]] = {}
        for setting in _settings(entry):
            if setting.name in touched.layout.retired_settings:
                found.setdefault((setting.name, setting.value), []).append(setting.line)
        for (name, value), lines in found.items():
            if (name, value) not in old:
                field = touched.layout.retired_settings[name]
                yield _observation(snapshot, entry, (name, value, field), lines)


def _settings(entry: ConfigEntry | None) -> Iterator[Setting]:
    return (each for space in (entry.search_spaces if entry else ()) for each in space.settings)


def _observation(
    snapshot: Snapshot, entry: ConfigEntry, setting: tuple[str, str, str], lines: list[int]
) -> Observation:
    name, value, field = setting
    written = f"{field}: {value}"
    return Observation(
        entry.path,
        lines[0],
        text("The recipe is named in a setting that was retired"),
        text(
            "{key} names its recipe in {setting}, which is refused now. Write {field} beside the "
            "workers of the search-space entry instead.",
            key=entry.key,
            setting=name,
            field=written,
        ),
        (entry.key, name, value),
        evidence=tuple(quote(snapshot.head, entry.path, line) for line in dict.fromkeys(lines)),
    )
