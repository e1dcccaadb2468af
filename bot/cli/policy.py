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
    """Check FILE; exit status 0 when it is a policy, 1 when not, with each problem's place."""
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
