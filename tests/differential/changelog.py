"""The changelog rules against the reference repository's own programs, for a developer to run.

    python -m tests.differential.changelog PATH_TO_A_CLONE [REVISION ...]

Takes the changes of the changelog on the first-parent history since the validator landed, or the
revisions given, and compares verdicts and merged bytes. README.md says what is compared, what was
measured, and who is right where the two sides differ.
"""

import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import pygit2
from rich.console import Console
from rich.progress import track

from bot.snapshot import open_repository
from checks.model import Severity
from checks.policy import preset
from checks.registry import rules_like
from checks.run import run_checks
from tests.differential.changelog_bytes import broken
from tests.differential.changelog_changes import Change, changes
from tests.differential.changelog_merges import canonicalized, each_sides, resolved
from tests.differential.changelog_programs import Programs
from tests.differential.matrix import environment

ACCEPTED = "accepted"
BYTES = ("bytes", "entry-not-at-end", "history-edited", "pr-link", "schema")
Tables = dict[str, dict[tuple[str, str], list[str]]]


def main() -> None:
    """Compare, and print each pair of outcomes with its changes."""
    clone, *revisions = sys.argv[1:]
    repository = open_repository(Path(clone))
    found = list(changes(repository, Path(clone), revisions))
    with tempfile.TemporaryDirectory() as folder:
        python = environment(Path(folder) / "environment")
        programs = Programs(Path(clone), Path(folder), python)
        for part in (_strict, _merges, _gate):
            _show(part(programs, repository, found))
        print(f"\n{len(found)} changes, {programs.versions} versions of the programs")
        programs.close()


def _strict(programs: Programs, _repository: pygit2.Repository, found: list[Change]) -> Tables:
    """Compare the strict checks, and the byte rules spelled once more."""
    tables: Tables = defaultdict(lambda: defaultdict(list))
    for change in _tracked(found, "Bytes"):
        exact = ", ".join(rule for rule in _ours(change) if rule in BYTES) or ACCEPTED
        files = (change.base, change.head)
        strict = programs.ask(change.sha, "validate", files, change.number).get("error", ACCEPTED)
        spelled = ", ".join(broken(*files, change.number)) or ACCEPTED
        for title, theirs in (("strict checks", strict), ("byte rules spelled once more", spelled)):
            tables[f"{title} / our rules on bytes"][_kind(theirs), exact].append(change.name)
    return tables


def _gate(programs: Programs, _repository: pygit2.Repository, found: list[Change]) -> Tables:
    """Compare the gate of the workflow."""
    tables: Tables = defaultdict(lambda: defaultdict(list))
    for change in _tracked(found, "Gate"):
        theirs = programs.gate(change.sha, change.number) or ACCEPTED
        pair = _kind(theirs), ", ".join(_ours(change)) or ACCEPTED
        tables["gate of the workflow / all our rules on the changelog"][pair].append(change.name)
    return tables


def _tracked(found: list[Change], what: str) -> Iterable[Change]:
    return track(found, what, console=Console(stderr=True))


def _ours(change: Change) -> list[str]:
    report = run_checks(change.snapshot, preset("inferencex"), rules_like("changelog/*"))
    assert not report.errors, report.errors
    blocking = (f.rule for f in report.findings if f.severity is Severity.BLOCKING)
    return list(dict.fromkeys(rule.partition("/")[2] for rule in blocking))


def _merges(programs: Programs, repository: pygit2.Repository, found: list[Change]) -> Tables:
    """Compare canonical links, and merges."""
    tables: Tables = defaultdict(lambda: defaultdict(list))
    for change in _tracked(found, "Links"):
        if pair := canonicalized(programs, change):
            title = "links made canonical / referee fix --rule changelog/pr-link"
            tables[title][_kinds(pair)].append(change.name)
    for title, change, sides in each_sides(repository, found):
        pair = resolved(programs, change, sides)
        tables[f"merges, {title} / referee changelog resolve"][_kinds(pair)].append(change.name)
    return tables


def _kinds(pair: tuple[str, str]) -> tuple[str, str]:
    return _kind(pair[0]), _kind(pair[1])


def _kind(outcome: str) -> str:
    """Return an outcome without what is of one change only."""
    first = outcome.partition("\n")[0]
    return re.sub(r"`[^`]*`|'[^']*'|\d+|: - .*|(?<=line: ).*", "…", first)[:110]


def _show(tables: Tables) -> None:
    for title, pairs in tables.items():
        print(f"\n{title}")
        for (theirs, ours), names in sorted(pairs.items(), key=lambda pair: -len(pair[1])):
            print(f"  {len(names):4}  {theirs}  /  {ours}")
            if {theirs, ours} not in ({ACCEPTED}, {"merged", "the same bytes"}):
                print(f"        {' '.join(names)}", flush=True)


if __name__ == "__main__":
    main()
