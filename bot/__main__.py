"""The start of `referee`. What takes long to import is imported when the process is set up."""

import gc
import io
import os
import signal
import sys
from typing import NoReturn

from bot.guard import watched
from bot.spared import spared

# They talk to nobody.
READ_REPOSITORIES = frozenset({"backtest", "changelog", "check", "fix", "matrix", "owners"})


def _open_streams() -> None:
    """Let every write to the standard streams end well, whatever the caller made of them."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed, as by `>&-`; the lowest number is given out first
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # names in git are any bytes, terminals any code
            stream.reconfigure(errors="backslashreplace")


def main() -> NoReturn:
    """Run the command line."""
    _open_streams()
    # Python would print a traceback until there is what catches that; nohup ignores it as before.
    heard = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if heard:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Most objects of a command, such as what a parser read, live to its end and hold no cycles;
    # to go through them again and again takes a third of the time.
    gc.set_threshold(100_000)
    if READ_REPOSITORIES.intersection(sys.argv[1:2]):
        watched()
        with spared():
            import cachetools  # noqa: F401
            import click  # noqa: F401
            import pygit2  # noqa: F401
            import yaml  # noqa: F401
    from bot.cli.referee import run

    if heard:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run()


if __name__ == "__main__":
    main()
