"""What a worker process does with a repository: judge a pull request, read a policy or a file.

The serving process does not import this: libgit2, the parsers and the rules would lie in its
memory in vain.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path
from typing import TypeVar

import pygit2

from bot.history import newest
from bot.policy_source import policy_in_force
from bot.snapshot import commit_of, files_at, open_repository, take_snapshot
from bot.trees import sound
from bot.verdict import Case, Ground, Verdict
from checks.fix import Fixed, fix
from checks.matrix.sweep import sweep
from checks.model import Blob, InternalError, ReadError, Report, Snapshot
from checks.parse.master_config import config_entries
from checks.policy import Policy
from checks.results.thresholds import read_thresholds
from checks.run import run_checks
from checks.signoff.content import Branch, checklists, content, knows_sign_offs
from checks.signoff.facts import Content
from checks.sweeps.cost import Cost, cost
from checks.target import matters
from checks.text import Text, text

T = TypeVar("T")
MOST_COMMITS = 1_000
MOST_PAGES = 20


def judge(case: Case) -> Verdict:
    """Read both revisions and run the rules.

    Raises:
        SnapshotError: a revision is missing, shares no history with the base, or changes too much.

    """
    repository = open_repository(case.git_dir)
    in_force = policy_in_force(repository, commit_of(repository, case.base), case.preset)
    snapshot = take_snapshot(repository, case.base, case.head, case.pull_request)
    report = run_checks(snapshot, in_force.policy)
    policy = in_force.policy
    price = _guarded(
        "matrix", text("What a sweep costs could not be counted"), lambda: _cost(snapshot, policy)
    )
    commits = commits_at(case.git_dir, case.base, case.head)
    said = _guarded(
        "sign-off",
        text("What a sign-off is about could not be gathered"),
        lambda: _content(repository, case.base, snapshot, report, policy, commits),
    )
    errors = [each for each in (price, said) if isinstance(each, InternalError)]
    report = replace(report, errors=(*report.errors, *errors))
    paid = price if isinstance(price, Cost) else None
    return Verdict(
        report=replace(report, policy=in_force.source),
        # Whoever gets them has no repository to read them from.
        files=tuple(replace(each, hunks=tuple(each.hunks)) for each in snapshot.files),
        languages=policy.languages,
        documentation_url=policy.documentation_url,
        advisory=policy.mode == "advisory",
        commits=commits,
        sections=(paid,) if paid else (),
        policy=policy,
        jobs=paid.jobs if paid else 0,
        fixed=_fixed(case.fix, snapshot, policy, report) if case.fix else None,
        content=said if isinstance(said, Content) else None,
    )


def _fixed(rules: str, snapshot: Snapshot, policy: Policy, report: Report) -> Fixed:
    return fix(snapshot, policy, report, lambda finding: fnmatchcase(finding.rule, rules))


def _cost(snapshot: Snapshot, policy: Policy) -> Cost | None:
    found = sweep(snapshot, policy)
    return None if found is None else cost(found)


def _guarded(part: str, lost: Text, gather: Callable[[], T]) -> T | InternalError:
    """Return what is gathered; a defect of ours there must not hide what the rules found."""
    try:
        return gather()
    except ReadError:
        raise
    except Exception as error:
        fault = f"{type(error).__name__}: {error}"
        what = text(
            "{lost} ({error}); this is a defect of Referee, please report it.",
            lost=lost,
            error=fault,
        )
        return InternalError(part, what)


def _content(
    repository: pygit2.Repository,
    base: str,
    snapshot: Snapshot,
    report: Report,
    policy: Policy,
    commits: tuple[str, ...],
) -> Content | None:
    """Gather what a sign-off is about, where the policy knows sign-offs.

    The target branch's tip counts there, which may be newer than the merge base.
    """
    if not policy.sign_off.phrase:
        return None
    tip = commit_of(repository, base)
    tree = files_at(repository, tip)
    pages = _pages(repository, tip, checklists(policy))
    return content(snapshot, Branch(tree, pages, commits), report, policy)


def _pages(
    repository: pygit2.Repository, tip: pygit2.Commit, paths: tuple[str, ...]
) -> tuple[Blob, ...]:
    """Return the earlier versions of the checklist's page on a branch, the newest first."""
    with sound():
        return newest(repository, tip, paths, MOST_PAGES)[1:]


