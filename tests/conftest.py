"""Fixtures for every test."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.sandbox import Sandbox
from tests.github.contract import check_delivery, check_exchange


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "malformed: sends the sandbox requests of a wrong form, which it must refuse"
    )


@pytest.fixture
async def sandbox(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Sandbox]:
    """A running sandbox; at the end all its traffic must have been GitHub's."""
    async with Sandbox(tmp_path / "sandbox") as running:
        yield running
    malformed = request.node.get_closest_marker("malformed") is not None
    assert_contract(running, malformed=malformed)


def assert_contract(sandbox: Sandbox, *, malformed: bool = False) -> None:
    """Fail with one line for each part of the traffic that GitHub's descriptions forbid."""
    traffic = sandbox.requests
    broken = [it for exchange in traffic for it in check_exchange(exchange, malformed=malformed)]
    broken += [problem for it in sandbox.deliveries for problem in check_delivery(it)]
    if broken:
        lines = "\n".join(dict.fromkeys(broken))
        pytest.fail(f"Not what GitHub would do:\n{lines}", pytrace=False)
