"""A command that reads a repository comes to an end, even where the library that reads it does not.

libgit2 loops for ever on a loose object that was cut short, and nothing inside of its process can
stop it: https://github.com/libgit2/libgit2/blob/main/src/libgit2/odb_loose.c
"""

import mmap
import os
import select
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

SECONDS = 300.0
READ_SECONDS = 30.0  # for one object, or the difference of two folders
STEP = 0.5
# One number that grows with all progress and is odd while the library reads, in memory that both
# processes share: a message each time would take a tenth of a short command.
_progress = memoryview(mmap.mmap(-1, 8)).cast("Q")
_times = count()
_readings: list[None] = []


def watched() -> None:
    """Go on in a process that is ended after `SECONDS` without a `tick`; only that one returns.

    A single reading of the repository may take `READ_SECONDS`.
    """
    if not hasattr(os, "fork"):
        return
    sys.stdout.flush()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        return  # the writer stays open until this process ends, by which the other one knows
    os.close(writer)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal: the other process got it too
    for each in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, lambda number, _frame: os.kill(child, number))
    _end_like(*_ended(reader, child))


def failure() -> int:
    """Return the exit status of a command that could not do its work."""
    # From a merge driver git takes up to 128 for a conflict, marked in the file that it wrote, and
    # more for an error: https://git-scm.com/docs/gitattributes#_defining_a_custom_merge_driver
    return 129 if "--driver" in sys.argv else 2


def tick() -> None:
    """Say that the command makes progress; cheap enough to be called all the time."""
    _progress[0] = 2 * next(_times) + bool(_readings)


@contextmanager
def reading() -> Iterator[None]:
    """Say that the library reads the repository meanwhile, which does not take long."""
    _readings.append(None)
    tick()
    try:
        yield
    finally:
        _readings.pop()
        tick()


def _ended(reader: int, child: int) -> tuple[int, float | None]:
    """Return the other process's wait status, and how long it made no progress if that ended it."""
    silent, seen = 0.0, _progress[0]
    # Step by step, as a terminal may suspend both processes for hours.
    while not select.select([reader], [], [], STEP)[0]:
        # Processes that it started still hold the pipe open when it was killed.
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status, None
        silent = silent + STEP if _progress[0] == seen else 0.0
        seen = _progress[0]
        if silent >= (READ_SECONDS if seen % 2 else SECONDS):
            os.kill(child, signal.SIGKILL)
            return os.waitpid(child, 0)[1], silent
    return os.waitpid(child, 0)[1], None


def _end_like(status: int, silent: float | None) -> None:
    if silent is not None:
        sys.stderr.write(
            f"referee: The command made no progress for {silent:g} seconds and was stopped; the "
            "repository may be damaged: run `git fsck`, and fetch it again, as a whole.\n"
        )
        sys.stderr.flush()
    code = os.waitstatus_to_exitcode(status)
    os._exit(failure() if silent is not None else code if code >= 0 else 128 - code)
