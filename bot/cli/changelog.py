"""`referee changelog`: work on the changelog of a benchmark repository."""

import os
import subprocess
from pathlib import Path

import click
import pygit2

from bot.policy_source import policy_in_force
from bot.snapshot import SnapshotError, commit_of
from checks.changelog_merge import Merged, MergeError, merge_changelogs
from checks.model import Blob
from checks.policy import Policy, PolicyError, preset, read_policy

PRESET = "inferencex"
_FILE = click.Path(path_type=Path)


@click.group()
def command() -> None:
    """Work on the changelog."""


@command.command()
@click.argument("base", type=_FILE)
@click.argument("ours", type=_FILE)
@click.argument("theirs", type=_FILE)
@click.option(
    "--pr",
    "number",
    type=click.IntRange(min=1),
    help="Number of the pull request; becomes the pr-link of the new entries.",
)
@click.option("--policy", "policy_file", type=_FILE, help="A policy file, for its link format.")
@click.option("--output", type=_FILE, help="Write here instead of printing.")
@click.option("--driver", is_flag=True, help="Run as a git merge driver with %O %A %B.")
def resolve(
    base: Path,
    ours: Path,
    theirs: Path,
    number: int | None,
    policy_file: Path | None,
    output: Path | None,
    driver: bool,
) -> int:
    """Merge two versions of the changelog that each append entries.

    BASE, OURS and THEIRS are files: the common ancestor, the branch, and main. The result is
    THEIRS, byte for byte, with the new entries of OURS behind it. Where OURS only corrects links
    of existing entries, THEIRS gets these corrections. Nothing is decided where OURS changes
    anything else of existing entries, an entry is there twice, or a version cannot be read.

    With --driver the result is written to OURS. While git rebases, OURS is main and THEIRS the
    branch; this is noticed. What is not decided is left to git's own text merge, as a conflict.

    Exit status: 0 merged, 1 a conflict is left to you (--driver only), 2 not decided or wrong
    input.
    """
    if driver and output:
        raise click.UsageError("Give --driver or --output, not both.")
    swapped = driver and _is_rebasing()
    branch, main = (theirs, ours) if swapped else (ours, theirs)
    try:
        merged = _merged(base, branch, main, _policy(policy_file), number)
    except click.ClickException as error:
        if not driver:
            raise
        return _conflict(base, ours, theirs, error.format_message(), swapped=swapped)
    _write(merged, ours if driver else output)
    return 0


def _merged(base: Path, ours: Path, theirs: Path, policy: Policy, number: int | None) -> Merged:
    try:
        return merge_changelogs(_read(base), _read(ours), _read(theirs), policy, number)
    except MergeError as error:
        raise click.ClickException(str(error)) from None


def _read(path: Path) -> Blob:
    try:
        return Blob.of(path.read_bytes())
    except OSError as error:
        raise click.ClickException(f"{path} cannot be read: {error.strerror}.") from None


def _write(merged: Merged, path: Path | None) -> None:
    if merged.note:
        click.echo(f"referee: {merged.note}", err=True)
    if path is None:
        click.echo(merged.content, nl=False)
        return
    try:
        path.write_bytes(merged.content)
    except OSError as error:
        raise click.ClickException(f"{path} cannot be written: {error.strerror}.") from None


def _here() -> pygit2.Repository | None:
    """Return the repository that git runs the driver in, or the one around this folder."""
    try:
        return pygit2.Repository(os.environ.get("GIT_DIR") or pygit2.discover_repository(".") or "")
    except pygit2.GitError:
        return None


def _is_rebasing() -> bool:
    # https://git-scm.com/docs/git-rebase#_merge_strategies: the sides are swapped.
    repository = _here()
    folders = ("rebase-merge", "rebase-apply")
    return repository is not None and any((Path(repository.path) / x).is_dir() for x in folders)


def _policy(file: Path | None) -> Policy:
    """Return the policy of a file, else the one in force at HEAD, else the preset."""
    if file is not None:
        try:
            return read_policy(_read(file))
        except PolicyError as error:
            raise click.ClickException(f"{file} is not a policy: {error}") from None
    repository = _here()
    if repository is None or repository.head_is_unborn:
        return preset(PRESET)
    try:
        return policy_in_force(repository, commit_of(repository, "HEAD"), PRESET).policy
    except SnapshotError as error:
        raise click.ClickException(str(error)) from None


def _conflict(base: Path, ours: Path, theirs: Path, why: str, *, swapped: bool) -> int:
    """Leave the conflict as git would, markers included; a wrong half must never look merged."""
    sides = ("main", "branch") if swapped else ("branch", "main")
    labels = [part for name in (sides[0], "base", sides[1]) for part in ("-L", name)]
    # https://git-scm.com/docs/git-merge-file: 0 clean, 1 to 127 conflicts, more is an error.
    done = subprocess.run(  # noqa: S603
        ["git", "merge-file", "--quiet", *labels, "--", str(ours), str(base), str(theirs)],  # noqa: S607
        check=False,
        capture_output=True,
        text=True,
    )
    roles = " Here OURS is the commit that is rebased and THEIRS is main." if swapped else ""
    click.echo(f"referee: {why}{roles}", err=True)
    # From 128 on, git takes it for an error of the driver and keeps nothing.
    return 1 if done.returncode <= 127 else 129
