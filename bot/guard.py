"""A command that reads a repository comes to an end, even where the library that reads it does not.

libgit2 loops for ever on a loose object that was cut short, and nothing inside of its process can
stop it: https://github.com/libgit2/libgit2/blob/main/src/libgit2/odb_loose.c
"""

import os
import select
import signal
import sys
from contextlib import suppress

SECONDS = 300.0
STEP = 0.5
_pulse: list[int] = []


def watched() -> None:
    """Go on in a process that is ended after `SECONDS` without a `tick`; only that one returns."""
    if not hasattr(os, "fork"):
        return
    sys.stdout.flush()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _pulse.append(writer)
        return
    os.close(writer)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal: the other process got it too
    for each in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, lambda number, _frame: os.kill(child, number))
    _end_like(child, in_time=_beats(reader))


def tick() -> None:
    """Say that the command makes progress."""
    with suppress(OSError):
        if _pulse:
            os.write(_pulse[0], b".")


def _beats(reader: int) -> bool:
    """Return True when the other process has ended, False when it makes no progress."""
    silent = 0.0
    while silent < SECONDS:
        # Step by step, as a terminal may suspend both processes for hours.
        if not select.select([reader], [], [], STEP)[0]:
            silent += STEP
        elif os.read(reader, 4096):
            silent = 0.0
        else:
            return True
    return False


def _end_like(child: int, *, in_time: bool) -> None:
    if not in_time:
        os.kill(child, signal.SIGKILL)
        sys.stderr.write(
            f"referee: The command made no progress for {SECONDS:g} seconds and was stopped; the "
            "repository may be damaged: run `git fsck`, and fetch it again, as a whole.\n"
        )
        sys.stderr.flush()
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    os._exit(2 if not in_time else code if code >= 0 else 128 - code)
