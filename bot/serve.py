"""Put the parts together and run them until stopped."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import structlog

from bot.app import make_app, start
from bot.clock import Clock
from bot.commander import Commander
from bot.commands import Desk
from bot.deliveries import DeliveryLog
from bot.fix import Fixer
from bot.follow import Follower
from bot.gates import Gates
from bot.github import GitHub
from bot.hearing import Gatherer
from bot.jobs import Jobs
from bot.jobs.embedded import EmbeddedJobs
from bot.judge import Judges
from bot.ledger import Ledger
from bot.measured import RunMemory
from bot.mirror import Mirror
from bot.pages.rules import add_rule_pages
from bot.permission import Roles
from bot.reconcile import keep, reconcile
from bot.results import ResultReader
from bot.review import Reviewer
from bot.settings import Settings
from bot.signoff import Gatekeeper
from bot.teams import Teams
from bot.upstream import Pages
from bot.work import Worker

log = structlog.get_logger()
RECONCILE_SECONDS = 3600.0
LOG_SECONDS = 300.0
# How long news of single jobs may wait: a sweep has hundreds, and each look at it costs requests,
# of which GitHub takes 5,000 an hour at least, and one edit, of which it takes 500.
JOB_NEWS_SECONDS = 60.0
STORE = "jobs.sqlite3"
CLOCK = Clock()


@asynccontextmanager
async def running(settings: Settings, clock: Clock = CLOCK) -> AsyncIterator[int]:
    """Serve deliveries and review pull requests while the context is open; gives the port.

    Raises:
        StoreError: the data folder cannot be used.
        OSError: the address cannot be listened on.

    """
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    jobs = EmbeddedJobs(settings.data_dir / STORE, lazy_seconds=JOB_NEWS_SECONDS)
    judges = Judges(settings.workers, settings.check_deadline_seconds)
    async with aiohttp.ClientSession() as session:
        github = GitHub(session, settings)
        worker = _worker(settings, github, jobs, judges, clock)
        loops = (
            partial(jobs.run, worker.work, worker.resolve, settings.workers, worker.give_up),
            partial(
                keep,
                partial(reconcile, github, jobs),
                RECONCILE_SECONDS,
                clock.sleep,
                done="reconciled",
                failed="not_reconciled",
            ),
            partial(
                keep,
                DeliveryLog(github.app, jobs, settings.app_id, time.time).fetch,
                LOG_SECONDS,
                clock.sleep,
                done="log_read",
                failed="log_not_read",
            ),
        )
        try:
            async with _listening(settings, jobs) as port, _going(*loops):
                yield port
        finally:
            await jobs.close()
            await asyncio.to_thread(judges.close)


def _worker(
    settings: Settings, github: GitHub, jobs: EmbeddedJobs, judges: Judges, clock: Clock
) -> Worker:
    ledger, mirror = Ledger(jobs.database), Mirror(settings.data_dir)
    roles, reader = Roles(clock.monotonic), ResultReader(judges)
    teams, pages = Teams(clock.monotonic), Pages(private=_is_local(settings.github_url))
    memory = RunMemory(reader)
    gatherer = Gatherer(settings, judges, mirror, ledger, teams, pages, memory, roles)
    gates = Gates(settings, mirror, judges, ledger)
    gatekeeper = Gatekeeper(settings, judges, ledger, gatherer, gates)
    reviewer = Reviewer(settings, mirror, judges, ledger, github, roles, gates, gatekeeper)
    commander = Commander(Desk(reviewer, jobs, ledger), roles)
    follower = Follower(reviewer, ledger, reader)
    return Worker(reviewer, Fixer(reviewer), follower, commander, jobs)


def _is_local(github_url: str) -> bool:
    """Tell whether GitHub is the sandbox, beside which recipes may be published too."""
    return urlsplit(github_url).hostname in {"localhost", "127.0.0.1"}


@asynccontextmanager
async def _listening(settings: Settings, jobs: Jobs) -> AsyncIterator[int]:
    """Take deliveries while the context is open; gives the port. Raises OSError."""
    app = make_app(settings, jobs)
    add_rule_pages(app)
    runner, port = await start(app, settings.host, settings.port)
    try:
        yield port
    finally:
        await runner.cleanup()


@asynccontextmanager
async def _going(*loops: Callable[[], Coroutine[Any, Any, None]]) -> AsyncIterator[None]:
    """Run what ends only by being cancelled, and tell of what ends otherwise."""
    tasks = [asyncio.create_task(loop()) for loop in loops]
    for task in tasks:
        task.add_done_callback(_ended)
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _ended(task: asyncio.Task[None]) -> None:
    if not task.cancelled():
        log.error("stopped_working", exc_info=task.exception())
