"""What a person may do on the page; each causes the webhooks that it causes on github.com."""

from urllib.parse import urlsplit

from aiohttp import web

from bot.sandbox import checks, conversation
from bot.sandbox.git import GitError
from bot.sandbox.page import PULL, address, find_pull
from bot.sandbox.roles import WRITERS, role_of
from bot.sandbox.site import Site
from bot.sandbox.state import Account, PullRequest, ReviewComment, ReviewThread
from bot.sandbox.suggestion import apply_suggestion
from bot.sandbox.suites import CheckRun


class PageActions:
    """Carries out what `person` presses."""

    def __init__(self, site: Site, person: Account) -> None:
        self._site, self._person = site, person

    def add_routes(self, router: web.UrlDispatcher) -> None:
        """Serve the forms of the page."""
        thread = PULL + "/threads/{thread:[0-9]+}"
        router.add_post(PULL + "/comment", self._comment)
        router.add_post(thread + "/resolve", self._resolve)
        router.add_post(thread + "/unresolve", self._unresolve)
        router.add_post(thread + "/reply", self._reply)
        router.add_post(PULL + "/suggestions/{comment:[0-9]+}/apply", self._apply)
        router.add_post(PULL + "/runs/{run:[0-9]+}/rerun", self._rerun)
        router.add_post(PULL + "/runs/{run:[0-9]+}/press", self._press)

    def _pull(self, request: web.Request) -> PullRequest:
        """The pull request of the address, if the form was on one of our own pages.

        Raises HTTPForbidden for a form of another site.
        """
        origin = request.headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc != request.host:
            raise web.HTTPForbidden(text="This form was sent from another site.")
        return find_pull(self._site, request)

    def _thread(self, request: web.Request) -> ReviewThread:
        number = int(request.match_info["thread"])
        found = next((it for it in self._pull(request).threads if it.id == number), None)
        if found is None:
            raise web.HTTPNotFound(text="There is no such thread here.")
        return found

    def _inline(self, request: web.Request) -> ReviewComment:
        number = int(request.match_info["comment"])
        comments = (it for thread in self._pull(request).threads for it in thread.comments)
        found = next((it for it in comments if it.id == number), None)
        if found is None:
            raise web.HTTPNotFound(text="There is no such comment here.")
        return found

    def _run(self, request: web.Request) -> CheckRun:
        number = int(request.match_info["run"])
        pull = self._pull(request)
        if role_of(self._site.state, pull.repository, self._person) not in WRITERS:
            raise web.HTTPForbidden(text="Only people who may write here can press this.")
        found = next((it for it in pull.check_runs if it.id == number), None)
        if found is None:
            raise web.HTTPNotFound(text="There is no such check run at this head.")
        return found

    async def _text(self, request: web.Request, name: str = "body") -> str:
        text = str((await request.post()).get(name, ""))
        if not text.strip():
            raise web.HTTPBadRequest(text="Write something first.")
        return text.replace("\r\n", "\n")

    async def _comment(self, request: web.Request) -> web.Response:
        pull, body = self._pull(request), await self._text(request)
        made = conversation.add_comment(self._site, pull, self._person, body)
        raise web.HTTPSeeOther(f"{address(pull)}#issuecomment-{made.id}")

    async def _reply(self, request: web.Request) -> web.Response:
        thread, body = self._thread(request), await self._text(request)
        made = conversation.reply(self._site, thread, self._person, body)
        raise web.HTTPSeeOther(f"{address(thread.pull)}#discussion_r{made.id}")

    async def _resolve(self, request: web.Request) -> web.Response:
        thread = self._thread(request)
        conversation.resolve(self._site, thread, self._person)
        raise web.HTTPSeeOther(f"{address(thread.pull)}#thread-{thread.id}")

    async def _unresolve(self, request: web.Request) -> web.Response:
        thread = self._thread(request)
        conversation.unresolve(self._site, thread, self._person)
        raise web.HTTPSeeOther(f"{address(thread.pull)}#thread-{thread.id}")

    async def _apply(self, request: web.Request) -> web.Response:
        comment = self._inline(request)
        try:
            await apply_suggestion(self._site, comment, self._person)
        except GitError as error:
            raise web.HTTPConflict(text=str(error)) from error
        raise web.HTTPSeeOther(f"{address(comment.thread.pull)}#discussion_r{comment.id}")

    async def _rerun(self, request: web.Request) -> web.Response:
        run, pull = self._run(request), self._pull(request)
        checks.tell_run(self._site, "rerequested", run, self._person)
        raise web.HTTPSeeOther(f"{address(pull)}#run-{run.id}")

    async def _press(self, request: web.Request) -> web.Response:
        run, pull = self._run(request), self._pull(request)
        try:
            identifier = await self._text(request, "identifier")
            checks.press_button(self._site, run, identifier, self._person)
        except LookupError as error:
            raise web.HTTPConflict(text=str(error)) from error
        raise web.HTTPSeeOther(f"{address(pull)}#run-{run.id}")
