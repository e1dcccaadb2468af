"""What the commands that look at a change have in common: their options, and the judgement."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import click
import pygit2

from bot.policy_source import policy_in_force
from bot.snapshot import (
    SnapshotError,
    commit_of,
    everything_as_new,
    open_repository,
    take_snapshot,
)
from checks.model import Blob, PullRequest, Report, Snapshot
from checks.policy import Policy, PolicyError, read_policy
from checks.run import run_checks
from checks.text import Text, text

PRESET = "inferencex"
Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS = (
    click.option(
        "--repo", type=click.Path(path_type=Path), default=".", help="A clone of the repository."
    ),
    click.option("--base", help="Branch or commit to compare with; the merge base is used."),
    click.option("--head", default="HEAD", show_default=True, help="Branch or commit to judge."),
    click.option(
        "--pr",
        "number",
        type=click.IntRange(min=1),
        help="Number of the pull request; decides what its pr-link must be.",
    ),
    click.option(
        "--policy",
        "policy_file",
        type=click.Path(path_type=Path),
        help="A policy file to use instead of the base's.",
    ),
)


def change_options(command: Command) -> Command:
    """Add --repo, --base, --head, --pr and --policy to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True)
class Judged:
    """A change and what the rules say of it."""

    repository: pygit2.Repository
    snapshot: Snapshot
    policy: Policy
    report: Report


def judged(
    repo: Path, base: str | None, head: str, number: int | None, policy_file: Path | None
) -> Judged:
    """Judge a change of a clone; every file at the head as new when there is no base.

    Raises:
        click.ClickException: the input is wrong, in one sentence.

    """
    pull_request = PullRequest(number) if number else None
    try:
        repository = open_repository(repo)
        policy, source = _policy(repository, base or head, policy_file)
        snapshot = (
            everything_as_new(repository, head)
            if base is None
            else take_snapshot(repository, base, head, pull_request)
        )
        report = replace(run_checks(snapshot, policy), policy=source)
    except SnapshotError as error:
        raise click.ClickException(str(error)) from None
    return Judged(repository, snapshot, policy, report)


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
