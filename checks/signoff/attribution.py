"""Changed files of which nobody can tell which points they reach."""

from collections.abc import Iterable, Iterator

from checks.model import Snapshot
from checks.parse.master_config import config_entries
from checks.parse.scripts import runs_script
from checks.policy import Policy
from checks.signoff.facts import Kind, OwnFile

# Rules follow these, or they run nothing.
_KNOWN = frozenset(
    {Kind.CHANGELOG, Kind.MASTER, Kind.RECIPE, Kind.GOLDEN, Kind.MODELS, Kind.WAIVER}
)


def unattributed(files: Iterable[OwnFile], snapshot: Snapshot, policy: Policy) -> Iterator[str]:
    """Yield the changed files that may reach any point: launchers, libraries, odd scripts.

    A new script reaches nothing that is measured already, and a page of Markdown nothing at all.
    """
    layout = policy.layout(snapshot.base)
    entries = config_entries(snapshot.base, layout).values() if layout else ()
    for file in files:
        path = file.old_path or file.path
        if file.kind in _KNOWN or path.endswith(".md"):
            continue
        if file.kind is Kind.SCRIPT and not file.print.base:
            continue
        if not any(next(runs_script(entry, path, snapshot.base), None) for entry in entries):
            yield file.path
