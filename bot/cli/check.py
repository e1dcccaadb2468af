"""`referee check`: judge a change in a local clone, the way the server judges a pull request."""

from dataclasses import replace
from pathlib import Path

import click
import pygit2

from bot.formats import FORMATS
from bot.policy_source import policy_in_force
from bot.snapshot import (
    SnapshotError,
    commit_of,
    everything_as_new,
    open_repository,
    take_snapshot,
)
from checks.model import Blob, PullRequest, Snapshot
from checks.policy import Policy, PolicyError, read_policy
from checks.run import run_checks
from checks.text import Text, text

PRESET = "inferencex"


@click.command()
@click.option(
    "--repo", type=click.Path(path_type=Path), default=".", help="A clone of the repository."
)
@click.option("--base", help="Branch or commit to compare with; the merge base is used.")
@click.option("--head", default="HEAD", show_default=True, help="Branch or commit to judge.")
@click.option("--pr", "number", type=click.IntRange(min=1), help="Number of the pull request.")
@click.option(
    "--policy",
    "policy_file",
    type=click.Path(path_type=Path),
    help="A policy file to use instead of the base's.",
)
@click.option("--all-files", is_flag=True, help="Judge every file at the head as if it were new.")
@click.option(
    "--format", "format_", type=click.Choice(sorted(FORMATS)), default="text", show_default=True
)
def command(
    repo: Path,
    base: str | None,
    head: str,
    number: int | None,
    policy_file: Path | None,
    all_files: bool,
    format_: str,
) -> int:
    """Judge what a change does to a benchmark repository.

    Exit status: 0 no blocking finding, 1 at least one, 2 wrong input or a rule that failed.
    """
    if (base is None) == (not all_files):
        raise click.UsageError("Give --base REV, or --all-files, and not both.")
    pull_request = PullRequest(number) if number else None
    try:
        repository = open_repository(repo)
        policy, source = _policy(repository, base or head, policy_file)
        snapshot = _snapshot(repository, base, head, pull_request)
        report = replace(run_checks(snapshot, policy), policy=source)
    except SnapshotError as error:
        raise click.ClickException(str(error)) from None
    click.echo(FORMATS[format_](report, snapshot), nl=False)
    if report.errors:
        return 2
    return 1 if report.blocking else 0


def _snapshot(
    repository: pygit2.Repository, base: str | None, head: str, pull_request: PullRequest | None
) -> Snapshot:
    if base is None:
        return everything_as_new(repository, head)
    return take_snapshot(repository, base, head, pull_request)


def _policy(repository: pygit2.Repository, revision: str, file: Path | None) -> tuple[Policy, Text]:
    if file is None:
        in_force = policy_in_force(repository, commit_of(repository, revision), PRESET)
        return in_force.policy, in_force.source
    try:
        content = file.read_bytes()
    except OSError as error:
        raise click.ClickException(f"{file} cannot be read: {error.strerror}.") from None
    try:
        return read_policy(Blob.of(content)), text("Policy: {path}.", path=str(file))
    except PolicyError as error:
        raise click.ClickException(f"{file} is not a policy: {error}") from None
