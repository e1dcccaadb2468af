"""A command that hangs on a damaged repository is ended with one sentence."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.gitkit import GitRepo

START = (
    "from bot import guard; guard.READ_SECONDS = {seconds}; from bot.__main__ import main; main()"
)
SLOW = (
    "from bot import guard; guard.SECONDS, guard.STEP = 0.4, 0.1; import sys, time\n"
    "guard.watched()\n"
    "for _ in range({ticks}): time.sleep(0.15); guard.tick()\n"
    "{rest}\n"
)


def run(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
    )


def test_a_repository_that_libgit2_never_finishes_to_read(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "repo")
    repo.commit("main", {"perf-changelog.yaml": "x" * 4000})
    name = str(repo.repository.revparse_single("main:perf-changelog.yaml").id)
    repo.commit("pr", {"a": "1"}, start="main")
    path = repo.path / "objects" / name[:2] / name[2:]
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:-20])
    done = run(
        START.format(seconds=1), "check", "--repo", str(repo.path), "--base", "main", "--head", "pr"
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert (
        "the repository may be damaged" in done.stderr or "is incomplete or damaged" in done.stderr
    )


def test_silence_ends_a_command() -> None:
    started = time.monotonic()
    done = run(SLOW.format(ticks=0, rest="time.sleep(60)"))
    assert done.returncode == 2
    assert done.stderr == (
        "referee: The command made no progress for 0.4 seconds and was stopped; the repository may "
        "be damaged: run `git fsck`, and fetch it again, as a whole.\n"
    )
    assert time.monotonic() - started < 30


def test_a_reading_may_take_less_than_a_command() -> None:
    read = "with guard.reading():\n  with guard.reading(): pass\n  guard.tick()\n"
    code = SLOW.replace("guard.STEP = 0.4", "guard.READ_SECONDS, guard.STEP = 60, 0.2")
    assert run(code.format(ticks=0, rest=f"{read}time.sleep(0.5); print(1)")).stdout == "1\n"
    done = run(code.format(ticks=0, rest=f"{read}  time.sleep(60)"))
    assert (done.returncode, "no progress for 0.2 seconds" in done.stderr) == (2, True)


def test_whoever_asks_for_files_makes_progress(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "repo")
    repo.commit("main", {"a": "1"})
    ask = (
        "from pathlib import Path; from bot.snapshot import everything_as_new, open_repository\n"
        f"tree = everything_as_new(open_repository(Path({str(repo.path)!r})), 'main').head\n"
        "for _ in range(6): time.sleep(0.15); tree.blob('a')\n"
        "print(1)"
    )
    assert run(SLOW.replace("0.4, 0.1", "0.6, 0.1").format(ticks=0, rest=ask)).stdout == "1\n"


def test_progress_does_not() -> None:
    done = run(SLOW.format(ticks=5, rest="print('done'); sys.exit(1)"))
    assert (done.returncode, done.stdout, done.stderr) == (1, "done\n", "")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_a_death_is_told_as_a_shell_tells_it(number: signal.Signals) -> None:
    done = run(SLOW.format(ticks=0, rest=f"import os; os.kill(os.getpid(), {int(number)})"))
    assert done.returncode == 128 + number


def test_whoever_was_started_by_it_does_not_keep_it_waiting() -> None:
    start = (
        "import os; os.fork() or (os.close(1), os.close(2), time.sleep(9)); os.kill(os.getpid(), 9)"
    )
    code = SLOW.replace("guard.SECONDS, guard.STEP = 0.4, 0.1", "guard.STEP = 0.1")
    started = time.monotonic()
    assert run(code.format(ticks=0, rest=start)).returncode == 137
    assert time.monotonic() - started < 5


def test_it_needs_no_call_that_some_systems_lack() -> None:
    # macOS has them from Python 3.13 on: https://docs.python.org/3/library/os.html#os.waitid
    lacking = "import os; [delattr(os, x) for x in ('waitid', 'P_PID', 'WNOWAIT')]\n"
    done = run(lacking + SLOW.format(ticks=4, rest="print('done')"))
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")
