"""A command of an installation that lacks what the command needs, such as the optional packages."""

from typing import NoReturn

import click

ANYTHING = {"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []}


def absent(name: str, package: str | None) -> click.Command:
    """Return a command that says which package it needs; all others work."""
    sentence = f"`referee {name}` needs the package {package}, which is not installed here"
    what = "with its extra `sandbox`" if name == "sandbox" else "again, with all that it requires"

    def tell() -> NoReturn:
        raise click.ClickException(f"{sentence}; install Referee {what}.")

    return click.Command(
        name, callback=tell, short_help=f"Needs {package}.", context_settings=ANYTHING
    )
