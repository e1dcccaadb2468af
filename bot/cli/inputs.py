"""What commands are given: files, a clone, and a policy."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from checks.model import Blob
from checks.policy import Policy, PolicyError, read_policy

PRESET = "inferencex"  # where there is no policy file
FILE = click.Path(path_type=Path)
Command = TypeVar("Command", bound=Callable[..., Any])


def repo_option(what: str = "A clone of the repository.") -> Callable[[Command], Command]:
    """Add --repo to a command, which gets a folder as ``repo``."""
    return click.option("--repo", type=FILE, default=".", show_default=True, help=what)


def read_file(file: Path) -> bytes:
    """Return what is in a file.

    Raises:
        click.ClickException: it cannot be read.

    """
    try:
        return file.read_bytes()
    except OSError as error:
        raise click.ClickException(f"{file} cannot be read: {error.strerror}.") from None


def policy_from(file: Path) -> Policy:
    """Return the policy of a file.

    Raises:
        click.ClickException: the file cannot be read or is no policy.

    """
    try:
        return read_policy(Blob.of(read_file(file)))
    except PolicyError as error:
        raise click.ClickException(f"{file} is not a policy: {error}") from None
