"""Placeholder."""

from typing import Any

from aiohttp import web


class Page:
    """P."""

    def __init__(self, *a: Any) -> None: ...
    def add_routes(self, router: web.UrlDispatcher) -> None: ...
