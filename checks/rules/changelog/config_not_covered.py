"""New changelog entries leave out a config that the pull request changes.

What it does
    Where there are new entries, compares the master entries that differ in what is measured with
    the config keys and scenarios that the new entries name.

Why it matters
    The sweep measures what the entries name. What is left out keeps its old results under a
    config that is no longer the same.

Example
    The image of ``toy-fp8-b300-sglang`` and of its ``-mtp`` sibling changes; the entry names the
    first only. Or ``scenario-type`` says agentic and the fixed-sequence search space changes.

Use instead
    Add the config key, or the scenario, to the entry.

Exceptions
    Keys that a wildcard names; comments, order and labels; points that are taken away. Keys that
    are misspelt in the entry belong to ``changelog/unknown-config-key``.

References
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/utils/process_changelog.py
"""

from collections.abc import Iterator

from checks.model import Evidence, Observation, Severity, Snapshot, Suggestion
from checks.parse.changelog import Entry, Item
from checks.parse.changelog_change import ChangelogChange
from checks.parse.changelog_file import Changelog
from checks.parse.config_changes import ConfigChange, changed_configs
from checks.parse.coverage import Coverage, coverage
from checks.policy import Policy
from checks.registry import rule
from checks.text import text

MOST_SHOWN = 5


@rule(Severity.WARNING, family="changelog-uncovered")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Compare changed configs with the new entries."""
    covered = coverage(snapshot, policy)
    if covered is None or covered.change is None or not covered.new:
        return
    changed = [each for each in changed_configs(snapshot, policy) if each.certain]
    left_out = [each for each in changed if not covered.means(each.entry.key)]
    if left_out:
        yield _keys(covered.change, covered.new[-1], left_out)
    yield from _scenarios(covered.change, covered, changed)


def _keys(change: ChangelogChange, entry: Entry, left_out: list[ConfigChange]) -> Observation:
    assert change.head is not None
    item, more = entry.config_keys[-1], len(left_out) - 1
    keys = [each.entry.key for each in left_out]
    names = (
        text("{key} and {more} more", key=keys[0], more=more)
        if more
        else text("{key}", key=keys[0])
    )
    message = text(
        "The pull request changes configs ({keys}) that no new entry names, so they are not "
        "measured. Name them.",
        keys=names,
    )
    return Observation(
        path=change.path,
        line=item.line,
        title=text("A changed config is missing from the changelog entry"),
        message=message,
        anchor=("keys",),
        evidence=tuple(
            Evidence(each.path, each.line, each.entry.key) for each in left_out[:MOST_SHOWN]
        ),
        suggestion=_added(change.head, item, keys),
    )


def _scenarios(
    change: ChangelogChange, covered: Coverage, changed: list[ConfigChange]
) -> Iterator[Observation]:
    reported = set()
    for each in changed:
        entries = covered.naming(each.entry.key)
        named = {scenario for entry in entries for scenario in entry.scenario_types}
        for scenario in sorted(each.scenarios - named) if entries else ():
            if (entries[0].first_line, scenario) not in reported:
                reported.add((entries[0].first_line, scenario))
                yield _scenario(change, entries[0], each, scenario)


def _scenario(
    change: ChangelogChange, entry: Entry, changed: ConfigChange, scenario: str
) -> Observation:
    assert change.head is not None
    items = entry.items("scenario-type")
    return Observation(
        path=change.path,
        line=entry.line_of("scenario-type"),
        title=text("The changelog entry leaves out a scenario that is changed"),
        message=text(
            "{key} changes in the scenario {scenario} too, which this entry leaves out, so it is "
            "not measured. Add the scenario.",
            key=changed.entry.key,
            scenario=scenario,
        ),
        anchor=(*change.identity(entry), scenario),
        evidence=(Evidence(changed.path, changed.line, changed.entry.key),),
        suggestion=_added(change.head, items[-1], [scenario]) if items else None,
    )


def _added(head: Changelog, item: Item, values: list[str]) -> Suggestion | None:
    """Return the edit that adds items to a list that has each on a line of its own."""
    row = head.lines[item.line - 1].decode("utf-8", "surrogateescape")
    start, rest = row[: item.column], row[item.end_column :]
    if start.strip() != "-" or rest.strip() or not rest.endswith("\n"):
        return None
    return Suggestion(item.line, item.line, row + "".join(f"{start}{x}\n" for x in values))
