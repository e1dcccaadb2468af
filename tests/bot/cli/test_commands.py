"""`referee commands parse`: the JSON that scripts rely on, and how wrong input ends."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from bot.cli.commands import command


def run(*args: str, body: str | bytes = "") -> tuple[int, str]:
    done = CliRunner().invoke(command, ["parse", *args], input=body, standalone_mode=False)
    if done.exception:
        raise done.exception
    return done.return_value, done.stdout


def test_the_commands_of_a_comment_are_printed_as_json() -> None:
    body = "é\r\n/rerun a*b\r\n\r\n> /help\r\n\r\n/sweep now\r\n/statos"
    status, output = run(body=body)
    assert status == 0
    assert json.loads(output) == {
        "schema": 1,
        "commands": [
            {
                "name": "rerun",
                "args": "a*b",
                "tokens": ["a*b"],
                "arguments": {"scope": "jobs", "run": None, "jobs": "a*b"},
                "start": 4,
                "end": 14,
                "error": None,
            },
            {
                "name": "sweep",
                "args": "now",
                "tokens": ["now"],
                "arguments": None,
                "start": 29,
                "end": 39,
                "error": {
                    "position": 1,
                    "token": "now",
                    "message": "`now`, argument 1, is wrong: valid are `fail-fast`, `full`, "
                    "`trim`, `evals`, `none`. Usage: `/sweep [fail-fast|full|trim|evals|none]`.",
                },
            },
        ],
        "inert": [
            {"text": "/help", "start": 20, "end": 25, "reason": "quote", "suggestion": None},
            {
                "text": "/statos",
                "start": 41,
                "end": 48,
                "reason": "unknown-name",
                "suggestion": "status",
            },
        ],
        "refused": None,
    }


def test_an_edit_prints_what_is_new(tmp_path: Path) -> None:
    before = tmp_path / "before.md"
    before.write_bytes(b"/help\r\n")
    _, output = run("--before", str(before), body="/help \n/status\n")
    found = json.loads(output)
    assert [each["name"] for each in found["commands"]] == ["status"]
    assert [each["reason"] for each in found["inert"]] == ["not-new"]


def test_a_comment_may_be_a_file(tmp_path: Path) -> None:
    file = tmp_path / "comment.md"
    file.write_text("/help", encoding="utf-8")
    assert json.loads(run(str(file))[1])["commands"][0]["end"] == 5


def test_a_comment_that_is_too_long_says_so() -> None:
    assert json.loads(run(body="x" * 65_537)[1]) == {
        "schema": 1,
        "commands": [],
        "inert": [],
        "refused": "too-long",
    }


def test_wrong_input_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(Exception, match=r"^the comment is not UTF-8 at byte 3\.$"):
        run(body=b"abc\xff")
    missing = tmp_path / "missing.md"
    with pytest.raises(Exception, match=r"missing\.md cannot be read: No such file or directory\."):
        run("--before", str(missing))
