"""The benchmark matrix against the reference repository's own generator, for a developer to run.

    python -m tests.differential.matrix PATH_TO_A_CLONE [REVISION ...]

Without revisions, twelve are taken, evenly spread over the first-parent history since May 2026.
Their generator, master configs and runners are written to a temporary folder and run by a Python
of its own environment, for every config key and for all at once, in four modes: with evaluation
marks, without, marked evaluations only, all evaluations. Nothing of it is kept.

A key that the generator refuses agrees when we give it no row; all at once, when we say why.
README.md has what was measured.
"""

import json
import subprocess
import sys
import tempfile
import venv
from collections import Counter
from pathlib import Path
from typing import Any

import pygit2

from bot.snapshot import commit_of, open_repository
from bot.trees import GitTree
from checks.matrix.identity import order
from checks.matrix.matrix import Matrix, matrix
from checks.parse.master_config import masters
from checks.policy import Layout, preset
from tests.differential.driver import MODES

SINCE = 1_777_680_000  # 2026-05-02: until the day before, configs had no scenarios
COMMITS = 12
NEEDS = ("pydantic>=2", "pyyaml>=6")
DRIVER = Path(__file__).parent / "driver.py"


def main() -> None:
    """Compare and print a line for each revision; exit status 1 when any row differs."""
    clone, *revisions = sys.argv[1:]
    repository = open_repository(Path(clone))
    commits = [commit_of(repository, each) for each in revisions] or spread(repository)
    with tempfile.TemporaryDirectory() as folder:
        python = environment(Path(folder) / "environment")
        wrong = [compare(repository, each, python, Path(folder)) for each in commits]
    sys.exit(1 if any(wrong) else 0)


def spread(repository: pygit2.Repository) -> list[pygit2.Commit]:
    """Return revisions of the first-parent history, evenly spread, oldest first."""
    commit, history = repository.head.peel(pygit2.Commit), []
    while commit.commit_time >= SINCE:
        history.append(commit)
        commit = commit.parents[0]
    step = (len(history) - 1) / (COMMITS - 1)
    return [history[round(at * step)] for at in reversed(range(COMMITS))]


def environment(folder: Path) -> Path:
    """Make an environment with what the generator imports, and return its Python."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*command, *NEEDS], check=True)
    return python


def compare(
    repository: pygit2.Repository, commit: pygit2.Commit, python: Path, folder: Path
) -> int:
    """Print what one revision's comparison found and return the number of wrong keys."""
    tree = GitTree(repository, commit.tree, str(commit.id))
    layout = preset("inferencex").layout(tree)
    assert layout is not None, "no known layout"
    theirs = generated(tree, layout, python, folder / str(commit.id))
    title = f"{str(commit.id)[:9]} "
    if "refused" in theirs:
        told = [each for each in ours(tree, layout).problems if each.fatal]
        print(title, "is refused:", theirs["refused"].split("\n")[0], "| we say:", *told[:1])
        return not told
    counts, wrong = Counter[str](), 0
    for key, modes in theirs["rows"].items():
        differing = [
            mode for mode, rows in modes.items() if differs(ours(tree, layout), key, mode, rows)
        ]
        counts["rows"] += sum(len(rows) for rows in modes.values() if isinstance(rows, list))
        counts["modes"] += sum(isinstance(rows, list) for rows in modes.values())
        wrong += bool(differing)
        if differing:
            print(title, key, "differs in", ", ".join(differing))
    size = f"{len(theirs['rows']) - 1} keys, {counts['modes']} runs, {counts['rows']} rows"
    print(title, f"{size}: {wrong} keys differ")
    for problem in ours(tree, layout).problems:
        print("  we say:", problem)
    return wrong


def ours(tree: GitTree, layout: Layout) -> Matrix:
    """Return our matrix of a revision; what is parsed is cached."""
    return matrix(tree, layout)


def generated(tree: GitTree, layout: Layout, python: Path, folder: Path) -> Any:
    """Run the generator of a revision in a folder with its files."""
    sources = [p for p in tree.paths() if p.startswith("utils/matrix_logic/") and p.endswith(".py")]
    runners = next(path for path in layout.runners if tree.blob(path))
    paths = [path for path, _ in masters(tree, layout)]
    for path in [*sources, *paths, runners]:
        blob = tree.blob(path)
        assert blob is not None
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(blob.data)
    command = [str(python), str(DRIVER), runners, *paths]
    place = {"PYTHONPATH": str(folder / "utils" / "matrix_logic"), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        command, cwd=folder, env=place, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{tree.sha}: the generator failed: {done.stderr[-2000:]}")
    return json.loads(done.stdout)


def differs(found: Matrix, key: str, mode: str, theirs: Any) -> bool:
    """Tell whether the rows of a key differ in anything; show the first ones that do."""
    if theirs == "the generator does not know this mode":
        return False
    keys = found.entries if key == "*" else [key]
    mine = sorted(order(row) for row in found.jobs(keys, mode))  # type: ignore[arg-type]
    if isinstance(theirs, str):
        print(key, mode, theirs[:200], "| ours:", len(mine), "rows")
        return not found.problems if key == "*" else bool(mine)
    other = sorted(order(row) for row in theirs)
    if mine == other:
        return False
    for name, lines in (
        ("only ours  ", Counter(mine) - Counter(other)),
        ("only theirs", Counter(other) - Counter(mine)),
    ):
        for line in list(lines)[:1]:
            print(f"  {name} {line}")
    return True


if __name__ == "__main__":
    assert set(MODES) == {"default", "none", "only", "all"}
    main()
