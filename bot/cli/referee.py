"""The command line as a whole: finds a command, and says what went wrong in one line."""

import os
import sys
import threading
from contextlib import suppress
from importlib import import_module
from typing import NoReturn

import click

from bot.guard import failure

COMMANDS = {
    "backtest": "bot.cli.backtest",
    "changelog": "bot.cli.changelog",
    "check": "bot.cli.check",
    "commands": "bot.cli.commands",
    "docs": "bot.cli.docs",
    "explain": "bot.cli.explain",
    "fix": "bot.cli.fix",
    "jobs": "bot.cli.jobs",
    "matrix": "bot.cli.matrix",
    "owners": "bot.cli.owners",
    "policy": "bot.cli.policy",
    "run": "bot.cli.run",
    "sandbox": "bot.cli.sandbox",
    "serve": "bot.cli.serve",
    "signoff": "bot.cli.signoff",
}
UNHEARD, INTERRUPTED = 141, 130  # as a shell reports a program that SIGPIPE or SIGINT ended


class _Commands(click.Group):
    """Finds a command in the module of its name."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        try:
            command = import_module(COMMANDS[cmd_name]).command
        except ModuleNotFoundError as error:
            from bot.cli.absent import absent

            return absent(cmd_name, error.name)
        assert isinstance(command, click.Command)
        return command

    def invoke(self, ctx: click.Context) -> object:
        """Run a command; click would end a broken pipe with status 1: "blocking findings"."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # https://docs.python.org/3/library/signal.html#note-on-sigpipe
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(UNHEARD)


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="referee", prog_name="referee")
@click.pass_context
def referee(context: click.Context) -> None:
    """Review and gate pull requests of LLM-inference benchmark repositories."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":  # https://no-color.org
        context.color = False


def run() -> NoReturn:
    """Run the command line; wrong input ends with one line on stderr and exit status 2."""
    try:
        _leave(referee.main(prog_name="referee", standalone_mode=False))
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        sys.exit(2)
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "referee"
        _fail(f"{error.format_message()} See `{command} --help`.")
    except click.ClickException as error:
        _fail(error.format_message())
    except (click.Abort, KeyboardInterrupt):
        os._exit(INTERRUPTED)  # nothing is waited for, such as the processes of a backtest
    except Exception as error:  # an uncaught one would end with status 1: "blocking findings"
        from bot.cli.defect import unforeseen

        _fail(unforeseen(error))


def _leave(status: int | None) -> NoReturn:
    """End with an exit status, without taking apart every object when nothing else runs."""
    sys.stdout.flush()
    sys.stderr.flush()
    if threading.active_count() == 1:
        os._exit(status or 0)  # a tenth of a short check is spent on the way out otherwise
    sys.exit(status)


def _fail(message: str) -> NoReturn:
    with suppress(OSError):  # where nobody hears it, the status still tells
        click.echo(f"referee: {' '.join(message.split())}", err=True)
    sys.exit(failure())
