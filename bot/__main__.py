"""The start of `referee`. What takes long to import is imported when the process is set up."""

import gc
import os
import sys
from typing import NoReturn

from bot.guard import watched

# They talk to nobody.
READ_REPOSITORIES = frozenset({"backtest", "changelog", "check", "fix", "matrix", "owners"})


def main() -> NoReturn:
    """Run the command line."""
    # Most objects of a command, such as what a parser read, live to its end and hold no cycles;
    # to go through them again and again takes a third of the time.
    gc.set_threshold(100_000)
    if READ_REPOSITORIES.intersection(sys.argv[1:2]):
        # pygit2 reads the certificates of this machine when it is imported, which takes a tenth of
        # a short check: https://github.com/libgit2/pygit2/blob/master/pygit2/settings.py
        os.environ.update(SSL_CERT_FILE=os.devnull, SSL_CERT_DIR=os.sep)
        watched()
    from bot.cli.referee import run

    run()


if __name__ == "__main__":
    main()
