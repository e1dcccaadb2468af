"""Which config keys the changelog entries of a pull request speak of."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import islice

from checks.model import Snapshot
from checks.once import once
from checks.parse.changelog import Entry
from checks.parse.changelog_change import ChangelogChange, changelog_change
from checks.parse.config_changes import readable
from checks.parse.config_entry import ConfigEntry
from checks.parse.likeliest import likeliest
from checks.parse.master_config import config_entries
from checks.parse.wildcard import matches_key
from checks.policy import Policy
from checks.record import Record

MOST_UNKNOWN = 50


class Coverage(Record):
    """What the changelog says of the config keys at head.

    Attributes:
        change: what the pull request did to the changelog, None for nothing.
        known: the config keys at head.
        new: the new entries.

    """

    change: ChangelogChange | None
    known: Mapping[str, ConfigEntry]
    new: tuple[Entry, ...]

    def naming(self, config_key: str) -> tuple[Entry, ...]:
        """Return the new entries that name a config key."""
        return tuple(entry for entry in self.new if entry.names(config_key))

    def means(self, config_key: str) -> bool:
        """Tell whether an entry speaks of a config key, if in a way that another rule reports.

        It is misspelt there, or an existing entry was edited or deleted instead of adding one.
        """
        if config_key in self._misspelt:
            return True
        return any(entry.names(config_key) for entry in self._all())

    @cached_property
    def _misspelt(self) -> frozenset[str | None]:
        """Return the config keys that the first unknown ones are most like."""
        items = (item.value for entry in self.new for item in entry.config_keys)
        unknown = (value for value in items if not is_known(value, self.known))
        return frozenset(meant(value, self.known) for value in islice(unknown, MOST_UNKNOWN))

    def _all(self) -> Iterator[Entry]:
        yield from self.new
        for edit in self.change.edits if self.change else ():
            yield from edit.run
            if edit.head is not None:
                yield edit.head


@once
def coverage(snapshot: Snapshot, policy: Policy) -> Coverage | None:
    """Return what the changelog says, None when that cannot be known.

    That is so without a layout, with an unreadable master config, with a merge conflict in the
    changelog, without a changelog at head, and with a new entry whose config keys cannot be read.
    """
    layout = policy.layout(snapshot.head)
    if layout is None or not readable(snapshot.head, layout):
        return None
    change = changelog_change(snapshot, policy)
    if change is not None and (change.conflicts or change.head is None):
        return None
    new = change.new if change else ()
    if any(not entry.config_keys for entry in new):
        return None
    return Coverage(change, config_entries(snapshot.head, layout), new)


def is_known(pattern: str, known: Mapping[str, ConfigEntry]) -> bool:
    """Tell whether a config key or wildcard matches any known config key."""
    if "*" not in pattern:
        return pattern in known
    return any(matches_key(pattern, key) for key in known)


def meant(config_key: str, known: Mapping[str, ConfigEntry]) -> str | None:
    """Return the known config key that a misspelt one is most like; None for a known one."""
    if config_key in known or "*" in config_key:
        return None
    return likeliest(config_key, known)
