"""An error that nobody foresaw is told as ours, and is no verdict on the change."""

import os
import subprocess
import sys

import pytest

import bot.cli.referee as command_line


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


def test_a_reader_that_left_is_no_verdict_either() -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "bot", "explain", "changelog/pr-link"]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE)
    os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")
