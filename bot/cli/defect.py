"""What to say of an error that nobody foresaw."""

import errno
from pathlib import Path

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def unforeseen(error: Exception) -> str:
    """Return one sentence that says what is wrong and, of a defect, where, to repair it."""
    if isinstance(error, OSError) and error.errno in _FULL:
        return f"The output cannot be written: {error.strerror}."
    import traceback

    frame = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(frame.filename).name}:{frame.lineno}"
    what = f"{type(error).__name__}: {error}"
    return f"A defect of Referee ({what}, {where}); please report it."
