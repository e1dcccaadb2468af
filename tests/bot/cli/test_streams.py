"""Output that cannot be written, or not as it is, changes no verdict and shows no traceback."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from bot.cli.referee import referee
from tests.gitkit import Content, GitRepo
from tests.journeys.policies import CHANGELOG, CLEAN, HISTORY, entry
from tests.kit import ROOT

FOLDER = b"inferencex-e2e/benchmarks/single_node/"
PATCH = "#!/usr/bin/env bash\nsed -i 's/a/b/' /usr/lib/python3/dist-packages/vllm/x.py\n"
PATCHES: Content = {FOLDER + name: PATCH for name in (b"\xff.sh", "测.sh".encode())}


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    repo = GitRepo(tmp_path_factory.mktemp("names") / "repo.git")
    repo.commit("main", CLEAN)
    repo.commit("pr", PATCHES, start="main")
    return repo.path


def command(repo: Path, *more: str) -> list[str]:
    place = ("--repo", str(repo), "--base", "main", "--head", "pr", "--rule", "engine-patch/*")
    return [sys.executable, "-m", "bot", "check", *place, *more]


def in_shell(line: str, arguments: list[str]) -> subprocess.CompletedProcess[str]:
    shell = ["sh", "-c", f'"$@" {line}', "sh", *arguments]
    return subprocess.run(shell, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("code", ["ascii", "latin1", "utf-8:strict"])
@pytest.mark.parametrize("form", ["text", "github", "json", "sarif"])
def test_every_name_can_be_shown_in_every_code(repo: Path, form: str, code: str) -> None:
    environ = os.environ | {"PYTHONIOENCODING": code}
    done = subprocess.run(
        command(repo, "--format", form), cwd=ROOT, env=environ, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.parametrize("code", ["ascii", "latin1", "utf-8"])
def test_json_is_json_in_every_code(code: str) -> None:
    arguments = [sys.executable, "-m", "bot", "commands", "parse"]
    environ = os.environ | {"PYTHONIOENCODING": code}
    said = "/dismiss 5bd74aa café 😀\n"
    done = subprocess.run(
        arguments, cwd=ROOT, env=environ, input=said.encode(), capture_output=True, check=True
    )
    assert "café 😀" in str(json.loads(done.stdout))


@pytest.mark.parametrize(
    ("name", "value", "coloured"),
    [("NO_COLOR", "", True), ("NO_COLOR", "1", False), ("TERM", "dumb", False)],
)
def test_whoever_wants_no_colours_gets_none(
    name: str, value: str, coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv(name, value)
    done = CliRunner().invoke(referee, ["explain", "changelog/bytes"], color=True)
    assert (done.exit_code, "\x1b[" in done.stdout) == (0, coloured)


@pytest.mark.parametrize(
    ("line", "status", "said"),
    [
        (">&-", 1, ""),
        ("<&- >&- 2>&-", 1, ""),
        ("--pull-request - <&-", 2, "referee: Standard input is not JSON;"),
        ("--head nope 2>&-", 2, ""),
    ],
)
def test_closed_streams(repo: Path, line: str, status: int, said: str) -> None:
    done = in_shell(line, command(repo))
    assert (done.returncode, done.stderr[: len(said) or None]) == (status, said)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_full_disks(repo: Path) -> None:
    full = in_shell(">/dev/full", command(repo))
    sentence = "referee: The output cannot be written: No space left on device.\n"
    assert (full.returncode, full.stderr) == (2, sentence)
    assert in_shell("--head nope 2>/dev/full", command(repo)).returncode == 2


# Whoever is started by a shell in the background ignores interruptions.
HEEDING = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
SLOW = """
import os, sys, time
from bot import backtest
from bot.__main__ import main
def slow(place):
    os.write(2, b"on")
    time.sleep(60)
backtest._replay = slow
main()
"""


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_backtest_ends_at_once_with_all_its_processes(
    tmp_path: Path, number: signal.Signals, status: int
) -> None:
    repo = GitRepo(tmp_path / "repo.git")
    repo.commit("main", CLEAN)
    repo.commit("main", {CHANGELOG: HISTORY + entry(7, "Run again")}, message="Run (#7)")
    arguments = [sys.executable, "-c", HEEDING + SLOW, "backtest", "--repo", str(repo.path)]
    reader, writer = os.pipe()
    running = subprocess.Popen(
        [*arguments, "--branch", "main"], cwd=ROOT, stderr=writer, start_new_session=True
    )
    os.close(writer)
    said = os.read(reader, 2)
    started = time.monotonic()
    os.killpg(running.pid, number)
    while part := os.read(reader, 4096):  # until the last of them has ended
        said += part
    assert (running.wait(), said[:2]) == (status, b"on")
    assert b"Traceback" not in said
    assert time.monotonic() - started < 20


def test_an_interruption_while_it_starts_is_silent_too() -> None:
    code = (
        f"{HEEDING}import os, sys; from bot import __main__ as start\n"
        "start.watched = lambda: os.kill(os.getpid(), 2)\n"
        "sys.argv = ['referee', 'check']; start.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, b"", b"")
