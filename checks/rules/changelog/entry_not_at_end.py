"""A new changelog entry stands before existing ones.

What it does
    Recognises the existing entries again at head and reports each new entry that has one of them
    behind it.

Why it matters
    The changelog is append-only: the tools that merge and ingest results require that the old
    file, byte for byte, is the start of the new one. An entry in the middle usually comes from a
    merge conflict that was resolved the wrong way round.

Example
    A branch is behind main; after the merge its entry stands above the entries that main gained.

Use instead
    The same entry after the last one of main, behind one empty line.

Exceptions
    A pull request that only corrects ``pr-link`` lines adds no entry.

References
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/utils/validate_perf_changelog.py
"""

from collections.abc import Iterator

from checks.model import Evidence, Observation, Severity, Snapshot
from checks.parse.changelog import Entry
from checks.parse.changelog_change import ChangelogChange, changelog_change
from checks.parse.changelog_repair import move_to_end
from checks.policy import Policy
from checks.registry import rule
from checks.text import text


@rule(Severity.BLOCKING, family="changelog-position")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Report new entries that an existing one follows."""
    change = changelog_change(snapshot, policy)
    for entry in change.misplaced if change else ():
        assert change is not None
        yield _observation(change, entry)


def _observation(change: ChangelogChange, entry: Entry) -> Observation:
    assert change.head is not None
    entries = change.head.entries
    behind = next(each for each in entries[entry.index :] if not change.is_new(each))
    message = text(
        "The entry of {name} is new but stands before existing ones, from line {line} on. New "
        "entries go to the end of the file; move it behind line {last}.",
        name=entry.name,
        line=behind.first_line,
        last=entries[-1].last_line,
    )
    first = behind.raw.partition(b"\n")[0].decode("utf-8", "replace")
    return Observation(
        path=change.path,
        line=entry.first_line,
        end_line=entry.last_line,
        title=text("The new entry is not at the end of the changelog"),
        message=message,
        anchor=change.identity(entry),
        evidence=(Evidence(change.path, behind.first_line, first),),
        suggestion=move_to_end(change, entry),
    )
