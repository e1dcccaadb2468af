"""Fixtures for every test."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.sandbox import Sandbox
from tests.github.contract import check_delivery, check_exchange


@pytest.fixture
async def sandbox(tmp_path: Path) -> AsyncIterator[Sandbox]:
    """A running sandbox; at the end all its traffic must have been GitHub's."""
    async with Sandbox(tmp_path / "sandbox") as running:
        yield running
    assert_contract(running)


def assert_contract(sandbox: Sandbox) -> None:
    """Fail with one line for each part of the traffic that GitHub's descriptions forbid."""
    broken = [problem for it in sandbox.requests for problem in check_exchange(it)]
    broken += [problem for it in sandbox.deliveries for problem in check_delivery(it)]
    if broken:
        lines = "\n".join(dict.fromkeys(broken))
        pytest.fail(f"Not what GitHub would do:\n{lines}", pytrace=False)
