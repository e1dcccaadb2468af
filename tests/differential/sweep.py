"""What a pull request starts, against the reference repository's own plan, for a developer to run.

    python -m tests.differential.sweep PATH_TO_A_CLONE [COUNT]

Takes COUNT (40) of the commits that change the changelog, evenly spread over the first-parent
history since July 2026, and compares the jobs and evaluations of each with what the program of
that commit plans for it. It runs in a temporary checkout with a Python of its own environment.
README.md has what was measured.
"""

import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from bot.snapshot import open_repository, take_snapshot
from checks.matrix.identity import order, recipe_fingerprint
from checks.matrix.rows import Row
from checks.matrix.sweep import sweep
from checks.policy import preset
from tests.differential.matrix import environment

SINCE, COUNT = "2026-07-14", 40
LOG = (
    "log",
    "--first-parent",
    f"--since={SINCE}",
    "--format=%H",
    "HEAD",
    "--",
    "perf-changelog.yaml",
)
PROGRAM = "utils/process_changelog.py"
EVALS = ("evals", "agentic_evals", "multinode_evals", "multinode_agentic_evals")


def main() -> None:
    """Compare and print a line for each commit; exit status 1 when any plan differs."""
    clone, count = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else COUNT
    commits = git(clone, *LOG).split()
    chosen = commits[:: max(1, len(commits) // count)][:count]
    with tempfile.TemporaryDirectory() as folder:
        python = environment(Path(folder) / "environment")
        checkout = Path(folder) / "checkout"
        git(
            clone,
            "clone",
            "--quiet",
            "--shared",
            "--no-checkout",
            str(clone.resolve()),
            str(checkout),
        )
        results = [compare(clone, checkout, python, each) for each in chosen]
    print(Counter(results))
    sys.exit("differs" in results)


def git(place: Path, *arguments: str) -> str:
    """Run git in a repository and return what it prints."""
    command = ["git", "-c", "advice.detachedHead=false", "-C", str(place), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def compare(clone: Path, checkout: Path, python: Path, commit: str) -> str:
    """Print and return how one commit's plans compare."""
    snapshot = take_snapshot(open_repository(clone), f"{commit}^", commit)
    ours = sweep(snapshot, preset("inferencex"))
    assert ours is not None
    theirs, refusal = planned(checkout, python, commit)
    title, jobs, evals = commit[:9], [p.row for p in ours.jobs], list(ours.evals)
    if theirs is None:
        print(title, "refused:", refusal, "| ours:", len(jobs), len(evals))
        return "refused"
    buckets = (theirs["single_node"], theirs["multi_node"])
    rows = [row for bucket in buckets for part in bucket.values() for row in part]
    same = sorted(map(plain, jobs)) == sorted(map(plain, rows))
    prints = sorted(row["recipe-fingerprint"] for row in rows if "recipe-fingerprint" in row)
    same &= not prints or prints == sorted(map(recipe_fingerprint, jobs))
    same &= sorted(map(plain, evals)) == sorted(
        plain(r) for name in EVALS for r in theirs.get(name, [])
    )
    print(
        title,
        f"{len(rows)} jobs, {len(prints)} fingerprints, {len(evals)} evals",
        "same" if same else "DIFFERS",
    )
    if not same:
        show(map(plain, jobs), map(plain, rows))
        show(map(plain, evals), (plain(r) for name in EVALS for r in theirs.get(name, [])))
    return "same" if same else "differs"


def planned(checkout: Path, python: Path, commit: str) -> tuple[Any, str]:
    """Return what the program of a commit plans for it, or why it does not."""
    git(checkout, "checkout", "--quiet", "--force", commit)
    command = [str(python), PROGRAM, "--base-ref", f"{commit}^", "--head-ref", commit]
    place = {"PATH": f"{python.parent}:/usr/bin:/bin"}
    done = subprocess.run(
        [*command, "--changelog-file", "perf-changelog.yaml"],
        cwd=checkout, env=place, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        return None, (done.stderr.strip().splitlines() or ["?"])[-1][:200]
    return json.loads(done.stdout), ""


def plain(row: Row) -> str:
    """Return a row without what their output adds: defaults and the fingerprint."""
    return order(dict(_plain(row)))


def _plain(row: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in row.items():
        if name == "recipe-fingerprint" or value in (None, [], False):
            continue
        yield name, dict(_plain(value)) if isinstance(value, Mapping) else value


def show(ours: Iterable[str], theirs: Iterable[str]) -> None:
    """Print the first rows that only one side has."""
    mine, other = Counter(ours), Counter(theirs)
    for name, rows in (("only ours  ", mine - other), ("only theirs", other - mine)):
        print(f"  {name} {sum(rows.values())}: {next(iter(rows), '')}")


if __name__ == "__main__":
    main()
