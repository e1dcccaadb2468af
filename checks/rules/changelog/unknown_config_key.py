"""A new changelog entry names a config key that no master config has.

What it does
    Looks up each config key and wildcard of the new entries in the master configs at head.

Why it matters
    The sweep is planned from these keys; one that matches nothing stops the planning, and nothing
    of the pull request is measured.

Example
    ``toy-fp8-b300-sglang-mpt`` where the master config has ``toy-fp8-b300-sglang-mtp``.

Use instead
    The key as it stands in the master config, or a wildcard that matches it.

Exceptions
    Entries that were there before: their keys may be retired.

References
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/utils/process_changelog.py
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from checks.limit import limited
from checks.model import Evidence, Observation, Severity, Snapshot, Suggestion
from checks.parse.changelog import Entry, Item
from checks.parse.changelog_change import ChangelogChange, changelog_change
from checks.parse.changelog_file import Changelog
from checks.parse.changelog_repair import replace_item
from checks.parse.config_changes import readable
from checks.parse.config_entry import ConfigEntry
from checks.parse.coverage import is_known, meant
from checks.parse.master_config import config_entries
from checks.policy import Policy
from checks.registry import rule
from checks.text import Text, text

MOST_FOUND = 50


@rule(Severity.BLOCKING, family="changelog-unknown-key")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Look up the config keys of new entries."""
    change = changelog_change(snapshot, policy)
    layout = policy.layout(snapshot.head)
    if change is None or layout is None or not readable(snapshot.head, layout):
        return
    known, before = config_entries(snapshot.head, layout), _before(snapshot, policy)
    found = (
        _observation(change, entry, item, known, before)
        for entry in change.new
        for item in entry.config_keys
        if not is_known(item.value, known)
    )
    yield from limited(found, MOST_FOUND)


def _before(snapshot: Snapshot, policy: Policy) -> Mapping[str, ConfigEntry]:
    layout = policy.layout(snapshot.base)
    return config_entries(snapshot.base, layout) if layout else {}


def _observation(
    change: ChangelogChange,
    entry: Entry,
    item: Item,
    known: Mapping[str, ConfigEntry],
    before: Mapping[str, ConfigEntry],
) -> Observation:
    assert change.head is not None
    removed = item.value in before
    close = None if removed else meant(item.value, known)
    return Observation(
        path=change.path,
        line=item.line,
        end_line=item.end_line,
        title=text("The config key does not exist"),
        message=_message(item.value, close, removed=removed),
        anchor=(*change.identity(entry), item.value),
        evidence=(_evidence(known[close]),) if close else (),
        suggestion=_mended(change.head, entry, item, close) if close else None,
    )


def _mended(changelog: Changelog, entry: Entry, item: Item, close: str) -> Suggestion | None:
    """Return the edit that writes the key that is meant, or drops the line if it is named."""
    edit = replace_item(changelog, item, close)
    named = any(each.value == close for each in entry.config_keys)
    row = changelog.lines[item.line - 1].decode("utf-8", "surrogateescape")
    alone = (row[: item.column].strip(), row[item.end_column :].strip()) == ("-", "")
    return replace(edit, replacement="") if edit and named and alone else edit


def _message(key: str, close: str | None, *, removed: bool) -> Text:
    if "*" in key:
        return text("The wildcard {key} matches no config key of the master configs.", key=key)
    if removed:
        return text(
            "This pull request removes the config key {key}, so its entry cannot name it: only "
            "keys that can run are named.",
            key=key,
        )
    if close is None:
        return text("No master config has the config key {key}.", key=key)
    return text("No master config has {key}; the closest is {close}.", key=key, close=close)


def _evidence(entry: ConfigEntry) -> Evidence:
    return Evidence(entry.path, entry.key_line, f"{entry.key}:")
