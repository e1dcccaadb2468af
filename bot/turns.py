"""Whose turn it is to change something of a pull request that others may be about to change too."""

from __future__ import annotations

import asyncio
from typing import Literal
from weakref import WeakValueDictionary

What = Literal["labels", "comment"]
_turns: WeakValueDictionary[tuple[str, int, str], asyncio.Lock] = WeakValueDictionary()


def turn(repository: str, number: int, what: What) -> asyncio.Lock:
    """Return what to hold from reading labels, or our comment, until the change is made.

    Two changes that were decided at once would end in labels that exclude each other, or in a
    comment that says what was so before.
    """
    return _turns.setdefault((repository, number, what), asyncio.Lock())
