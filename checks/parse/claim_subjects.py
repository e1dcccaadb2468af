"""What claims are about: new changelog entries, or all of a pull request, with what is run."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from checks.model import Evidence, Snapshot, Suggestion
from checks.parse.arms import Changes, Use, changes
from checks.parse.changelog import Entry, Item
from checks.parse.changelog_change import changelog_change, new_entries
from checks.parse.claims import ConcurrencyClaim
from checks.parse.config_entry import ConfigEntry, SearchSpace
from checks.parse.edit import replace_text
from checks.parse.image import normal, read_image
from checks.parse.master_config import config_entries
from checks.parse.quote import line_of, quote
from checks.parse.script_points import points_in
from checks.parse.speculation import Speculation, container
from checks.policy import Policy

MOST_SHOWN = 4


@dataclass(frozen=True, eq=False)
class Runs:
    """Config keys at head and the search spaces that a claim may be about."""

    snapshot: Snapshot = field(repr=False)
    touched: Changes = field(repr=False)
    named: tuple[ConfigEntry, ...]
    spaces: tuple[SearchSpace, ...]

    def concurrency_evidence(self, spaces: tuple[SearchSpace, ...]) -> tuple[Evidence, ...]:
        """Return the lines that set the concurrencies of search-space entries."""
        shown = dict.fromkeys((s.entry.path, s.concurrency_line) for s in spaces)
        return tuple(quote(self.snapshot.head, *place) for place in list(shown)[:MOST_SHOWN])

    def facts(self, kind: str) -> dict[str, Evidence]:
        """Return what the recipes and scripts say, value -> place.

        {} when one that drafts tokens does not say it. ``kind`` is that of a `NumberClaim`.
        """
        found: dict[str, Evidence] = {}
        for space in (space for space in self.spaces if space.speculative):
            said = [_said(*place, kind) for place in self._drafting(space)]
            if not said or None in said:
                return {}
            for value, evidence in filter(None, said):
                found.setdefault(value, evidence)
        return found

    def _drafting(self, space: SearchSpace) -> list[tuple[Use, str, Speculation]]:
        """Return each role or server of a search-space entry that may draft tokens."""
        arms = [a for a in self.touched.arms_in(space) if not a.use.reference.evaluation]
        roles = ((arm, found) for arm in arms for found in arm.speculations)
        points = () if arms else points_in(self.touched, space)
        return [(arm.use, arm.path, found) for arm, found in roles if found.role.generates] + [
            (point.use, point.path, server.speculation)
            for point in points
            for server in point.servers
            if server.drafts is not False
        ]

    @cached_property
    def before(self) -> tuple[ConfigEntry, ...]:
        """Return the same config keys at base."""
        known = config_entries(self.snapshot.base, self.touched.layout)
        return tuple(known[entry.key] for entry in self.named if entry.key in known)

    @cached_property
    def images(self) -> frozenset[str]:
        """Return every image that the config keys run at head, or ran at base."""
        images = {normal(entry.image or "") for entry in (*self.named, *self.before)}
        arms = (arm for space in self.spaces for arm in self.touched.arms_in(space))
        named = (container(arm.variant) for arm in arms)
        settings = (s.value for space in self.spaces for s in space.settings)
        images |= {normal(each.value) for each in named if each} | set(map(normal, settings))
        return frozenset(images | {image.partition("@")[0] for image in images})

    def other_tag(self, claimed: str) -> ConfigEntry | None:
        """Return the first config key that runs another tag of an image that none runs."""
        wanted = read_image(claimed)
        for entry in self.named if wanted and normal(claimed) not in self.images else ():
            found = read_image(entry.image or "")
            if wanted and found and (found.host, found.path) == (wanted.host, wanted.path):
                shortened = (found.tag or "").startswith(wanted.tag or "")
                return None if shortened else entry
        return None


@dataclass(frozen=True, eq=False)
class Subject(Runs):
    """A new changelog entry, with the config keys that it names."""

    path: str
    entry: Entry
    identity: str  # what tells it from the others; not by all of its keys, which a fix may add to

    def place(self, item: Item, written: str) -> int:
        """Return the line of an item at which a text stands, its first when that is not sure."""
        tree, lines = self.snapshot.head, range(item.line, item.end_line + 1)
        found = [n for n in lines if written in (line_of(tree, self.path, n) or "")]
        return found[0] if len(found) == 1 else item.line

    def edit(self, item: Item, old: str, new: str) -> Suggestion | None:
        """Return the edit of a text that stands once in its line."""
        return replace_text(self.snapshot.head, self.path, self.place(item, old), old, new)


def _said(use: Use, path: str, found: Speculation, kind: str) -> tuple[str, Evidence] | None:
    """Return a length with its place, None where it is not said."""
    fact = found.tokens if kind == "draft tokens" else found.length
    if kind != "draft tokens" and (injected := use.injected):
        shown = f"{injected.name}={injected.value}"
        return injected.value, Evidence(use.entry.path, injected.line, shown)
    if fact is None:
        return None
    value = fact.value if kind == "draft tokens" or not found.bonus else str(found.simulated)
    return value, Evidence(path, fact.line, f"{fact.name}: {fact.value}")


def subjects(snapshot: Snapshot, policy: Policy) -> Iterator[Subject]:
    """Return the new entries that name config keys of which every concurrency is known."""
    touched = changes(snapshot, policy)
    change = changelog_change(snapshot, policy) if touched else None
    if touched is None or change is None or not change.new:
        return
    known = config_entries(snapshot.head, touched.layout)
    for entry in change.new:
        name, place = change.identity(entry)
        identity = name if place == "0" else f"{name} {place}"
        named = tuple(each for key, each in known.items() if entry.names(key))
        scenarios = entry.scenario_types
        spaces = tuple(s for each in named for s in each.search_spaces if s.scenario in scenarios)
        if spaces and all(space.concurrencies for space in spaces):
            path = touched.layout.changelog
            yield Subject(snapshot, touched, named, spaces, path, entry, identity)


def whole_change(snapshot: Snapshot, policy: Policy) -> Runs | None:
    """Return all that the new entries name and the pull request changes; None if not all is known.

    A claim about the pull request as a whole may be about any of it. Entries that name nothing
    that exists have a rule of their own.
    """
    found = tuple(subjects(snapshot, policy))
    if not found:
        return None
    touched = found[0].touched
    keys = config_entries(snapshot.head, touched.layout)
    if sum(any(map(x.names, keys)) for x in new_entries(snapshot, policy)) > len(found):
        return None
    named = dict.fromkeys(entry for subject in found for entry in subject.named)
    named |= dict.fromkeys(touched.entries)
    spaces = tuple(space for entry in named for space in entry.search_spaces)
    if not all(space.concurrencies for space in spaces):
        return None
    return Runs(snapshot, touched, tuple(named), spaces)


def arms_meant(claim: ConcurrencyClaim, spaces: tuple[SearchSpace, ...]) -> tuple[SearchSpace, ...]:
    """Return the search-space entries that a claim is about: all, unless a label picks some."""
    picked = tuple(s for s in spaces if claim.arm and _fits(s, *claim.arm))
    return picked or spaces


def _fits(space: SearchSpace, label: str, size: int) -> bool:
    node = space.node
    attention, experts = node.get("dp-attn") is True, node.get("ep") or 1
    if label == "TP":
        return node.get("tp") == size and not attention
    if label == "DEP":
        return attention and size in (node.get("tp"), experts)
    return node.get("tp") == size and experts == size and not attention


def concurrencies(spaces: tuple[SearchSpace, ...]) -> tuple[int, ...]:
    """Return the concurrencies of search-space entries together, ascending."""
    return tuple(sorted({value for space in spaces for value in space.concurrencies}))
