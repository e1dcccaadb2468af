"""What to say of an error that nobody foresaw."""

from pathlib import Path


def defect(error: Exception) -> str:
    """Return one sentence that says where an error is, for whoever repairs it."""
    import traceback

    frame = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(frame.filename).name}:{frame.lineno}"
    what = f"{type(error).__name__}: {error}"
    return f"A defect of Referee ({what}, {where}); please report it."
