"""The rules' pages on the server."""

from collections.abc import AsyncIterator

import aiohttp
import pytest
from aiohttp import web

from bot.app import start
from bot.pages.rules import add_rule_pages


@pytest.fixture
async def site() -> AsyncIterator[aiohttp.ClientSession]:
    app = web.Application()
    add_rule_pages(app)
    runner, port = await start(app, "127.0.0.1", 0)
    async with aiohttp.ClientSession(f"http://127.0.0.1:{port}") as session:
        yield session
    await runner.cleanup()


async def test_every_rule_has_a_page_and_a_place_in_the_list(site: aiohttp.ClientSession) -> None:
    for address in ("/rules", "/rules/", "/rules/changelog/pr-link"):
        async with site.get(address) as answer:
            assert (answer.status, answer.content_type) == (200, "text/html")
            assert "changelog/pr-link" in await answer.text()


async def test_references_are_links_each_on_a_line_of_its_own(site: aiohttp.ClientSession) -> None:
    async with site.get("/rules/recipe/parallelism-mismatch") as answer:
        page = await answer.text()
    for address in (
        "https://docs.vllm.ai/en/latest/serving/data_parallel_deployment/",
        "https://docs.sglang.io/advanced_features/server_arguments.html",
    ):
        assert f'<li><a href="{address}">{address}</a></li>' in page


async def test_there_is_no_page_of_an_unknown_rule(site: aiohttp.ClientSession) -> None:
    async with site.get("/rules/changelog/nope") as answer:
        assert answer.status == 404
