"""A server without GitHub behind it, which reviews what it is told on standard input.

`python -m tests.benchmarks.memory_server FOLDER`; pickled cases go in, a line comes out for each.
"""

from __future__ import annotations

import asyncio
import pickle
import sys
from pathlib import Path

import bot.serve  # noqa: F401 - with all that serving imports
from bot.app import make_app, start
from bot.jobs.embedded import EmbeddedJobs
from bot.judge import Judges
from bot.pages.rules import add_rule_pages
from bot.verdict import Case
from checks.plan import Context, plan
from checks.publication import Published
from checks.render import Voice

from .webhook_servers import settings_in


async def _serve(folder: Path) -> None:
    """Hold what a server holds, and put each verdict into words as it does."""
    app = make_app(settings_in(folder), EmbeddedJobs(folder / "referee.db"))
    add_rule_pages(app)
    await start(app, "127.0.0.1", 0)
    judges = Judges(1, 60)
    while case := await asyncio.to_thread(_next):
        found = await judges.judge(case)
        voice = Voice(found.languages, "https://github.com/o/r", found.documentation_url)
        plan(found.report, Published(), found.files, voice, Context(advisory=found.advisory))
        sys.stdout.write("reviewed\n")
        sys.stdout.flush()
    judges.close()


def _next() -> Case | None:
    try:
        case: Case = pickle.load(sys.stdin.buffer)
    except EOFError:
        return None
    return case


if __name__ == "__main__":
    asyncio.run(_serve(Path(sys.argv[1])))
