"""The page of each rule, made from the documentation in its file."""

from aiohttp import web

from bot.pages.markdown import page
from checks.docs import rule_markdown, topics_markdown
from checks.registry import find_rule


def add_rule_pages(app: web.Application) -> None:
    """Serve ``/rules/`` and ``/rules/<topic>/<defect>``."""
    app.router.add_get("/rules/", _all_rules)
    app.router.add_get("/rules/{topic}/{defect}", _one_rule)


async def _all_rules(_request: web.Request) -> web.Response:
    return web.Response(text=page("Rules", topics_markdown()), content_type="text/html")


async def _one_rule(request: web.Request) -> web.Response:
    rule = find_rule(f"{request.match_info['topic']}/{request.match_info['defect']}")
    if rule is None:
        raise web.HTTPNotFound
    return web.Response(text=page(rule.name, rule_markdown(rule)), content_type="text/html")
