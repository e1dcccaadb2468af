"""Artifacts and logs, which are fetched from another host through a redirect."""

from aiohttp import web

from bot.sandbox.answers import Answer, RefusedError, not_found, page
from bot.sandbox.rest.routes import Call, Routes
from bot.sandbox.rest.runs import ACTIONS, RUN, found_run
from bot.sandbox.shapes.actions import artifact as artifact_shape
from bot.sandbox.site import Site
from bot.sandbox.workflows import Stored, zipped

routes = Routes()
ARTIFACT = ACTIONS + "/artifacts/{artifact_id}"
BLOB = "/blobs/{repository:[0-9]+}/{id:[0-9]+}"


@routes.add("GET", RUN + "/artifacts")
async def list_artifacts(call: Call) -> Answer:
    """The artifacts of a run."""
    name = call.url.query.get("name")
    found = [it for it in found_run(call).artifacts if name in (None, it.name)]
    return page(found, call.url, lambda it: artifact_shape(call.site.state, it), "artifacts")


def _found(call: Call) -> Stored:
    number = call.number("artifact_id")
    listed = (artifact for run in call.repository.runs for artifact in run.artifacts)
    found = next((artifact for artifact in listed if artifact.id == number), None)
    if found is None:
        raise not_found()
    return found


@routes.add("GET", ARTIFACT)
async def get_artifact(call: Call) -> Answer:
    """One artifact."""
    return Answer(artifact_shape(call.site.state, _found(call)))


@routes.add("GET", ARTIFACT + "/{archive_format}")
async def download_artifact(call: Call) -> Answer:
    """Where the archive lies: on a host that wants no token, as on github.com."""
    artifact = _found(call)
    if call.parameters["archive_format"] != "zip":
        raise not_found()
    if artifact.expired:
        raise RefusedError(410, "Artifact has expired")
    return elsewhere(call.site, f"/blobs/{call.repository.id}/{artifact.id}")


@routes.add("GET", RUN + "/logs")
async def download_logs(call: Call) -> Answer:
    """Where the logs of a run lie."""
    run = found_run(call)
    if run.logs_expired:
        raise RefusedError(410, "The logs for this run have expired and are no longer available.")
    return elsewhere(call.site, f"/blobs/{call.repository.id}/{run.id}")


def elsewhere(site: Site, path: str) -> Answer:
    """Send the caller to another host, which is this one by another name."""
    host = site.state.url.replace("127.0.0.1", "localhost")
    return Answer(status=302, headers={"Location": f"{host}{path}?sig=of-this-minute"})


class Blobs:
    """The other host: it refuses a token, as the one of github.com does."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def add_routes(self, router: web.UrlDispatcher) -> None:
        """Serve the archives."""
        router.add_get(BLOB, self._archive)

    async def _archive(self, request: web.Request) -> web.Response:
        return await self._site.faults.apply(request, request.path, lambda: self._served(request))

    async def _served(self, request: web.Request) -> web.Response:
        if "Authorization" in request.headers or "sig" not in request.query:
            raise web.HTTPForbidden(text="This address is signed; it takes no other credentials.")
        content = self._content(int(request.match_info["id"]))
        if content is None:
            raise web.HTTPNotFound(text="There is nothing here any more.")
        return web.Response(body=content, content_type="application/zip")

    def _content(self, wanted: int) -> bytes | None:
        for run in (run for known in self._site.state.repositories for run in known.runs):
            if run.id == wanted and not run.logs_expired:
                return zipped({f"{job.name}.txt": b"" for job in run.attempt.jobs})
            for artifact in run.artifacts:
                if artifact.id == wanted and not artifact.expired:
                    return artifact.content
        return None
