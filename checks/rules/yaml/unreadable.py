"""A master config or recipe is not readable YAML.

What it does
    Reads every master config, and every changed recipe and golden curve.

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

from checks.model import Blob, Observation, Severity, Snapshot
from checks.parse.arms import changes
from checks.parse.master_config import masters, read_master
from checks.parse.quote import quote
from checks.parse.recipe import read_recipe
from checks.parse.yaml import YamlError
from checks.policy import Policy
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


def _error(path: str, blob: Blob, master: bool) -> YamlError | None:
    return read_master(path, blob).error if master else read_recipe(blob).error


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
