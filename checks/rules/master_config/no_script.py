"""A single-node point has no script to run.

What it does
    For each single-node search-space entry that is new or changed, whose script the pull request
    removes or leaves behind, or whose config key changes what the script is called, looks for the
    script where the launcher looks: in the folder of the scenario, by model prefix, precision,
    hardware, framework and ``_mtp`` for speculative decoding.

Why it matters
    The job gets a machine, finds no script and fails.

Example
    An entry with ``spec-decoding: none``, and only a script whose name ends in ``_mtp.sh``.

Use instead
    Add the script, or drop the entry.

Exceptions
    Entries that run a recipe. Hardware whose launcher is not known. Trees that keep their scripts
    in other folders.

References
    https://github.com/SemiAnalysisAI/InferenceX/tree/main/runners
"""

from collections.abc import Iterable, Iterator

from checks.model import Observation, Severity, Snapshot, Status
from checks.parse.arms import Changes, changes
from checks.parse.config_entry import SearchSpace
from checks.parse.hardware import sku_of
from checks.parse.master_config import config_entries
from checks.parse.quote import quote
from checks.parse.scripts import HARDWARE, script_of, searched
from checks.paths import matches
from checks.policy import Policy
from checks.registry import rule
from checks.text import text


@rule(Severity.BLOCKING, family="config-schema", excused="ruled out")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Report single-node entries whose script does not exist."""
    touched = changes(snapshot, policy)
    if touched is None:
        return
    seen: set[tuple[str, ...]] = set()
    for space in _spaces(touched):
        paths = searched(space.entry, space, touched.layout)
        anchor = (space.entry.key, *paths)
        gone = paths and script_of(space.entry, space, snapshot.head, touched.layout) is None
        if gone and anchor not in seen and _kept(snapshot, paths):
            seen.add(anchor)
            yield _observation(snapshot, space, paths, anchor)


def _spaces(touched: Changes) -> Iterator[SearchSpace]:
    """Return the entries to judge, in the order of the files."""
    snapshot, layout = touched.snapshot, touched.layout
    removed = {
        file.base_path
        for file in snapshot.files
        if file.status in (Status.REMOVED, Status.RENAMED)
        and matches(file.base_path, layout.scripts)
    }
    before, new = config_entries(snapshot.base, layout), frozenset(touched.entries)
    for entry in config_entries(snapshot.head, layout).values():
        old = before.get(entry.key)
        old = old if old and old.node is not entry.node else None
        if not (removed or old or entry in new) or sku_of(entry) not in HARDWARE:
            continue
        for space in entry.search_spaces:
            renamed = old and searched(old, space, layout) != searched(entry, space, layout)
            gone = removed and script_of(entry, space, snapshot.base, layout)
            if space in touched.spaces or renamed or gone:
                yield space


def _kept(snapshot: Snapshot, paths: Iterable[str]) -> bool:
    """Tell whether the tree keeps any script in the folder in which the launcher looks."""
    folders = {path.rpartition("/")[0] for path in paths}
    return any(
        path.endswith(".sh") and path.rpartition("/")[0] in folders
        for path in snapshot.head.paths()
    )


def _observation(
    snapshot: Snapshot, space: SearchSpace, paths: tuple[str, ...], anchor: tuple[str, ...]
) -> Observation:
    if len(paths) > 1:
        where = text("{first} and {second}", first=paths[0], second=paths[1])
    else:
        where = text("{first}", first=paths[0])
    return Observation(
        space.entry.path,
        space.line,
        text("No script for this point"),
        text(
            "{key} would run a script that does not exist; the launcher looks for {where}. Add "
            "the script, or drop this entry.",
            key=space.entry.key,
            where=where,
        ),
        anchor,
        evidence=(quote(snapshot.head, space.entry.path, space.entry.key_line),),
        config_key=space.entry.key,
    )
