"""Connections that bring no whole request do not stay open."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from aiohttp import web

from bot.idle import Idle


@pytest.fixture
async def port() -> AsyncIterator[int]:
    async def respond(request: web.Request) -> web.Response:
        if request.path == "/slow":
            await asyncio.sleep(0.2)
        return web.Response(text="answered")

    idle = Idle(seconds=0.05, every=0.02)
    app = web.Application(middlewares=[idle.middleware])
    app.router.add_get("/{any:.*}", respond)
    app.on_cleanup.append(idle.stop)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    assert runner.server is not None
    idle.watch(runner.server)
    yield int(runner.addresses[0][1])
    await runner.cleanup()


WHOLE = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nX-A: ", WHOLE, WHOLE + WHOLE[:9]])
async def test_what_stays_incomplete_is_closed(port: int, sent: bytes) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(sent)
    async with asyncio.timeout(5):
        read = await reader.read()
    assert read.count(b"answered") == sent.count(WHOLE)
    writer.close()
    await writer.wait_closed()


async def test_what_is_being_answered_is_not_closed(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(WHOLE.replace(b"/ ", b"/slow "))
    async with asyncio.timeout(5):
        assert b"answered" in await reader.read()
    writer.close()
    await writer.wait_closed()
