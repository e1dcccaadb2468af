"""All memory of a server: the process that serves and those that judge, after some reviews."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from bot import sample
from bot.backtest import merges
from bot.snapshot import open_repository
from bot.verdict import Case
from checks.model import PullRequest

from .history import cases

LIMIT = 150
ROUNDS = (1, 10, 100, 250)


def main() -> None:
    """Print resident memory beside the limit, after more and more reviews."""
    with tempfile.TemporaryDirectory() as folder:
        clone = os.environ.get("REFERENCE_CLONE")
        if clone:
            repository = open_repository(Path(clone))
            wanted = list(islice(merges(repository, "HEAD", None), max(ROUNDS)))
            reviews = cases(Path(clone), wanted)
            print(f"memory of a server after reviews of {Path(clone).name}, each of another change")
        else:
            path = sample.build(Path(folder) / "sample.git")
            pull = PullRequest(sample.NUMBER)
            reviews = [Case(path, "main", sample.BRANCH, pull, "inferencex")] * max(ROUNDS)
            print("memory of a server after reviews of the sample (REFERENCE_CLONE is not set)")
        _measure(Path(folder), reviews)


def _measure(folder: Path, reviews: Sequence[Case]) -> None:
    command = [sys.executable, "-m", "tests.benchmarks.memory_server", str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        done = 0
        for count in ROUNDS:
            for case in reviews[done:count]:
                pickle.dump(case, server.stdin)
                server.stdin.flush()
                server.stdout.readline()
            done = count
            _show(count, server.pid)
        server.stdin.close()


def _show(count: int, root: int) -> None:
    found = {pid: _rollup(pid) for pid in _tree(root)}
    resident, share = (sum(each[i] for each in found.values()) for i in (0, 1))
    parts = " + ".join(f"{each[0]:.0f}" for each in found.values())
    print(
        f"  after {count:4} reviews: resident {resident:5.0f} MB ({parts}), proportional "
        f"{share:5.0f} MB   {resident / LIMIT:5.2f} of {LIMIT} MB"
    )


def _tree(root: int) -> Iterator[int]:
    """Yield a process and all below it."""
    yield root
    for children in Path(f"/proc/{root}/task").glob("*/children"):
        for child in children.read_text().split():
            yield from _tree(int(child))


def _rollup(pid: int) -> tuple[float, float]:
    """Return the resident and the proportional set size of a process in megabytes."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    sizes = {line.split()[0]: int(line.split()[1]) for line in lines}
    return sizes["Rss:"] / 1024, sizes["Pss:"] / 1024


if __name__ == "__main__":
    main()
