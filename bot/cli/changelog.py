"""`referee changelog`: work on the changelog of a benchmark repository."""

import subprocess
from pathlib import Path

import click

from bot.cli.defect import unforeseen
from bot.cli.inputs import FILE, PRESET, policy_from, read_file
from bot.cli.sides import Sides, UnknownSidesError, here, sides
from bot.damage import SnapshotError
from bot.policy_source import policy_in_force
from bot.snapshot import commit_of
from checks.changelog_merge import Merged, MergeError, merge_changelogs
from checks.model import Blob
from checks.policy import Policy, preset

MOST_CONFLICTS = 127


@click.group()
def command() -> None:
    """Work on the changelog."""


@command.command()
@click.argument("base", type=FILE)
@click.argument("ours", type=FILE)
@click.argument("theirs", type=FILE)
@click.option(
    "--pr",
    "number",
    type=click.IntRange(min=1),
    help="Number of the pull request; becomes the pr-link of the new entries.",
)
@click.option("--policy", "policy_file", type=FILE, help="A policy file, for its link format.")
@click.option("--output", type=FILE, help="Write here instead of printing.")
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

    With --driver the result is written to OURS. While git rebases or merges into main, OURS is
    main and THEIRS the branch; this is noticed. What is not decided is left to git's own text
    merge, as a conflict; so is everything but merge and rebase, such as cherry-pick, where no side
    is known to be main.

    Exit status: 0 merged, 1 a conflict is left to you (--driver only), 2 not decided or wrong
    input (129 with --driver, so that git does not take what is there for its result).
    """
    if driver and output:
        raise click.UsageError("Give --driver or --output, not both.")
    if driver:
        return _drive(base, ours, theirs, policy_file, number)
    _write(_merged(base, ours, theirs, policy_file, number), output)
    return 0


def _drive(
    base: Path, ours: Path, theirs: Path, policy_file: Path | None, number: int | None
) -> int:
    """Merge into ours, or leave a conflict there whatever is wrong."""
    found = Sides()
    try:
        found = sides()
        branch, main = (theirs, ours) if found.swapped else (ours, theirs)
        merged = _merged(base, branch, main, policy_file, number)
    except UnknownSidesError as error:
        return _conflict(base, ours, theirs, str(error), found)
    except click.ClickException as error:
        return _conflict(base, ours, theirs, error.format_message(), found)
    except Exception as error:  # git would take the file, which is ours, for the whole merge
        return _conflict(base, ours, theirs, unforeseen(error), found)
    _write(merged, ours)
    return 0


def _merged(
    base: Path, ours: Path, theirs: Path, policy_file: Path | None, number: int | None
) -> Merged:
    policy = _policy(policy_file)
    try:
        return merge_changelogs(_read(base), _read(ours), _read(theirs), policy, number)
    except MergeError as error:
        raise click.ClickException(str(error)) from None


def _read(path: Path) -> Blob:
    return Blob.of(read_file(path))


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


def _policy(file: Path | None) -> Policy:
    """Return the policy of a file, else the one in force at HEAD, else the preset."""
    if file is not None:
        return policy_from(file)
    repository = here()
    if repository is None or repository.head_is_unborn:
        return preset(PRESET)
    try:
        return policy_in_force(repository, commit_of(repository, "HEAD"), PRESET).policy
    except SnapshotError as error:
        raise click.ClickException(str(error)) from None


def _conflict(base: Path, ours: Path, theirs: Path, why: str, found: Sides) -> int:
    """Leave the conflict as git would, markers included; a wrong half must never look merged."""
    labels = [part for name in (found.ours, "base", found.theirs) for part in ("-L", name)]
    # https://git-scm.com/docs/git-merge-file: 0 clean, 1 to 127 conflicts, more is an error.
    done = subprocess.run(  # noqa: S603
        ["git", "merge-file", "--quiet", *labels, "--", str(ours), str(base), str(theirs)],  # noqa: S607
        check=False,
        capture_output=True,
        text=True,
    )
    notes = [why]
    if found.note:
        notes.append(found.note)
    if done.returncode == 0:
        notes.append("The file holds git's own text merge, without markers; look at it.")
    click.echo(f"referee: {' '.join(notes)}", err=True)
    # git takes 1 to 128 for a conflict and more for an error, which keeps nothing:
    # https://git-scm.com/docs/gitattributes#_defining_a_custom_merge_driver
    return 1 if done.returncode <= MOST_CONFLICTS else 129
