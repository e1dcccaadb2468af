"""`referee check`, cold as a whole process and warm in a process, against stated limits.

On the reference repository's pull request 2376 when REFERENCE_CLONE names a clone of it, else on
the sample repository.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bot import sample
from bot.snapshot import open_repository, take_snapshot
from checks.model import PullRequest
from checks.policy import preset
from checks.run import run_checks

COLD_LIMIT, WARM_LIMIT = 0.8, 0.060
PR_2376 = ("7bb1730b2443e5e8b725191630118dc787e674e3", "ef946139f", 2376)
ROUNDS = 15


def main() -> None:
    """Print the times and their ratios to the limits."""
    with tempfile.TemporaryDirectory() as folder:
        clone = os.environ.get("REFERENCE_CLONE")
        if clone:
            path, (base, head, number) = Path(clone), PR_2376
            print(f"referee check on {path.name}, pull request {number}")
        else:
            path = sample.build(Path(folder) / "sample.git")
            base, head, number = "main", sample.BRANCH, sample.NUMBER
            print("referee check on the sample (REFERENCE_CLONE is not set)")
        cold(path, base, head, number)
        warm(path, base, head, number)


def cold(path: Path, base: str, head: str, number: int) -> None:
    """Time whole processes."""
    place = ["--repo", str(path), "--base", base, "--head", head, "--pr", str(number)]
    command = [sys.executable, "-m", "bot", "check", *place, "--format", "json"]
    times = []
    for _ in range(7):
        started = time.perf_counter()
        done = subprocess.run(command, capture_output=True, check=False)
        times.append(time.perf_counter() - started)
        assert done.returncode in (0, 1), done.stderr.decode()
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    show("whole process, median of 7", statistics.median(times), COLD_LIMIT)
    print(f"  peak memory of the process           {peak:8.0f} MB")


def warm(path: Path, base: str, head: str, number: int) -> None:
    """Time snapshot and checks in a process that has judged the same files before."""
    policy, repository = preset("inferencex"), open_repository(path)
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        run_checks(take_snapshot(repository, base, head, PullRequest(number)), policy)
        times.append(time.perf_counter() - started)
    show("first in a process", times[0], COLD_LIMIT)
    show(f"warm, median of {ROUNDS - 1}", statistics.median(times[1:]), WARM_LIMIT)


def show(what: str, seconds: float, limit: float) -> None:
    """Print one time with its ratio to its limit."""
    print(f"  {what:36} {seconds * 1000:8.1f} ms   {seconds / limit:5.2f} of {limit * 1000:.0f} ms")


if __name__ == "__main__":
    main()
