"""A master config or recipe is not readable YAML.

What it does
    Reads every master config, and every changed recipe and golden curve. What cannot be read is
    reported where reading stops, or where a merge conflict was left in. A changed file, or a
    script or folder of theirs, that is a link or a submodule is reported too: it is not followed.

Why it matters
    The sweep cannot be planned from it, and no other rule can look into it.

Example
    A line that lost its indentation in a merge.

Use instead
    A file that ``python -c 'import sys, yaml; yaml.safe_load(sys.stdin)' < FILE`` reads.

Exceptions
    A file that could not be read at the base either gets a note.

References
    https://yaml.org/spec/1.1/
"""

from collections.abc import Iterator

from checks.model import Blob, Observation, Severity, Snapshot, Status
from checks.parse.arms import changes
from checks.parse.conflicts import find_conflicts
from checks.parse.master_config import masters, read_master
from checks.parse.quote import quote
from checks.parse.recipe import read_recipe
from checks.parse.yaml import YamlError
from checks.paths import matches
from checks.policy import Layout, Policy
from checks.registry import rule
from checks.text import text


@rule(Severity.BLOCKING, family="config-schema")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Report files that cannot be read, at the line where reading stops."""
    touched = changes(snapshot, policy)
    if touched is None:
        return
    known = dict(masters(snapshot.head, touched.layout))
    for path in (*known, *sorted(touched.recipes | touched.curves)):
        blob = snapshot.head.blob(path)
        error = _error(path, blob, path in known) if blob else None
        if error:
            yield _observation(snapshot, path, error, path in known)
    yield from map(_not_a_file, _no_files(snapshot, touched.layout))


def _no_files(snapshot: Snapshot, layout: Layout) -> Iterator[str]:
    """Yield changed paths that stand where the layout has files, and are none."""
    globs = (*layout.masters, *layout.recipes, *layout.golden_al, *layout.scripts)
    for file in snapshot.files:
        if file.status is Status.REMOVED or snapshot.head.blob(file.path):
            continue
        below = (path for path in snapshot.base.paths() if path.startswith(f"{file.path}/"))
        if matches(file.path, globs) or any(matches(path, globs) for path in below):
            yield file.path


def _not_a_file(path: str) -> Observation:
    return Observation(
        path,
        None,
        text("The file cannot be read"),
        text(
            "This is a link or a submodule now, which is not followed, so that nothing of it "
            "could be checked. Commit the files themselves."
        ),
        ("not a file",),
    )


def _error(path: str, blob: Blob, master: bool) -> YamlError | None:
    error = read_master(path, blob).error if master else read_recipe(blob).error
    left = next(iter(find_conflicts(blob.data)), None) if error else None
    if left is None:
        return error
    return YamlError(
        text(
            "A merge conflict is left from line {first} to line {last}: keep what both sides mean, "
            "and remove the lines with the markers.",
            first=left.line,
            last=left.end_line,
        ),
        left.line,
        1,
    )


def _observation(snapshot: Snapshot, path: str, error: YamlError, master: bool) -> Observation:
    changed = snapshot.changed(path)
    before = snapshot.base.blob(changed.base_path) if changed else None
    ours = changed is not None and (before is None or _error(path, before, master) is None)
    return Observation(
        path,
        error.line,
        text("The file cannot be read"),
        text(
            "{reason} Nothing in this file could be checked. Correct the YAML at this line.",
            reason=error.reason,
        ),
        (),
        evidence=(quote(snapshot.head, path, error.line),),
        severity=None if ours else Severity.NOTE,
    )
