"""The page of each rule, made from the documentation in its file."""

import asyncio
from functools import cache

from aiohttp import web

from bot.pages.markdown import page
from checks.docs import rule_markdown, topics_markdown
from checks.registry import find_rule


def add_rule_pages(app: web.Application) -> None:
    """Serve ``/rules/``, also without the slash, and ``/rules/<topic>/<defect>``."""
    for address in ("/rules", "/rules/"):
        app.router.add_get(address, _all_rules)
    app.router.add_get("/rules/{topic}/{defect}", _one_rule)


async def _all_rules(_request: web.Request) -> web.Response:
    # The first look reads every rule, which no delivery should wait for.
    return _html(await asyncio.to_thread(_all_page))


async def _one_rule(request: web.Request) -> web.Response:
    name = f"{request.match_info['topic']}/{request.match_info['defect']}"
    rule = await asyncio.to_thread(find_rule, name)
    if rule is None:
        raise web.HTTPNotFound
    return _html(_rule_page(rule.name))


def _html(text: str) -> web.Response:
    return web.Response(text=text, content_type="text/html")


@cache
def _all_page() -> str:
    return page("Rules", topics_markdown())


@cache
def _rule_page(name: str) -> str:
    rule = find_rule(name)
    assert rule is not None
    return page(rule.name, rule_markdown(rule))
