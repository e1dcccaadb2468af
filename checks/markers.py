"""Hidden marks by which Referee finds its own words again on GitHub.

They are believed only in comments that GitHub says our App wrote. GitHub holds the published
state, so a lost database costs nothing.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

STICKY = "<!-- referee:sticky -->"
# At worst each has a commit of its own, and takes 68 of a comment's 65,536 characters.
MAX_OPEN = 500
MAX_FIXED = 250
_RUNS, _RUNS_END = "<!-- referee:runs -->", "<!-- referee:runs-end -->"
_FINDING = re.compile(
    r"<!-- referee:finding rule=([a-z0-9/-]+) fingerprint=([0-9a-f]{16})"
    r" head=([0-9a-f]{40}) state=(open|fixed) -->"
)
_STATE = re.compile(r"<!-- referee:state (\{[0-9a-f\"{}\[\]:, a-z]*\}) -->")


@dataclass(frozen=True, slots=True)
class RunsPart:
    """The part of the sticky comment about runs, which is written more often than the rest."""

    text: str = ""

    def __str__(self) -> str:
        return f"{_RUNS}\n{self.text}\n{_RUNS_END}"


def read_runs(body: str) -> RunsPart | None:
    """Return the part of a sticky comment of ours about runs; None if it has none."""
    _, start, rest = body.partition(f"{_RUNS}\n")
    found, end, _ = rest.partition(f"\n{_RUNS_END}")
    return RunsPart(found) if start and end else None


@dataclass(frozen=True, slots=True)
class FindingMarker:
    """Which finding a review comment is about. ``head`` is the commit it was first said at."""

    rule: str
    fingerprint: str
    head: str
    fixed: bool = False

    def __str__(self) -> str:
        state = "fixed" if self.fixed else "open"
        return (
            f"<!-- referee:finding rule={self.rule} fingerprint={self.fingerprint}"
            f" head={self.head} state={state} -->"
        )


def read_finding(body: str) -> FindingMarker | None:
    """Return the marker that a comment of ours starts with, or None."""
    match = _FINDING.match(body)
    if match is None:
        return None
    rule, fingerprint, head, state = match.groups()
    return FindingMarker(rule, fingerprint, head, state == "fixed")


@dataclass(frozen=True, slots=True)
class Memory:
    """What earlier reviews said: fingerprint -> commit it was first said at, or fixed in."""

    open: Mapping[str, str] = field(default_factory=dict)
    fixed: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        content = {"fixed": _by_head(self.fixed, MAX_FIXED), "open": _by_head(self.open, MAX_OPEN)}
        return f"<!-- referee:state {json.dumps(content, sort_keys=True)} -->"


def _by_head(seen: Mapping[str, str], most: int) -> dict[str, list[str]]:
    grouped: dict[str, list[str]] = {}
    for fingerprint, head in sorted(seen.items())[:most]:
        grouped.setdefault(head, []).append(fingerprint)
    return grouped


def read_memory(body: str) -> Memory:
    """Return the memory in a sticky comment of ours; empty if it has none or it was damaged."""
    states = _STATE.findall(body)
    if not states:
        return Memory()
    try:
        content = json.loads(states[-1])  # what is quoted stands before our own
        return Memory(_flat(content["open"]), _flat(content["fixed"]))
    except (ValueError, KeyError, TypeError, AttributeError):
        return Memory()


def _flat(grouped: Mapping[str, list[str]]) -> dict[str, str]:
    return {str(each): str(head) for head, all_ in grouped.items() for each in all_}
