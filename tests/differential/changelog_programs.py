"""The reference repository's changelog programs, each version in a process of its own."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pygit2

from bot.snapshot import GitTree, commit_of, open_repository
from tests.differential.changelog_changes import PROGRAM
from tests.differential.sweep import git

DRIVER = Path(__file__).with_name("changelog_driver.py")
IMPORTED = (
    PROGRAM,
    "utils/prepare_perf_changelog_merge.py",
    "utils/matrix_logic/__init__.py",
    "utils/matrix_logic/validation.py",
)
# Put into every Python that runs them: the same values, ten times as fast.
FASTER = "import yaml\nyaml.SafeLoader = yaml.CSafeLoader\n"


class Programs:
    """Asks the programs as they were at a commit. Everything is written below one folder."""

    def __init__(self, clone: Path, folder: Path, python: Path) -> None:
        self._clone, self._folder, self._python = clone.resolve(), folder, python
        self._repository = open_repository(clone)
        self._running: dict[tuple[str, ...], subprocess.Popen[str]] = {}
        self._environ = {
            "PATH": f"{python.parent}:/usr/bin:/bin",
            "PYTHONPATH": str(folder / "faster"),
        }
        (folder / "faster").mkdir()
        (folder / "faster" / "sitecustomize.py").write_text(FASTER)

    def ask(self, sha: str, do: str, files: Sequence[bytes], number: int | None) -> dict[str, Any]:
        """Return the answer of the programs as of a commit; see the driver."""
        process = self._process(commit_of(self._repository, sha))
        assert process.stdin is not None
        assert process.stdout is not None
        asked = {"do": do, "files": [x.decode("latin-1") for x in files], "number": number}
        print(json.dumps(asked), file=process.stdin, flush=True)
        answer: dict[str, Any] = json.loads(process.stdout.readline())
        return answer

    def _process(self, commit: pygit2.Commit) -> subprocess.Popen[str]:
        tree = GitTree(self._repository, commit.tree, str(commit.id))
        sources = {path: blob for path in IMPORTED if (blob := tree.blob(path))}
        version = tuple(blob.id for blob in sources.values())
        if version not in self._running:
            folder = self._folder / str(len(self._running))
            for path, blob in sources.items():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_bytes(blob.data)
            command = [str(self._python), str(DRIVER), str(folder / "utils")]
            self._running[version] = subprocess.Popen(
                command, text=True, env=self._environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        return self._running[version]

    @property
    def versions(self) -> int:
        """Return how many versions were asked."""
        return len(self._running)

    def close(self) -> None:
        """End every process."""
        for process in self._running.values():
            process.communicate()

    def gate(self, sha: str, number: int | None) -> str:
        """Run the validator of a commit as its workflow does, and return why it refuses, or ""."""
        checkout = self._folder / "checkout"
        if not checkout.exists():
            place = ("--quiet", "--shared", "--no-checkout", str(self._clone), str(checkout))
            git(self._clone, "clone", *place)
        git(checkout, "checkout", "--quiet", "--force", sha)
        command = [str(self._python), PROGRAM, "--base-ref", f"{sha}^", "--head-ref", sha]
        if number and "--pr-number" in (checkout / PROGRAM).read_text():
            command += ["--pr-number", str(number)]
        done = subprocess.run(
            command, cwd=checkout, env=self._environ, capture_output=True, text=True, check=False
        )
        return (done.stderr.strip().splitlines() or ["?"])[-1] if done.returncode else ""
