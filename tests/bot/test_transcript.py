from dataclasses import dataclass, field
from typing import Any

from bot.transcript import transcript


@dataclass
class Said:
    body: str
    author: Any = None


@dataclass
class Account:
    login: str


@dataclass
class Thread:
    path: str
    original_line: int
    comments: list[Said]


@dataclass
class Pull:
    number: int
    title: str
    threads: list[Thread] = field(default_factory=list)
    comments: list[Said] = field(default_factory=list)
    check_runs: list[Any] = field(default_factory=list)


@dataclass
class CheckRun:
    name: str
    status: str
    conclusion: str | None
    title: str


def test_what_people_wrote_cannot_drive_the_terminal() -> None:
    escape = "\x1b]0;x\x07\x1b[2J\u202e"
    pull = Pull(
        7,
        f"title {escape}",
        [Thread(f"a{escape}.yaml", 3, [Said(f"one\r{escape}\ntwo")])],
        [Said(f"said {escape}", Account(f"eve{escape}"))],
    )
    shown = transcript(pull)  # type: ignore[arg-type]
    plain = shown.replace("\x1b[1m", "").replace("\x1b[36m", "").replace("\x1b[0m", "")
    assert not any(char in plain for char in "\x1b\x07\r\u202e")
    assert [line[:3] for line in plain.split("\n")[3:5]] == ["one", "two"]


def test_a_check_run_that_has_not_ended_says_so() -> None:
    run = CheckRun("signoff", "in_progress", None, "Looking …")
    shown = transcript(Pull(7, "x", check_runs=[run]))  # type: ignore[arg-type]
    assert shown.endswith("in_progress: Looking …")
