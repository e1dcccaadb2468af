"""The process that judges, `python -m bot.worker SECONDS`: one call after the other.

A call comes on standard input and its outcome goes to standard output, both pickled: the two
processes are one program. It ends itself when its memory or a call's time is used up, and when
the server is gone.
"""

import gc
import os
import pickle
import resource
import signal
import sys
import traceback
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

# What a call may take for itself. A library that cannot get more fails, and so does this call.
MOST_BYTES = 1024 * 1024 * 1024
# What may stay in memory for the next call: what was parsed makes it faster, up to here.
KEPT_BYTES = 160 * 1024 * 1024
# Most of what parsers read is kept, and to go through all of it takes as long as a call. That is
# done between calls only; in a call, what is new is gone through at times.
COLLECTIONS = (100_000, 20, 1_000_000)
MOST_CALLS = 250
FULL_COLLECTION = 16
_LENGTH = 8


class Call(NamedTuple):
    """A function, by its module and name, and what it is called with."""

    module: str
    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


class Outcome(NamedTuple):
    """What came of a call; ``last`` when the worker takes no other one."""

    value: Any
    error: Exception | None
    last: bool


def send(stream: BinaryIO, message: Call | Outcome) -> None:
    """Write a message to a pipe; raises what pickle and the pipe raise."""
    content = pickle.dumps(tuple(message))  # in the worker this module has another name
    stream.write(len(content).to_bytes(_LENGTH, "big") + content)
    stream.flush()


def receive(stream: BinaryIO) -> Any:
    """Read a message from a pipe; raises EOFError when the other side is gone."""
    head = stream.read(_LENGTH)
    content = stream.read(int.from_bytes(head, "big")) if len(head) == _LENGTH else b""
    if not content:
        raise EOFError
    return pickle.loads(content)  # noqa: S301 - from the other half of this program


def main() -> None:
    """Answer calls until there are no more, or until it is better to start afresh."""
    seconds = float(sys.argv[1])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal: the server ends its workers
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    with suppress(ValueError):  # a lower limit that somebody else set stays
        resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing that is printed gets between the answers
    gc.set_threshold(*COLLECTIONS)
    with suppress(EOFError, BrokenPipeError):
        _answer_all(seconds, answers)


def _answer_all(seconds: float, answers: BinaryIO) -> None:
    for count in range(1, MOST_CALLS + 1):
        call = Call(*receive(sys.stdin.buffer))
        # SIGALRM ends the process even where a C library loops for ever.
        signal.setitimer(signal.ITIMER_REAL, seconds)
        value, error = _outcome(call)
        signal.setitimer(signal.ITIMER_REAL, 0)
        tired = count == MOST_CALLS or isinstance(error, MemoryError) or resident() > KEPT_BYTES
        send(answers, Outcome(value, error, tired))
        if tired:
            return
        gc.collect(1 if count % FULL_COLLECTION else 2)


def _outcome(call: Call) -> tuple[Any, Exception | None]:
    try:
        return getattr(import_module(call.module), call.name)(*call.args, **call.kwargs), None
    except Exception as error:
        if not isinstance(error, MemoryError | RecursionError):
            error.add_note("".join(traceback.format_tb(error.__traceback__)))
        return None, error.with_traceback(None)


def resident() -> int:
    """Return the bytes that this process holds in memory."""
    with suppress(OSError, ValueError, IndexError):
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * resource.getpagesize()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


if __name__ == "__main__":
    main()
