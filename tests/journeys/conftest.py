"""The whole bot against the sandbox: signed deliveries in, a pull request's conversation out."""

import asyncio
import re
import shutil
import sqlite3
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path

import pytest

from bot import sample
from bot.cli.sandbox import settings_for
from bot.sandbox import Sandbox
from bot.sandbox.delivery import Delivery
from bot.sandbox.state import PullRequest, Review, ReviewThread
from bot.serve import STORE, running
from tests.gitkit import GitRepo
from tests.journeys.later import Later

TIMERS = 2  # one for the pull requests, one for the log of deliveries
DISCLOSED = "No AI used."


class World:
    """A sandbox, a git repository to push from, and the bot that watches."""

    def __init__(self, sandbox: Sandbox, folder: Path) -> None:
        self.github, self.folder = sandbox, folder
        self.data_dir = folder / "bot"
        self.repo = GitRepo(folder / "clone")
        self.name = "example/bench"
        self.later = Later()
        self.gates: frozenset[str] = frozenset()  # what has to stand at each head of main's

    @asynccontextmanager
    async def bot(self, **more: str) -> AsyncIterator[None]:
        """Run the bot, with more settings; deliveries reach it."""
        settings = settings_for(self.github, self.data_dir, REFEREE_LOG_FORMAT="json", **more)
        async with running(settings, self.later.clock) as port:
            self.github.webhook_url = f"http://127.0.0.1:{port}/webhook"
            await self._settled()
            yield
            await self.quiet()

    def lose_database(self) -> None:
        """Delete what the bot knows; it must not run."""
        for file in self.data_dir.glob(f"{STORE}*"):
            file.unlink()

    async def until(self, condition: Callable[[], object], seconds: float = 20) -> None:
        """Wait until something is so."""
        async with asyncio.timeout(seconds):
            while not condition():  # noqa: ASYNC110 - the condition has no event
                await asyncio.sleep(0.02)

    async def quiet(self) -> None:
        """Wait until the bot has nothing left to do, nor caused a delivery by what it did."""
        await self._settled()
        self._assert_gated()

    async def hour(self) -> None:
        """Let an hour pass, and wait for what the bot does by itself then."""
        await self.until(lambda: self.later.sleeping == TIMERS)
        self.later.advance(3600)
        await self.until(lambda: self.later.sleeping == TIMERS)
        await self.quiet()

    def _assert_gated(self) -> None:
        """Hold that no head is without its gates, and that nothing was said there before them."""
        for pull in self.github.state.pulls() if self.gates else ():
            place = (pull.state, pull.repository.full_name, pull.base_ref)
            if place != ("open", self.name, "main"):
                continue
            first, said = self._said_at(pull.head_sha)
            assert said >= self.gates, f"#{pull.number} at {pull.head_sha} has only {said}"
            assert first in self.gates, f"#{pull.number} was told {first} first"

    def _said_at(self, head: str) -> tuple[str, set[str]]:
        """Return what the bot reported first at a commit, and under which names."""
        names = [
            each.body.get("name") or each.body["context"]
            for each in self.github.writes
            if each.status == 201
            and isinstance(each.body, dict)
            and head in {each.body.get("head_sha"), each.path.rpartition("/statuses/")[2]}
        ]
        return names[0] if names else "", {*names}

    async def _settled(self) -> None:
        told = -1
        while told != len(self.github.deliveries):
            told = len(self.github.deliveries)
            await self.github.settled()
            await self.until(lambda: self.waiting() == 0)

    def waiting(self) -> int:
        """Return how many pull requests need attention; 1 while the store is being made."""
        try:
            place = f"file:{self.data_dir / STORE}?mode=ro"
            with closing(sqlite3.connect(place, uri=True)) as store:
                (count,) = store.execute(
                    "SELECT count(*) FROM attention WHERE given_up_at IS NULL"
                ).fetchone()
        except sqlite3.OperationalError:
            return 1
        return int(count)

    async def open(self, branch: str = "pr", **more: object) -> PullRequest:
        """Open a pull request and wait for its review."""
        if self.github.state.repository(self.name) is None:
            await self.github.add_repository(self.name, self.repo.path)
        said = {"body": DISCLOSED, **more}
        number = await self.github.open_pull_request(self.name, branch, "main", **said)  # type: ignore[arg-type]
        await self.quiet()
        return self.github.pull_request(number)

    async def push(self, branch: str = "pr") -> None:
        """Push what the clone has on a branch, and wait for the review."""
        await self.github.push(self.name, branch, self.repo.log(branch)[0], source=self.repo.path)
        await self.quiet()

    async def hook_again(self, delivery: Delivery) -> None:
        """Tell the bot the same once more with another GUID, as a second webhook does."""
        other = replace(delivery, guid=str(uuid.uuid4()))
        self.github.state.deliveries.append(other)
        await self.github.redeliver(other)

    def sticky(self, pull: PullRequest) -> str:
        """Return the one sticky comment's body."""
        ours = [c for c in pull.comments if c.author.login == "referee[bot]"]
        (comment,) = [c for c in ours if c.body.startswith("<!-- referee:sticky")]
        return comment.body


def reviews(pull: PullRequest) -> list[Review]:
    """Return the reviews that the bot posted."""
    return [review for review in pull.reviews if review.author.login == "referee[bot]"]


def counts(body: str) -> str:
    """Return the line of a sticky comment that counts findings."""
    return body.split("\n\n")[1]


def rule_of(thread: ReviewThread) -> str:
    """Return the rule that a thread is about."""
    return thread.comments[0].body.split("rule=")[1].split()[0]


def said_twice(pull: PullRequest) -> list[str]:
    """Return what the bot says more than once on a pull request: none of it is meant to be."""
    every = [*pull.comments, *(c for thread in pull.threads for c in thread.comments)]
    ours = [c.body for c in every if c.author.login == "referee[bot]"]
    findings = re.compile(r" fingerprint=(\S+) head=\S+ state=open ")
    marks = [
        match[1] if (match := findings.search(body)) else body.split("-->")[0] for body in ours
    ]
    marks += [f"review {it.commit} {it.body}" for it in reviews(pull) if it.body]
    return [mark for mark, count in Counter(marks).items() if count > 1]


@pytest.fixture
async def world(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[World]:
    monkeypatch.setattr("bot.serve.JOB_NEWS_SECONDS", 0.1)  # nobody waits for journeys
    yield World(sandbox, tmp_path)
    twice = [said for pull in sandbox.state.pulls() for said in said_twice(pull)]
    assert twice == [], "nothing is said twice in any journey"


def _bilingual(folder: Path) -> Path:
    shutil.copytree(sample.HERE, folder)
    for policy in folder.rglob("referee.yml"):
        policy.write_text(policy.read_text().replace("\nlanguages: [en]", "\nlanguages: [en, zh]"))
    return folder


@pytest.fixture
async def sample_world(world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """A world with the sample repository, whose policy wants both languages."""
    world.name = sample.REPOSITORY
    files = await asyncio.to_thread(_bilingual, world.folder / "sample")
    monkeypatch.setattr(sample, "HERE", files)
    source = await asyncio.to_thread(sample.build, world.folder / "sample.git")
    await world.github.add_repository(world.name, source)
    return world
