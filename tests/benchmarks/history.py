"""A whole history against stated limits: warm reviews of the newest merges, and a backtest.

On the reference repository only, of which REFERENCE_CLONE names a clone.
"""

import gc
import os
import resource
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from bot import worker
from bot.backtest import Merge, merges, replay_all
from bot.judging import judge
from bot.snapshot import commit_of, open_repository
from bot.verdict import Case
from checks.model import PullRequest

MEASURED, WARMING, SLOWEST = 300, 20, 3
P50_LIMIT, P99_LIMIT = 0.040, 0.150
BACKTEST_LIMIT = 60.0


def main() -> None:
    """Print the times and their ratios to the limits."""
    clone = os.environ.get("REFERENCE_CLONE")
    if not clone:
        print("No history is measured: REFERENCE_CLONE is not set.")
        return
    path = Path(clone)
    wanted = list(islice(merges(open_repository(path), "HEAD", None), 1000))
    warm(path, wanted[: MEASURED + WARMING])
    backtest(path, wanted)


def warm(path: Path, newest_first: Sequence[Merge]) -> None:
    """Judge one pull request after the other, oldest first, as a worker does."""
    gc.set_threshold(*worker.COLLECTIONS)
    wall, cpu = [], []
    for number, case in enumerate(cases(path, newest_first), 1):
        started, used = time.perf_counter(), time.process_time()
        judge(case)
        wall.append(time.perf_counter() - started)
        cpu.append(time.process_time() - used)
        gc.collect(1 if number % worker.FULL_COLLECTION else 2)  # as a worker does
    print(f"the newest {MEASURED} merged pull requests of {path.name}, one after the other, warm")
    numbers = [merge.number for merge in reversed(newest_first)][WARMING:]
    slowest = sorted(zip(cpu[WARMING:], numbers, strict=True))[: -SLOWEST - 1 : -1]
    for what, seconds in (("elapsed", wall[WARMING:]), ("processor", cpu[WARMING:])):
        seconds.sort()
        for part, limit in ((0.5, P50_LIMIT), (0.99, P99_LIMIT)):
            show(f"{what} p{part * 100:.0f}", seconds[int(len(seconds) * part)], limit)
    named = (f"#{number} {taken * 1000:.0f} ms" for taken, number in slowest)
    print(f"  the slowest, by processor time: {', '.join(named)}")


def cases(path: Path, newest_first: Sequence[Merge]) -> list[Case]:
    """Return merged pull requests as what to judge, oldest first."""
    repository = open_repository(path)
    return [
        Case(
            git_dir=path,
            base=str(commit_of(repository, merge.sha).parent_ids[0]),
            head=merge.sha,
            pull_request=PullRequest(merge.number),
            preset="inferencex",
        )
        for merge in reversed(newest_first)
    ]


def backtest(path: Path, wanted: Sequence[Merge]) -> None:
    """Replay merges on all cores."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    count = sum(1 for _ in replay_all(path, "inferencex", wanted))
    took, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    cores = os.cpu_count() or 1
    print(f"backtest of {count} merged pull requests on {cores} cores, as if they were 1,000")
    show("elapsed", took / count * 1000, BACKTEST_LIMIT)
    show("processor, by the cores", used / cores / count * 1000, BACKTEST_LIMIT)


def show(what: str, seconds: float, limit: float) -> None:
    """Print one time with its ratio to its limit."""
    print(f"  {what:36} {seconds * 1000:8.1f} ms   {seconds / limit:5.2f} of {limit * 1000:.0f} ms")


if __name__ == "__main__":
    main()
