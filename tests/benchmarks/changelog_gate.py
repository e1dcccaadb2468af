"""The changelog gate against the reference repository's own validator, whole process by process.

Where REFERENCE_CLONE names a clone of it, on changes of the changelog that are evenly spread over
its history. The validator runs as its workflow runs it, with a Python of its own environment and
the program of that commit. It refuses deletions and a file without a final line feed, and plans the
jobs of the new entries. We run every rule on the changelog; the next line adds the rule that
generates the matrix of the head, which a plan needs. The last is what a server takes, which has
judged the pull request before.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from bot.snapshot import open_repository, take_snapshot
from checks.model import PullRequest
from checks.policy import preset
from checks.registry import rules_like
from checks.run import run_checks
from tests.differential.changelog_changes import PROGRAM, Change, changes
from tests.differential.matrix import environment
from tests.differential.sweep import git

REVISIONS, ROUNDS, LIMIT = 8, 3, 20
Times = list[tuple[float, float]]


def main() -> None:
    """Print the times of both and their ratio."""
    clone = os.environ.get("REFERENCE_CLONE")
    if not clone:
        print("changelog gate: skipped, REFERENCE_CLONE is not set")
        return
    with tempfile.TemporaryDirectory() as folder:
        try:
            python = environment(Path(folder) / "environment")
        except subprocess.CalledProcessError as error:
            print(f"changelog gate: skipped, what the validator needs is not there: {error}")
            return
        checkout = Path(folder) / "checkout"
        place = ("--quiet", "--shared", "--no-checkout", str(Path(clone).resolve()), str(checkout))
        git(Path(clone), "clone", *place)
        compare(list(changes(open_repository(Path(clone)), Path(clone), ())), checkout, python)


def compare(found: Sequence[Change], checkout: Path, python: Path) -> None:
    """Time every command on every revision, one after the other, so that all see the same load."""
    chosen = found[:: len(found) // REVISIONS][:REVISIONS]
    times: dict[str, Times] = {"validator": [], "gate": [], "gate and matrix": []}
    for change in chosen:
        git(checkout, "checkout", "--quiet", "--force", change.sha)
        for _ in range(ROUNDS):
            for name, command in commands(change, checkout, python).items():
                times[name].append(timed(command, checkout))
    theirs = times["validator"]
    print(f"changelog gate on {len(chosen)} changes, {ROUNDS} times each, whole processes")
    for name, taken in times.items():
        wall, busy = (statistics.median(each[at] for each in taken) * 1000 for at in (0, 1))
        line = f"  {name:18} {wall:7.0f} ms, {busy:7.0f} ms of processor time"
        print(line if taken is theirs else f"{line}: {ratio(theirs, taken)}")
    served = statistics.median(in_process(checkout, found, chosen)) * 1000
    print(f"  {'gate, as served':18} {served:7.0f} ms")


def in_process(checkout: Path, found: Sequence[Change], chosen: Sequence[Change]) -> list[float]:
    """Return the seconds that each change takes in a process that has judged the one before it."""
    repository = open_repository(checkout)
    policy, rules = preset("inferencex"), rules_like("changelog/*")

    def judge(change: Change) -> float:
        started = time.perf_counter()
        pull_request = PullRequest(change.number) if change.number else None
        snapshot = take_snapshot(repository, f"{change.sha}^", change.sha, pull_request)
        run_checks(snapshot, policy, rules)
        return time.perf_counter() - started

    older = dict(pairwise(found))
    times = []
    for change in chosen:
        judge(older.get(change, change))
        times.append(judge(change))
    return times


def commands(change: Change, checkout: Path, python: Path) -> dict[str, list[str]]:
    """Return the commands for one change by name."""
    revisions = (f"{change.sha}^", change.sha)
    ours = [str(Path(sys.executable).with_name("referee")), "check", "--repo", str(checkout)]
    ours += ["--base", revisions[0], "--head", revisions[1], "--rule", "changelog/*"]
    ours += ["--pr", str(change.number)] if change.number else []
    return {
        "validator": [str(python), PROGRAM, "--base-ref", revisions[0], "--head-ref", revisions[1]],
        "gate": ours,
        "gate and matrix": [*ours, "--rule", "master-config/schema"],
    }


def timed(command: Sequence[str], folder: Path) -> tuple[float, float]:
    """Return the seconds that a process took, by the clock and of processor time."""
    environ = {**os.environ, "PATH": f"{Path(command[0]).parent}:{os.environ['PATH']}"}
    environ.pop("PYTHONDONTWRITEBYTECODE", None)
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=environ, capture_output=True, check=False)
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode in (0, 1), done.stderr.decode()
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ratio(theirs: Times, ours: Times) -> str:
    """Return how many times faster we are: the median over pairs that ran one after the other."""
    wall, busy = (
        statistics.median(a[at] / b[at] for a, b in zip(theirs, ours, strict=True)) for at in (0, 1)
    )
    return f"{wall:.1f} times as fast ({busy:.1f} in processor time), of {LIMIT}"


if __name__ == "__main__":
    main()
