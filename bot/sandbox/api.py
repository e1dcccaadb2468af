"""The HTTP edge of the API: log, faults, identity, limits, then the endpoint."""

import json
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from aiohttp import web

from bot.sandbox import graphql
from bot.sandbox.answers import Answer, RateLimit, RefusedError, not_found, respond
from bot.sandbox.auth import Viewer, authenticate
from bot.sandbox.delivery import Json
from bot.sandbox.exchange import Exchange
from bot.sandbox.faults import NoAnswerError
from bot.sandbox.rest import (
    apps,
    artifacts,
    checks,
    comments,
    people,
    pulls,
    reviews,
    runs,
    statuses,
    workflows,
)
from bot.sandbox.rest.routes import Call, Route
from bot.sandbox.site import Site

BASE = "/api/v3"
AREAS = (apps, artifacts, checks, comments, people, pulls, reviews, runs, statuses, workflows)
ROUTES = [route for area in AREAS for route in area.routes.listed]


class Api:
    """REST and GraphQL, with the log of every exchange."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._limit = RateLimit(site.state.clock)
        self.exchanges: list[Exchange] = []

    def add_routes(self, router: web.UrlDispatcher) -> None:
        """Serve the endpoints; what is unknown gets GitHub's 404."""
        for route in ROUTES:
            pattern = BASE + route.template.replace("{ref}", "{ref:.+}")
            router.add_route(route.method, pattern, partial(self._rest, route))
        router.add_post("/api/graphql", self._graphql)
        router.add_route("*", BASE + "/{unknown:.*}", self._unknown)

    async def _rest(self, route: Route, request: web.Request) -> web.Response:
        async def work(exchange: Exchange) -> Answer:
            viewer = self._viewer(request)
            route.check(viewer)
            body = _object(exchange.body) if request.method in ("POST", "PATCH", "PUT") else {}
            parameters = exchange.parameters
            self._check_writable(request.method, parameters)
            return await route.endpoint(Call(self._site, viewer, parameters, request.url, body))

        path = request.path.removeprefix(BASE)
        return await self._exchange(request, path, route.template, work)

    def _check_writable(self, method: str, parameters: Mapping[str, str]) -> None:
        """Refuse to change an archived repository.

        https://docs.github.com/en/repositories/archiving-a-github-repository/archiving-repositories
        """
        name = f"{parameters.get('owner')}/{parameters.get('repo')}"
        found = self._site.state.repository(name)
        if method != "GET" and found is not None and found.archived:
            raise RefusedError(403, "Repository was archived so is read-only.")

    async def _graphql(self, request: web.Request) -> web.Response:
        async def work(exchange: Exchange) -> Answer:
            viewer = self._viewer(request)
            if viewer.installation is None:
                raise RefusedError(401, "Requires authentication")
            return await graphql.answer(self._site, viewer, _object(exchange.body))

        return await self._exchange(request, "/graphql", "/graphql", work)

    async def _unknown(self, request: web.Request) -> web.Response:
        async def work(_: Exchange) -> Answer:
            raise not_found()

        return await self._exchange(request, request.path.removeprefix(BASE), None, work)

    def _viewer(self, request: web.Request) -> Viewer:
        if not request.headers.get("User-Agent"):
            message = "Request forbidden by administrative rules: it has no User-Agent header."
            raise RefusedError(403, message)
        return authenticate(self._site.state, request.headers.get("Authorization", ""))

    async def _exchange(
        self,
        request: web.Request,
        path: str,
        template: str | None,
        work: Callable[[Exchange], Awaitable[Answer]],
    ) -> web.Response:
        exchange = await _opened(request, path, template)
        self.exchanges.append(exchange)
        made: list[web.Response] = []

        async def proceed() -> web.Response:
            answer = await _attempt(work, exchange)
            response = respond(answer, request)
            response.headers.update(self._common(request, response))
            _note(exchange, response)
            made.append(response)
            return response

        try:
            response = await self._site.faults.apply(request, path, proceed)
        except NoAnswerError:
            exchange.injected, exchange.lost = not made, True
            return web.Response(status=499)
        if response not in made:
            exchange.injected = True
            _note(exchange, response)
        return response

    def _common(self, request: web.Request, response: web.Response) -> dict[str, str]:
        viewer = request.headers.get("Authorization", "nobody")
        return {
            **self._limit.headers(viewer, free=response.status == 304),
            "X-GitHub-Request-Id": f"SANDBOX:{len(self.exchanges)}",
            "X-GitHub-Media-Type": "github.v3; format=json",
        }


async def _opened(request: web.Request, path: str, template: str | None) -> Exchange:
    raw = await request.read()
    try:
        body = json.loads(raw) if raw else None
    except ValueError:
        body = raw
    return Exchange(
        method=request.method,
        path=path,
        template=template,
        parameters=dict(request.match_info),
        query=tuple(request.query.items()),
        headers={k: v for k, v in request.headers.items() if k != "Authorization"},
        body=body,
    )


async def _attempt(work: Callable[[Exchange], Awaitable[Answer]], exchange: Exchange) -> Answer:
    try:
        return await work(exchange)
    except RefusedError as refused:
        return Answer(refused.body, status=refused.status, headers=refused.headers)


def _object(body: Any) -> Json:
    """The body as a JSON object.

    Raises RefusedError (400).
    """
    if body is None:
        return {}
    if isinstance(body, bytes):
        raise RefusedError(400, "Problems parsing JSON")
    if not isinstance(body, dict):
        raise RefusedError(400, "Body should be a JSON object")
    return body


def _note(exchange: Exchange, response: web.Response) -> None:
    exchange.status, exchange.answer_headers = response.status, dict(response.headers)
    exchange.answer = _content(response.body) if isinstance(response.body, bytes) else None


def _content(body: bytes) -> Any:
    """The JSON of an answer, or the text that a fault put there."""
    try:
        return json.loads(body)
    except ValueError:
        return body.decode(errors="replace")