def policy_of(git_dir: Path, base: str, preset: str) -> Policy:
    """Return the policy in force for a target branch.

    Raises:
        SnapshotError: the branch is missing or damaged.

    """
    repository = open_repository(git_dir)
    return policy_in_force(repository, commit_of(repository, base), preset).policy


def gate_of(git_dir: Path, base: str, preset: str) -> Policy | None:
    """Return the policy of a target branch that asks for sign-offs; None of another one.

    Raises:
        SnapshotError: the branch is missing or damaged.

    """
    repository = open_repository(git_dir)
    commit = commit_of(repository, base)
    policy = policy_in_force(repository, commit, preset).policy
    tree = files_at(repository, commit)
    return policy if knows_sign_offs(tree, policy) else None


def ground_of(git_dir: Path, base: str, head: str, preset: str) -> Ground:
    """Return what is known of a pull request without judging it.

    Raises:
        SnapshotError: a branch is missing or damaged.

    """
    policy = policy_of(git_dir, base, preset)
    found = file_of(git_dir, base, policy.sign_off.thresholds)
    thresholds = read_thresholds(found[1]) if found else None
    return Ground(policy, commits_at(git_dir, base, head), thresholds)


def file_of(git_dir: Path, base: str, paths: Sequence[str]) -> tuple[str, bytes] | None:
    """Return the first of some files that a branch has, with its path.

    Raises:
        SnapshotError: the branch is missing or damaged.

    """
    repository = open_repository(git_dir)
    commit = commit_of(repository, base)
    tree = files_at(repository, commit)
    return next(((path, blob.data) for path in paths if (blob := tree.blob(path))), None)


def commits_at(git_dir: Path, base: str, head: str) -> tuple[str, ...]:
    """Return the commits that a head has and its base has not, the newest first.

    Raises:
        SnapshotError: a branch is missing or damaged.

    """
    repository = open_repository(git_dir)
    tips = commit_of(repository, head).id, commit_of(repository, base).id
    with sound():
        walker = repository.walk(tips[0])
        walker.hide(tips[1])
        return tuple(str(commit.id) for commit in islice(walker, MOST_COMMITS))


def keys_at(git_dir: Path, base: str, head: str, preset: str) -> dict[str, tuple[str, ...]]:
    """Return the config keys at a head by master config.

    Raises:
        SnapshotError: a branch is missing or damaged.

    """
    repository = open_repository(git_dir)
    policy = policy_in_force(repository, commit_of(repository, base), preset).policy
    commit = commit_of(repository, head)
    tree = files_at(repository, commit)
    layout = policy.layout(tree)
    found: dict[str, tuple[str, ...]] = {}
    for key, entry in (config_entries(tree, layout) if layout else {}).items():
        found[entry.path] = (*found.get(entry.path, ()), key)
    return found


def target_changed(git_dir: Path, base: str, before: str, preset: str) -> bool:
    """Tell whether a branch has changed since a commit in what decides about pull requests into it.

    A commit that is not there any more was replaced by force, and one that is the tip still was not
    served anew yet: anything may have changed.

    Raises:
        SnapshotError: the branch is missing or damaged.

    """
    repository = open_repository(git_dir)
    tip = commit_of(repository, base)
    policy = policy_in_force(repository, tip, preset).policy
    with sound():
        old = repository.get(before)
        if not isinstance(old, pygit2.Commit) or old.id == tip.id:
            return True
        diff = repository.diff(old.tree, tip.tree)
        paths = [side.path for delta in diff.deltas for side in (delta.old_file, delta.new_file)]
    return matters(paths, policy)
