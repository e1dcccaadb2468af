"""A config is changed without a changelog entry.

What it does
    Finds the config keys whose master entry, recipe, benchmark script or launcher the pull request
    changes, and looks for a new changelog entry that names them.

Why it matters
    The sweep is planned from the new entries. Without one, nothing is measured, and the published
    results no longer are those of the files.

Example
    A new image for ``toy-fp8-b300-sglang`` in the master config, and no change of the changelog.

Use instead
    An entry at the end of the changelog that names the config key. The finding has its text.

Exceptions
    Comments, order and other spellings of the same concurrencies; points, scenarios and keys that
    are taken away; files that no active config key runs, and recipes for evaluations. A launcher,
    which mostly changes how machines are found, gets a note where nothing else is changed. A
    change of labels, client, router or telemetry only is a warning, and so are another pool of the
    same machines and a script that starts the same at every point, its logging aside. Where other
    entries are new, changed master entries are the matter of ``changelog/config-not-covered``. A
    change of more than 20 configs at once is a reorganisation, which may well measure nothing anew:
    a warning.

References
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/CONTRIBUTING.md
"""

from collections.abc import Iterator
from dataclasses import replace

from checks.model import Evidence, Observation, Severity, Snapshot, Suggestion
from checks.parse.changelog_file import read_changelog
from checks.parse.changelog_repair import append, new_entry, own_link
from checks.parse.config_changes import (
    ConfigChange,
    changed_by,
    changed_configs,
    changed_launchers,
    changes_any,
)
from checks.parse.coverage import Coverage, coverage
from checks.policy import Policy
from checks.registry import rule
from checks.text import Text, text

MOST_SHOWN = 5
MOST_MEANT = 20


@rule(Severity.BLOCKING, family="changelog-missing")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Report changed configs that no new entry names."""
    covered = coverage(snapshot, policy)
    if covered is None:
        return
    missing = list(_missing(snapshot, policy, covered))
    if missing:
        yield _observation(snapshot, policy, missing)
    elif not covered.new:
        launched = changed_launchers(snapshot, policy)
        if unnamed := [each for each in launched if not covered.means(each.entry.key)]:
            yield _launcher(_observation(snapshot, policy, unnamed), unnamed)


def _launcher(seen: Observation, launched: list[ConfigChange]) -> Observation:
    message = text(
        "This starts the runs of {keys}. If their results can differ now, append a changelog entry "
        "that names them.",
        keys=_listed(launched, launched[0]),
    )
    return replace(seen, message=message, suggestion=None, severity=Severity.NOTE)


def _observation(snapshot: Snapshot, policy: Policy, missing: list[ConfigChange]) -> Observation:
    certain = [change for change in missing if change.certain]
    first = (certain or missing)[0]
    return Observation(
        path=first.path,
        line=first.line,
        title=text("A config is changed without a changelog entry"),
        message=_message(missing, first),
        anchor=("entry",),
        evidence=tuple(_evidence(snapshot, policy, missing, first)),
        suggestion=_stub_appended(snapshot, policy, missing),
        severity=None if certain and len(_keys(missing)) <= MOST_MEANT else Severity.WARNING,
    )


def _keys(missing: list[ConfigChange]) -> list[str]:
    return list(dict.fromkeys(change.entry.key for change in missing))


def _missing(snapshot: Snapshot, policy: Policy, covered: Coverage) -> Iterator[ConfigChange]:
    if not covered.new:
        for change in changed_configs(snapshot, policy):
            if not covered.means(change.entry.key):
                yield change
    for file in snapshot.files:
        if not changes_any(snapshot, policy, file, covered.means):
            yield from changed_by(snapshot, policy, file)


def _listed(changes: list[ConfigChange], first: ConfigChange) -> Text:
    more = len(_keys(changes)) - 1
    key = first.entry.key
    return text("{key} and {more} more", key=key, more=more) if more else text("{key}", key=key)


def _message(missing: list[ConfigChange], first: ConfigChange) -> Text:
    names = _listed(missing, first)
    if not first.certain:
        return text(
            "This changes how some configs are described or measured ({keys}), and no new "
            "changelog entry names them. If the results can differ, append an entry.",
            keys=names,
        )
    if first.path == first.entry.path:
        return text(
            "This changes configs ({keys}) that no new changelog entry names, so they are not "
            "measured again. Append an entry at the end of the changelog.",
            keys=names,
        )
    return text(
        "Configs that no new changelog entry names ({keys}) run this file, so its change is not "
        "measured. Append an entry at the end of the changelog.",
        keys=names,
    )


def _evidence(
    snapshot: Snapshot, policy: Policy, missing: list[ConfigChange], first: ConfigChange
) -> Iterator[Evidence]:
    for change in [x for x in missing if x is not first][:MOST_SHOWN]:
        yield Evidence(change.path, change.line, change.entry.key)
    layout = policy.layout(snapshot.head)
    changelog = snapshot.head.blob(layout.changelog) if layout else None
    if layout is not None and changelog is not None:
        last = len(changelog.data.rstrip().split(b"\n"))
        stub = _stub(snapshot, policy, missing)
        yield Evidence(layout.changelog, last, "+ " + stub.decode("utf-8", "replace"))


def _stub(snapshot: Snapshot, policy: Policy, missing: list[ConfigChange]) -> bytes:
    return new_entry(_keys(missing), "<what changed and why>", own_link(snapshot, policy))


def _stub_appended(
    snapshot: Snapshot, policy: Policy, missing: list[ConfigChange]
) -> Suggestion | None:
    """Return the edit that appends the stub to a changelog that can be read."""
    layout = policy.layout(snapshot.head)
    changelog = snapshot.head.blob(layout.changelog) if layout else None
    if layout is None or changelog is None:
        return None
    edit = append(read_changelog(changelog), _stub(snapshot, policy, missing))
    return replace(edit, path=layout.changelog) if edit else None
