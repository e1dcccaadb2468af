"""`referee serve`: the App's webhook server."""

import asyncio
import os
import signal

import click

from bot.jobs import StoreError
from bot.log import configure
from bot.serve import running
from bot.settings import Settings, SettingsError, load_settings
from checks.policy import preset


@click.command()
def command() -> None:
    """Serve GitHub with the App in the environment or .env.

    Needs REFEREE_APP_ID, REFEREE_PRIVATE_KEY and REFEREE_WEBHOOK_SECRETS; the secrets may be
    given as the path of a file in the variable with _FILE at its end.
    """
    try:
        settings = load_settings(os.environ)
        preset(settings.policy_preset)
    except SettingsError as error:
        raise click.ClickException(" ".join(error.problems)) from None
    except LookupError as error:
        raise click.ClickException(f"REFEREE_POLICY_PRESET is wrong: {error.args[0]}") from None
    configure(settings.log_format)
    try:
        asyncio.run(serve(settings))
    except (StoreError, OSError) as error:
        raise click.ClickException(f"Referee cannot serve: {error}") from None


async def serve(settings: Settings) -> None:
    """Serve until SIGTERM or SIGINT."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for each in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(each, stop.set)
    async with running(settings) as port:
        click.echo(f"Referee serves http://{settings.host}:{port}/webhook", err=True)
        await stop.wait()
