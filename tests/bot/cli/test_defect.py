"""An error that nobody foresaw is told as ours, and is no verdict on the change."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import bot.cli.referee as command_line
from bot.cli import docs
from tests.bot.cli.test_check import referee


def test_a_defect_of_ours_is_one_line_and_no_verdict(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(**_: object) -> int:
        raise IndexError("out\nof range")

    monkeypatch.setattr(command_line.referee, "main", broken)
    with pytest.raises(SystemExit) as ended:
        command_line.run()
    assert ended.value.code == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("referee: A defect of Referee (IndexError: out of range, test_")
    assert printed.err.count("\n") == 1


@pytest.mark.parametrize("arguments", [(), ("changelog",)])
def test_without_a_command_nothing_is_taken_for_its_output(arguments: tuple[str, ...]) -> None:
    done = referee(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Usage: referee")


def test_a_reader_that_left_is_no_verdict_either() -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "bot", "explain", "changelog/pr-link"]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE)
    os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize(
    ("name", "what"),
    [("sandbox", "with its extra `sandbox`"), ("check", "again, with all that it requires")],
)
def test_a_package_that_is_not_installed_costs_only_its_command(
    monkeypatch: pytest.MonkeyPatch, name: str, what: str
) -> None:
    monkeypatch.setitem(command_line.COMMANDS, name, "no_such_package.x")
    done = CliRunner().invoke(command_line.referee, ["--help"])
    assert (done.exit_code, f"  {name:10} Needs no_such_package." in done.stdout) == (0, True)
    done = CliRunner().invoke(command_line.referee, [name, "--once", "--help"])
    assert done.stderr == (
        f"Error: `referee {name}` needs the package no_such_package, which is not installed here; "
        f"install Referee {what}.\n"
    )


def test_an_installation_without_its_pages_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(docs, "ROOT", tmp_path)
    done = CliRunner().invoke(docs.command)
    assert done.stderr.startswith("Error: There is no README.md beside this installation; run")
