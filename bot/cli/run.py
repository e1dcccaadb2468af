"""`referee run`: serve GitHub when an App is configured, else try the sample pull request."""

import os

import click

from bot.cli.sandbox import command as sandbox
from bot.cli.serve import command as serve
from bot.settings import has_app_credentials


@click.command()
@click.pass_context
def command(context: click.Context) -> None:
    """Serve GitHub, or try the sample when no App is configured.

    The App's credentials come from the environment or from .env in this folder.
    """
    if has_app_credentials(os.environ):
        context.invoke(serve)
        return
    click.echo("No GitHub App is configured (REFEREE_APP_ID); this is the sandbox.", err=True)
    context.invoke(sandbox)
