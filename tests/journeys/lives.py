"""Random lives of a pull request: what people, machines and GitHub do, in any order."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from random import Random  # noqa: TID251 - seeded

from aiohttp import web

from bot.sandbox import faults
from bot.sandbox.faults import Proceed
from bot.sandbox.state import IssueComment, PullRequest, Review, ReviewComment
from tests.journeys import signing
from tests.journeys.conftest import DISCLOSED, World
from tests.journeys.policies import FIRST, KEY, MASTER, master
from tests.journeys.test_labels import FULL, LABEL, measurable
from tests.journeys.test_review import DRAFT_ONLY
from tests.journeys.test_runs import JOBS, on_demand

Words = IssueComment | Review | ReviewComment
ROLES = {"author": "write", "stranger": "read"}
FINDING = "draft-model/kv-cache-below-target"
COMMANDS = (
    *("/check", "/status", "/help", "/sweep full", "/sweep none", "/rerun", "/cancel", "/fix"),
    *("/verify", "/signoff", "/override review: why", "/override signoff: why", "/rerunn"),
    *(f"/dismiss {FINDING} why", f"/undismiss {FINDING}", f"/unofficial {KEY}", "/reuse-sweep-run"),
    *("/help\n/check\n/status", "/sweep full\n/sweep none"),
)
CONTENTS = (b"[]", b"[NaN]", b"[" * 100_000, b"\xff", b'[{"conc": 8, "hw": "\\ud800|`"}]')
PLACES = (
    *(("POST", "/(comments|reviews|reactions)$"), ("POST|PATCH", "/check-runs"), ("PATCH", ".")),
    *(("POST|PUT|DELETE", "."), ("GET", "/pulls/1001$"), ("POST", "/graphql$"), (".*", ".")),
    *(("GET|POST", "/actions/"), ("POST", "/access_tokens$"), ("GET|POST", "info/refs|git-upload")),
)


def _page(status: int, *, done: bool) -> faults.Action:
    """Answer with a page of something between us and GitHub, the work done or not."""

    async def act(_: web.Request, proceed: Proceed) -> web.Response:
        if done:
            await proceed()
        return web.Response(status=status, text="<html>", content_type="text/html")

    return act


async def _half(_: web.Request, proceed: Proceed) -> web.Response:
    """Do the work, and answer with half of the answer."""
    whole = await proceed()
    body = whole.body if isinstance(whole.body, bytes) else b""
    return web.Response(status=whole.status, body=body[: len(body) // 2])


TROUBLES = (
    *(faults.status(502), faults.secondary_limit(0), faults.too_many(0), faults.reset()),
    *(faults.answer_lost(), _page(200, done=False), _page(502, done=True), _half),
)


class Life:
    """One pull request, and what happens to it."""

    def __init__(self, world: World, seed: int) -> None:
        self.world, self.github = world, world.github
        self.random = Random(seed)
        self.said: list[Words] = []  # with commands that still stand as they were said
        self.trace: list[str] = []
        self.turn = 0
        self.pull: PullRequest

    async def begin(self) -> None:
        """Open the pull request."""
        world = self.world
        policy = f"{signing.policy()}sweeps: {{retries: 1000}}\n"
        await signing.prepared(world, **{".github/referee.yml": policy})
        for login, role in ROLES.items():
            world.github.set_role(login, role)  # type: ignore[arg-type]
        for name in (LABEL, FULL):
            world.github.make_label(world.name, name)
        self.sweep = world.github.add_workflow(
            world.name, "run-sweep.yml", "Run Sweep", JOBS, labels=[LABEL, FULL]
        )
        on_demand(world)
        number = await world.github.open_pull_request(
            world.name, "pr", "main", body=DISCLOSED, number=signing.NUMBER
        )
        self.pull = world.github.pull_request(number)

    async def goes_on(self, times: int) -> None:
        """Let so many more things happen."""
        for _ in range(times):
            await self._one_more()

    async def _one_more(self) -> None:
        often = (self.command, self.command, self.sign, self.push, self.trouble)
        acts: tuple[Callable[[], Awaitable[object]], ...] = (
            *(*often, *often, self.edit, self.delete, self.label, self.close, self.draft),
            *(self.run, self.measure, self.thread, self.tell_again, self.lose, self.retitle),
            *(self.main, self.pause, self.rest),
        )
        self.turn += 1
        act = self.random.choice(acts)
        self.trace.append(act.__name__)
        await act()

    async def end(self) -> None:
        """Leave it open and in peace."""
        self.github.faults.clear()
        if self.pull.state != "open":
            await self.github.reopen(self.pull)

    async def command(self) -> None:
        body = self.random.choice((*COMMANDS, f"/ok-to-sweep {self.pull.head_sha}"))
        who = self.random.choice(("maintainer", "maintainer", "nina", "author", "stranger"))
        self.trace.append(f"{who}: {body}")
        if self.random.random() < 0.2:
            self.said.append(await self.github.review(self.pull, body, who))
            return
        said = await self.github.comment(self.pull, body, who)
        if self.random.random() < 0.1:
            await self.github.delete_comment(said)
        else:
            self.said.append(said)

    async def sign(self) -> None:
        who = self.random.choice(("nina", "otto", "stranger"))
        body = signing.filled(who)
        if self.random.random() < 0.3:
            body = body.replace("[x]", "[ ]", 1)
        await self.github.comment(self.pull, body, who)

    async def edit(self) -> None:
        if (said := self._somebodys()) is not None:
            who = self.random.choice((said.author.login, "author"))
            body = self.random.choice((said.body.replace("[x]", "[ ]"), f"{said.body}\n\n/status"))
            await self.github.edit_comment(said, body, who)

    async def delete(self) -> None:
        if (said := self._somebodys()) is not None:
            await self.github.delete_comment(said)

    def _somebodys(self) -> IssueComment | None:
        """Return a comment of a person, whose reactions are not looked at any more."""
        people = [c for c in self.pull.comments if c.author.login != "referee[bot]"]
        found = self.random.choice(people) if people else None
        self.said = [each for each in self.said if each is not found]
        return found

    async def push(self) -> None:
        flaw = f"{DRAFT_ONLY}  # {self.turn}"
        change = self.random.choice(
            (
                {"README.md": f"# {self.turn}\n"},
                {FIRST: measurable("cedar-1p2d", flaw)},
                {FIRST: measurable("cedar-1p2d")},
                {MASTER: master(8, 16, 32 + self.turn)},
            )
        )
        repo = self.world.repo
        commit = repo.commit("pr", change) if self.random.random() < 0.8 else repo.log("pr")[-2]
        await self.github.push(self.world.name, "pr", str(commit), source=repo.path)

    async def main(self) -> None:
        owners = f"{signing.CODEOWNERS}/{self.turn} @otto\n"
        page = f"# {self.turn}\n\n```\n{signing.FORM}\n```\n"
        change = self.random.choice(({signing.OWNERS: owners}, {signing.PAGE: page}))
        commit = self.world.repo.commit("main", change)
        await self.github.push(self.world.name, "main", str(commit), source=self.world.repo.path)

    async def label(self) -> None:
        if self.random.random() < 0.5:
            await self.github.add_label(self.pull, "documentation")
        else:
            await self.github.remove_label(self.pull, self.random.choice((LABEL, FULL)))

    async def close(self) -> None:
        is_open = self.pull.state == "open"
        await (self.github.close(self.pull) if is_open else self.github.reopen(self.pull))

    async def draft(self) -> None:
        await self.github.set_draft(self.pull, draft=not self.pull.draft)

    async def retitle(self) -> None:
        await self.github.edit(self.pull, title=f"Title {self.turn}")

    async def thread(self) -> None:
        for thread in self.pull.threads[:1]:
            act = self.github.unresolve if thread.resolved else self.github.resolve
            await act(thread)

    async def run(self) -> None:
        await self.github.start_run(self.pull, self.sweep)

    async def measure(self) -> None:
        for run in [each for each in self.pull.repository.runs if not each.finished][:1]:
            content = {"results.json": self.random.choice(CONTENTS)}
            self.github.add_artifact(run, "results_bmk", content)
            await self.github.finish_run(run, {JOBS[0]: self.random.choice(("failure", "success"))})

    async def trouble(self) -> None:
        place, which = self.random.choice(PLACES), self.random.randrange(len(TROUBLES))
        self.trace.append(f"{place} {which}")
        self.github.faults.add(place, TROUBLES[which], times=self.random.choice((1, 2)))

    async def tell_again(self) -> None:
        comments = [each for each in self.github.deliveries if each.event == "issue_comment"]
        told = self.random.choice(comments or self.github.deliveries)
        await self.random.choice((self.github.redeliver, self.world.hook_again))(told)

    async def lose(self) -> None:
        self.github.faults.lose_deliveries()

    async def pause(self) -> None:
        await asyncio.sleep(self.random.random() / 4)

    async def rest(self) -> None:
        with suppress(TimeoutError):
            await self.world.until(lambda: self.world.waiting() == 0, seconds=3)
