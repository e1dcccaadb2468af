"""Recipes are looked at only where the policy says, with little patience, and nothing is obeyed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from bot.upstream import MOST_BYTES, Pages, listed
from checks.signoff.facts import Upstream

START = "https://recipes.example/cookbook/"


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        (START, True),
        (f"{START}oak/b200?tp=8#flags", True),
        ("https://recipes.example/cookbook", False),
        ("https://recipes.example/other/", False),
        (f"{START}../private", False),
        (f"{START}%2e%2E/private", False),
        (f"{START}a%2f..%2f..%2fprivate", False),
        ("https://recipes.example@evil.example/cookbook/", False),
        ("https://recipes.example.evil.example/cookbook/", False),
        ("http://recipes.example/cookbook/", False),
        (f"{START}\nx", False),
        (f"{START}é", False),
    ],
)
def test_only_what_is_below_a_listed_address_is_looked_at(url: str, wanted: bool) -> None:
    assert listed(url, (START,)) is wanted


@asynccontextmanager
async def site(routes: dict[str, web.Response]) -> AsyncIterator[str]:
    """Serve fixed answers on localhost; gives the address."""

    async def answer(request: web.Request) -> web.Response:
        found = routes.get(request.path, web.Response(status=404))
        assert "Authorization" not in request.headers
        return web.Response(status=found.status, headers=dict(found.headers), body=found.body)

    app = web.Application()
    app.router.add_get("/{path:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


async def test_pages_and_where_they_lead() -> None:
    routes = {
        "/book/a": web.Response(text="--tp 8"),
        "/book/moved": web.Response(status=302, headers={"Location": "/book/a"}),
        "/book/away": web.Response(status=302, headers={"Location": "/private"}),
        "/book/round": web.Response(status=302, headers={"Location": "/book/round"}),
        "/book/broken": web.Response(status=500),
        "/book/long": web.Response(body=b"x" * (MOST_BYTES + 100)),
        "/private": web.Response(text="secret"),
    }
    async with site(routes) as address:
        starts = (f"{address}/book/",)
        found = {
            name: await Pages(private=True).read(f"{address}/book/{name}", starts)
            for name in ("a", "moved", "away", "round", "broken", "long", "none")
        }
    assert {name: each.state for name, each in found.items()} == {
        "a": "published",
        "moved": "published",
        "away": "unknown",
        "round": "unknown",
        "broken": "unknown",
        "long": "published",
        "none": "missing",
    }
    assert (found["a"].text, found["moved"].text, found["away"].text) == ("--tp 8", "--tp 8", "")
    assert len(found["long"].text) == MOST_BYTES


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "169.254.169.254"])
async def test_a_policy_cannot_reach_into_a_network(host: str) -> None:
    url = f"http://{host}:1/book/a"
    assert await Pages().read(url, (f"http://{host}:1/book/",)) == Upstream(url, "unknown")
