"""Whatever one round meets, the next one comes."""

import asyncio
from typing import Any

import pytest

from bot.github import GitHubError
from bot.jobs import StoreError
from bot.reconcile import keep


@pytest.mark.parametrize(
    "trouble", [GitHubError("It is down."), StoreError("It is full."), KeyError("suspended_at")]
)
async def test_trouble_is_logged_and_never_the_last_round(
    log: list[Any], trouble: Exception
) -> None:
    rounds, second = 0, asyncio.Event()

    async def fail() -> int:
        nonlocal rounds
        rounds += 1
        if rounds == 2:
            second.set()
        raise trouble

    kept = keep(fail, 0, asyncio.sleep, done="reconciled", failed="not_reconciled")
    task = asyncio.create_task(kept)
    async with asyncio.timeout(5):
        await second.wait()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert log[0]["event"] == "not_reconciled"
