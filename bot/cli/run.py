"""`referee run`: serve GitHub when an App is configured, else try the sample pull request."""

import os
import socket

import click

from bot import sample
from bot.cli.sandbox import Trial, run_trial
from bot.cli.serve import command as serve
from bot.log import configure
from bot.settings import has_app_credentials

PORT = 8000


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
    configure("auto", level=30)
    run_trial(Trial(None, "main", sample.BRANCH, sample.NUMBER), _free_port(), once=False)


def _free_port() -> int:
    """Return the usual port of the sandbox, or 0 (any) when somebody has it."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", PORT))
        except OSError:
            return 0
    return PORT
