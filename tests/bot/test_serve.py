"""What runs beside the server ends with it, and not in silence before it."""

import asyncio
from typing import Any

from bot.serve import _going


async def test_a_loop_that_ends_by_itself_is_told(log: list[Any]) -> None:
    async def broken() -> None:
        raise ValueError("no such key")

    async with _going(broken, asyncio.Event().wait):  # type: ignore[arg-type]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    (line,) = log
    assert (line["event"], line["log_level"]) == ("stopped_working", "error")
    assert str(line["exc_info"]) == "no such key"
