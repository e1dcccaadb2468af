"""The web pages: pull requests as a person would see them."""

import hashlib
import secrets
from pathlib import Path

from aiohttp import web
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from bot.sandbox import view
from bot.sandbox.git import GitError
from bot.sandbox.roles import WRITERS, role_of
from bot.sandbox.site import Site
from bot.sandbox.state import Account, PullRequest, Repository

HERE = Path(__file__).parent
PULL = "/{owner}/{repo}/pull/{number:[0-9]+}"


def find_repository(site: Site, request: web.Request) -> Repository:
    """The repository of the address.

    Raises HTTPNotFound.
    """
    place = request.match_info
    found = site.state.repository(f"{place['owner']}/{place['repo']}")
    if found is None:
        raise web.HTTPNotFound(text="There is no such repository here.")
    return found


def find_pull(site: Site, request: web.Request) -> PullRequest:
    """The pull request of the address.

    Raises HTTPNotFound.
    """
    found = find_repository(site, request).pulls.get(int(request.match_info["number"]))
    if found is None:
        raise web.HTTPNotFound(text="There is no such pull request here.")
    return found


def address(pull: PullRequest) -> str:
    """The path of a pull request's page."""
    return f"/{pull.repository.full_name}/pull/{pull.number}"


class Page:
    """Serves the pages that `person` looks at."""

    def __init__(self, site: Site, person: Account) -> None:
        self._site, self._person = site, person
        self._templates = Environment(
            loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined
        )

    def add_routes(self, router: web.UrlDispatcher) -> None:
        """Serve everything that is looked at."""
        router.add_get("/", self._index)
        router.add_get("/page.css", self._style)
        router.add_get(PULL, self._conversation)
        router.add_get(PULL + "/files", self._files)
        router.add_get(PULL + "/version", self._version)
        router.add_get("/{owner}/{repo}/blob/{commit}/{path:.+}", self._blob)
        router.add_get("/{owner}/{repo}/runs/{run:[0-9]+}", self._run)
        router.add_get("/{owner}/{repo}/actions/runs/{run:[0-9]+}{rest:.*}", self._workflow_run)

    def _render(self, template: str, **values: object) -> str:
        return self._templates.get_template(template).render(person=self._person, **values)

    def _show(self, template: str, **values: object) -> web.Response:
        nonce = secrets.token_urlsafe(16)
        policy = f"default-src 'none'; style-src 'self'; script-src 'nonce-{nonce}'; "
        headers = {
            "Content-Security-Policy": policy + "connect-src 'self'; form-action 'self'",
            "Referrer-Policy": "same-origin",
        }
        text = self._render(template, nonce=nonce, **values)
        return web.Response(text=text, content_type="text/html", headers=headers)

    async def _index(self, _: web.Request) -> web.Response:
        pulls = sorted(self._site.state.pulls(), key=lambda pull: -pull.id)
        return self._show("index.html", pulls=pulls)

    async def _style(self, _: web.Request) -> web.Response:
        return web.Response(text=(HERE / "page.css").read_text(), content_type="text/css")

    async def _conversation_values(self, pull: PullRequest) -> dict[str, object]:
        git = pull.repository.git
        try:
            files = await git.diff(pull.merge_base, pull.head_sha)
            commits = len(git.commits(pull.merge_base, pull.head_sha))
        except GitError:
            files, commits = (), 0
        return {
            "pull": pull,
            "tab": "conversation",
            "opening": view.opening(pull),
            "entries": view.timeline(pull),
            "runs": view.runs(pull),
            "workflow_runs": view.workflow_runs(pull),
            "commits": commits,
            "files": files,
            "may_press": role_of(self._site.state, pull.repository, self._person) in WRITERS,
            "base_url": self._site.state.url,
        }

    async def _conversation(self, request: web.Request) -> web.Response:
        values = await self._conversation_values(find_pull(self._site, request))
        return self._show("pull.html", version=self._fingerprint(values), **values)

    def _fingerprint(self, values: dict[str, object]) -> str:
        """A text that changes whenever the page does."""
        text = self._render("pull.html", nonce="", version="", **values)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    async def _version(self, request: web.Request) -> web.Response:
        values = await self._conversation_values(find_pull(self._site, request))
        return web.Response(text=self._fingerprint(values))

    async def _files(self, request: web.Request) -> web.Response:
        values = await self._conversation_values(find_pull(self._site, request))
        return self._show("files.html", **{**values, "tab": "files"})

    async def _blob(self, request: web.Request) -> web.Response:
        commit, path = request.match_info["commit"], request.match_info["path"]
        repository = find_repository(self._site, request)
        known = repository.git.resolve(commit)
        content = None if known is None else repository.git.read(known, path)
        if content is None:
            raise web.HTTPNotFound(text="There is no such file at that commit.")
        lines = content.decode(errors="replace").removesuffix("\n").split("\n")
        shown = {"repository": repository, "path": path, "commit": commit, "lines": lines}
        return self._show("blob.html", **shown)

    async def _run(self, request: web.Request) -> web.Response:
        number = int(request.match_info["run"])
        for pull in find_repository(self._site, request).pulls.values():
            if any(run.id == number for run in pull.check_runs):
                raise web.HTTPFound(f"{address(pull)}#run-{number}")
        raise web.HTTPNotFound(text="No pull request has this check run at its head.")

    async def _workflow_run(self, request: web.Request) -> web.Response:
        number = int(request.match_info["run"])
        for pull in find_repository(self._site, request).pulls.values():
            if any(run.id == number for run in view.workflow_runs(pull)):
                raise web.HTTPFound(f"{address(pull)}#workflow-run-{number}")
        raise web.HTTPNotFound(text="No pull request has this run at its head.")
