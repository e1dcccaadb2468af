"""Git over HTTP: git's own http-backend as a CGI program, for fetching only."""

import asyncio
import shutil
from pathlib import Path

from aiohttp import web

from bot.sandbox.auth import basic_token, installation_of
from bot.sandbox.git import environment
from bot.sandbox.permissions import FORBIDDEN
from bot.sandbox.site import Site
from bot.sandbox.state import Repository

SERVICE = "git-upload-pack"


def _say(status: int, text: str) -> web.Response:
    challenge = {"WWW-Authenticate": 'Basic realm="GitHub"'} if status == 401 else {}
    return web.Response(status=status, text=text + "\n", headers=challenge)


def authorized(site: Site, request: web.Request) -> Repository | web.Response:
    """The repository that the request's token may fetch, or the refusal to send."""
    header = request.headers.get("Authorization", "")
    if not header:
        return _say(401, "Repository not found.")
    installation = installation_of(site.state, basic_token(header))
    if installation is None:
        return _say(401, "Invalid username or token.")
    name = f"{request.match_info['owner']}/{request.match_info['repo']}"
    found = site.state.repository(name)
    if found is None or found.installation is not installation:
        return _say(404, "Repository not found.")
    if not installation.may("contents=read"):
        return _say(403, FORBIDDEN)
    return found


async def serve(site: Site, request: web.Request) -> web.Response:
    """Answer one request of the smart protocol.

    https://git-scm.com/docs/git-http-backend
    """
    path = request.match_info["path"]
    asked = request.query.get("service") if path == "info/refs" else path
    if asked != SERVICE:
        return _say(403, "This remote can only be fetched from.")
    repository = authorized(site, request)
    if isinstance(repository, web.Response):
        return repository
    output = await _backend(request, repository.git.path, path)
    return _response(output)


async def _backend(request: web.Request, git_dir: Path, path: str) -> bytes:
    variables = {
        **environment(),
        "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_0": "uploadpack.allowAnySHA1InWant",
        "GIT_CONFIG_VALUE_0": "true",
        "GIT_CONFIG_KEY_1": "uploadpack.allowFilter",
        "GIT_CONFIG_VALUE_1": "true",
        "GIT_PROJECT_ROOT": str(git_dir),
        "GIT_HTTP_EXPORT_ALL": "1",
        "PATH_INFO": f"/{path}",
        "REQUEST_METHOD": request.method,
        "QUERY_STRING": request.query_string,
        "CONTENT_TYPE": request.headers.get("Content-Type", ""),
        "HTTP_CONTENT_ENCODING": request.headers.get("Content-Encoding", ""),
        "GIT_PROTOCOL": request.headers.get("Git-Protocol", ""),
        "REMOTE_ADDR": "127.0.0.1",
    }
    child = await asyncio.create_subprocess_exec(
        shutil.which("git") or "git",
        "http-backend",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=variables,
    )
    output, _ = await child.communicate(await request.read())
    return output


def _response(output: bytes) -> web.Response:
    head, _, body = output.partition(b"\r\n\r\n")
    headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line)
    status = int(headers.pop("Status", "200 OK").split(" ")[0]) if head else 500
    return web.Response(status=status, body=body, headers=headers)
