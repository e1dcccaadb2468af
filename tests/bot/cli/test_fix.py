"""`referee fix`: a diff first, the exact bytes on request, and nothing that is not mechanical."""

import errno
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import bot.cli.fix
from bot import sample
from bot.cli.change import Judged, judged
from bot.cli.fix import command
from checks.model import InternalError
from checks.text import text
from tests.bot.cli.test_check import referee
from tests.goldens import assert_golden
from tests.kit import ROOT


@pytest.fixture
def worktree(tmp_path: Path) -> Path:
    bare = sample.build(tmp_path / "sample.git")
    clone = tmp_path / "clone"
    command = ["git", "clone", "--quiet", "--branch", sample.BRANCH, str(bare), str(clone)]
    subprocess.run(command, check=True, capture_output=True)
    return clone


def fix(worktree: Path, *more: str) -> subprocess.CompletedProcess[str]:
    place = ("--repo", worktree, "--base", "origin/main", "--pr", str(sample.NUMBER))
    return referee("fix", *place, *more)


def status(worktree: Path) -> str:
    command = ["git", "-C", str(worktree), "status", "--short"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_the_dry_run_shows_a_diff_and_writes_nothing(worktree: Path) -> None:
    done = fix(worktree)
    assert done.returncode == 1
    assert_golden("fix.diff", done.stdout + done.stderr)
    assert status(worktree) == ""


def test_the_diff_is_a_patch_that_git_takes(worktree: Path) -> None:
    patch = fix(worktree).stdout
    command = ["git", "-C", str(worktree), "apply", "--whitespace=nowarn"]
    subprocess.run(command, input=patch, check=True, text=True, capture_output=True)
    by_git = status(worktree), (worktree / "perf-changelog.yaml").read_bytes()
    subprocess.run([*command[:3], "checkout", "."], check=True, capture_output=True)
    fix(worktree, "--write")
    assert (status(worktree), (worktree / "perf-changelog.yaml").read_bytes()) == by_git


def test_writing_fixes_and_writing_again_changes_nothing(worktree: Path) -> None:
    done = fix(worktree, "--write")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Fixed: ")
    command = ["git", "-C", str(worktree), "-c", "user.name=t", "-c", "user.email=t@example.com"]
    subprocess.run([*command, "commit", "-qam", "Fix"], check=True, capture_output=True)
    again = fix(worktree, "--write")
    assert (again.returncode, again.stdout) == (0, "Nothing to fix mechanically.\n")
    assert status(worktree) == ""


def test_only_the_named_rules_are_fixed(worktree: Path) -> None:
    assert fix(worktree, "--rule", "image/*", "--write").stdout == "Nothing to fix mechanically.\n"
    fix(worktree, "--rule", "recipe/*", "--write")
    assert status(worktree).split() == [
        "M",
        "benchmarks/multi_node/srt-slurm-recipes/sglang/acorn/b300-fp8/agentic/disagg-1p1d-tp8.yaml",
    ]


def test_a_file_with_other_changes_is_left_alone(worktree: Path) -> None:
    path = worktree / "perf-changelog.yaml"
    path.write_text(path.read_text() + "# mine\n")
    done = fix(worktree, "--rule", "changelog/*", "--write")
    assert (done.returncode, done.stderr) == (
        2,
        "referee: perf-changelog.yaml has changes that are not in the head; commit them first.\n",
    )


def test_a_bare_repository_and_a_missing_base_are_one_sentence(tmp_path: Path) -> None:
    bare = sample.build(tmp_path / "sample.git")
    place = ("--repo", bare, "--head", sample.BRANCH, "--pr", "12")
    done = referee("fix", *place, "--base", "main", "--write")
    assert (done.returncode, done.stderr) == (
        2,
        "referee: This repository is bare; --write needs a working tree.\n",
    )
    done = referee("fix", *place)
    assert (done.returncode, done.stderr) == (
        2,
        "referee: Give --base REV or --staged. See `referee fix --help`.\n",
    )


def test_a_file_that_cannot_be_written_is_named(
    worktree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "write_bytes", full)
    place = ["--repo", str(worktree), "--base", "origin/main", "--pr", str(sample.NUMBER)]
    done = CliRunner().invoke(command, [*place, "--rule", "changelog/*", "--write"])
    assert done.output == (
        "Error: perf-changelog.yaml cannot be written: No space left on device. "
        "Restore perf-changelog.yaml.\n"
    )


def full(*_: object) -> int:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_all_files_are_written_or_none(worktree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write, calls = Path.write_bytes, 0

    def full_at_the_second(path: Path, data: bytes) -> int:
        nonlocal calls
        calls += 1
        if calls == 2:
            write(path, data[:10])
            full()
        return write(path, data)

    monkeypatch.setattr(Path, "write_bytes", full_at_the_second)
    place = ["--repo", str(worktree), "--base", "origin/main", "--pr", str(sample.NUMBER)]
    done = CliRunner().invoke(command, [*place, "--write"])
    assert done.exit_code == 1
    assert done.output.endswith("No space left on device. Nothing was changed.\n")
    assert status(worktree) == ""


def test_an_interruption_leaves_no_half_of_a_file(
    worktree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, calls = Path.write_bytes, 0

    def interrupted_at_the_second(path: Path, data: bytes) -> int:
        nonlocal calls
        calls += 1
        if calls == 2:
            write(path, data[:10])
            raise KeyboardInterrupt
        return write(path, data)

    monkeypatch.setattr(Path, "write_bytes", interrupted_at_the_second)
    place = ["--repo", str(worktree), "--base", "origin/main", "--pr", str(sample.NUMBER)]
    assert CliRunner().invoke(command, [*place, "--write"]).exit_code == 1
    assert status(worktree) == ""


def test_a_carriage_return_hides_nothing_on_a_terminal(worktree: Path) -> None:
    path = worktree / "perf-changelog.yaml"
    path.write_bytes(path.read_bytes() + b"# removed\rkept\n# windows\r\n\n\n")
    subprocess.run(["git", "-C", str(worktree), "add", "."], check=True)
    done = CliRunner().invoke(command, ["--repo", str(worktree), "--staged"])
    assert "# removed␍kept\n" in done.stdout
    assert b"# windows\r\n" in done.stdout_bytes


def test_a_patch_holds_the_bytes_of_files_in_every_code(worktree: Path) -> None:
    path = worktree / "perf-changelog.yaml"
    path.write_bytes(path.read_bytes() + "# 测\n\n\n".encode())
    subprocess.run(["git", "-C", str(worktree), "add", "."], check=True)
    command = [sys.executable, "-m", "bot", "fix", "--repo", str(worktree), "--staged"]
    environ = os.environ | {"PYTHONIOENCODING": "latin1"}
    done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, check=False)
    assert "# 测\n".encode() in done.stdout
    assert b"\x1b" not in done.stdout


def test_a_head_that_is_not_checked_out_is_not_written_over(worktree: Path) -> None:
    subprocess.run(["git", "-C", str(worktree), "checkout", "--quiet", "origin/main"], check=True)
    done = fix(worktree, "--head", sample.BRANCH, "--write")
    assert (done.returncode, done.stdout, status(worktree)) == (2, "", "")
    assert done.stderr.endswith(
        " is not as in the head, which is not checked out; check it out first.\n"
    )


def test_a_rule_that_failed_is_told(worktree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def partly(*given: Any) -> Judged:
        found = judged(*given)
        failed = InternalError("changelog/bytes", text("A rule failed."))
        return replace(found, report=replace(found.report, errors=(failed,)))

    monkeypatch.setattr(bot.cli.fix, "judged", partly)
    place = ["--repo", str(worktree), "--base", "origin/main", "--rule", "image/*"]
    done = CliRunner().invoke(command, place, standalone_mode=False)
    assert (done.return_value, done.stderr.splitlines()[-1]) == (2, "referee: A rule failed.")


def test_a_file_that_differs_keeps_the_others_from_being_written(worktree: Path) -> None:
    path = worktree / "perf-changelog.yaml"
    path.write_text(path.read_text() + "# mine\n")
    assert fix(worktree, "--write").returncode == 2
    assert status(worktree).split() == ["M", "perf-changelog.yaml"]
