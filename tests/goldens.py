"""Exact texts that people read; `UPDATE_GOLDENS=1` writes them anew, then read the diff."""

import os
from pathlib import Path

FOLDER = Path(__file__).parent / "golden"


def assert_golden(name: str, text: str) -> None:
    """Compare a text with the file of that name, to the byte."""
    path = FOLDER / name
    if os.environ.get("UPDATE_GOLDENS"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    changed = f"{path.name} reads differently now; UPDATE_GOLDENS=1 rewrites it"
    assert text == path.read_bytes().decode(), changed
