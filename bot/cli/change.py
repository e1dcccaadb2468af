"""What the commands that look at a change have in common: their options, and the judgement."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click
import pygit2

from bot.cli.inputs import FILE, PRESET, Command, policy_from, repo_option
from bot.damage import SnapshotError
from bot.policy_source import policy_in_force
from bot.snapshot import commit_of, everything_as_new, open_repository, take_snapshot
from checks.model import PullRequest, Report, Snapshot
from checks.policy import Policy
from checks.record import Record
from checks.registry import Rule
from checks.run import run_checks
from checks.text import Text, text

MOST_BYTES = 2 * 1024 * 1024  # a description has at most 65,536 characters, each 12 bytes of JSON

policy_option = click.option(
    "--policy",
    "policy_file",
    type=FILE,
    help="A policy file to use instead of the base's.",
)
_OPTIONS = (
    repo_option(),
    click.option("--base", help="Branch or commit to compare with; the merge base is used."),
    click.option("--head", help="Branch or commit to judge.  [default: HEAD]"),
    click.option(
        "--staged",
        is_flag=True,
        help="Judge what is staged (the index) as if it were committed on HEAD. Files that are not "
        "staged, or parts of them, do not count.",
    ),
    click.option(
        "--pr",
        "number",
        type=click.IntRange(min=1),
        help="Number of the pull request; decides what its pr-link must be.",
    ),
    click.option(
        "--pull-request",
        "pull_request_file",
        type=click.Path(path_type=Path, allow_dash=True),
        help="The pull request as GitHub's REST API returns it (JSON), or the payload of an event "
        "about it; - reads standard input. With it the title, description and labels are judged "
        "too, and --pr is not needed.",
    ),
    policy_option,
)


def change_options(command: Command) -> Command:
    """Add the options that say which change to judge, and how, to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


class Change(Record):
    """Which change to judge: the values of the options, by their names."""

    repo: Path
    base: str | None
    head: str | None
    staged: bool
    number: int | None
    pull_request_file: Path | None
    policy_file: Path | None

    @property
    def from_policy(self) -> str:
        """Return the revision whose policy is in force."""
        given = self.head if self.base is None else self.base
        return "HEAD" if given is None else given


class Judged(Record):
    """A change and what the rules say of it."""

    repository: pygit2.Repository
    snapshot: Snapshot
    policy: Policy
    report: Report


def judged(change: Change, rules: Sequence[Rule] | None = None) -> Judged:
    """Judge a change of a clone; every file at the head as new when there is no base.

    Args:
        change: which one.
        rules: the rules to run; all when None.

    Raises:
        click.ClickException: the input is wrong, in one sentence.

    """
    if change.staged and change.head is not None:
        raise click.UsageError("Give --staged or --head, not both.")
    if change.number is not None and change.pull_request_file is not None:
        raise click.UsageError("Give --pr or --pull-request, not both.")
    try:
        repository = open_repository(change.repo)
        policy, source = policy_of(repository, change.from_policy, change.policy_file)
        snapshot = _snapshot(repository, change)
        report = replace(run_checks(snapshot, policy, rules), policy=source)
    except SnapshotError as error:
        raise click.ClickException(str(error)) from None
    return Judged(repository, snapshot, policy, report)


def _snapshot(repository: pygit2.Repository, change: Change) -> Snapshot:
    pull_request = _pull_request(change)
    if change.staged:
        from bot.cli.staged import staged_snapshot

        return staged_snapshot(repository, change.base, pull_request)
    head = "HEAD" if change.head is None else change.head
    if change.base is None:
        return everything_as_new(repository, head)
    return take_snapshot(repository, change.base, head, pull_request)


def _pull_request(change: Change) -> PullRequest | None:
    """Return what is known of the pull request."""
    file = change.pull_request_file
    if file is None:
        return PullRequest(change.number) if change.number else None
    import json

    from bot.pull_request import PullRequestError, read_pull_request

    name = "Standard input" if str(file) == "-" else str(file)
    try:
        with click.open_file(str(file), "rb") as source:
            content = source.read(MOST_BYTES + 1)
    except OSError as error:
        raise click.ClickException(f"{name} cannot be read: {error.strerror}.") from None
    if len(content) > MOST_BYTES:
        raise click.ClickException(
            f"{name} is longer than {MOST_BYTES} bytes, which no pull request of GitHub is."
        )
    try:
        return read_pull_request(json.loads(content))
    except PullRequestError as error:
        raise click.ClickException(f"{name}: {error}") from None
    except (ValueError, RecursionError):
        raise click.ClickException(
            f"{name} is not JSON; `gh api repos/OWNER/NAME/pulls/NUMBER` prints what is wanted."
        ) from None


def policy_of(
    repository: pygit2.Repository, revision: str, file: Path | None
) -> tuple[Policy, Text]:
    """Return the policy of a file, else the one in force at a revision, and where it comes from.

    Raises:
        SnapshotError: the revision is missing.
        click.ClickException: the file is no policy.

    """
    if file is None:
        in_force = policy_in_force(repository, commit_of(repository, revision), PRESET)
        return in_force.policy, in_force.source
    return policy_from(file), text("Policy: {path}.", path=str(file))
