"""`referee policy`: questions about a policy file."""

from pathlib import Path

import click

from checks.model import Blob
from checks.policy import PolicyError, read_policy


@click.group()
def command() -> None:
    """Ask about a policy file (.github/referee.yml)."""


@command.command()
@click.argument("file", type=click.Path(path_type=Path))
def check(file: Path) -> int:
    """Check whether FILE is a policy.

    Prints each problem as FILE:LINE:COLUMN. Exit status: 0 a policy, 1 not one, 2 wrong input.
    """
    try:
        read_policy(Blob.of(file.read_bytes()))
    except OSError as error:
        raise click.ClickException(f"{file} cannot be read: {error.strerror}.") from None
    except PolicyError as error:
        for line, column, what in error.problems:
            click.echo(f"{file}:{line}:{column}: {what}")
        return 1
    click.echo(f"{file}: a valid policy.")
    return 0
