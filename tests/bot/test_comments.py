"""What a delivery of a comment asks for: nothing that would run is passed over."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bot.attention import read
from bot.keys import CommentKey, PullRequestKey
from checks.commands.registry import all_commands
from checks.comment.parse import parse
from tests.bot.conftest import APP_ID, pull_request
from tests.checks.comment.corpus import BY_HAND, generated, injected

GUID = "72d3162e-cc78-11e3-81ab-4c9367dc0958"


def heard(body: str, action: str = "created") -> set[type[Any]]:
    """Return the kinds of keys that a delivery of a comment asks for."""
    who = {"login": "ann", "type": "User"}
    said = {"id": 5, "node_id": "n", "html_url": "u", "body": body, "user": who}
    content = pull_request(action, comment=said, sender=who)
    content["issue"] = {"number": 7, "pull_request": {}}
    found = read("issue_comment", json.dumps(content).encode())
    return {type(key) for key in found.attention(APP_ID, GUID)}


def test_whatever_would_run_is_heard() -> None:
    """The cheap look at a delivery agrees with the reading of the comment that follows."""
    bodies = [*BY_HAND, *injected(), *generated(7, 500)]
    running = [body for body in bodies if parse(body, names=all_commands()).commands]
    assert len(running) > 2000
    assert [body for body in running if CommentKey not in heard(body)] == []


@pytest.mark.parametrize("before", ["", "\ufeff", "\u3000", "text\r", "- item\n  "])
@pytest.mark.parametrize("command", ["check", "override review: x", "verify"])
def test_a_command_is_heard_whatever_stands_before_it(before: str, command: str) -> None:
    body = f"{before}/{command}"
    assert parse(body, names=all_commands()).commands
    of_a_head = {PullRequestKey} if command != "check" else set()
    assert heard(body) == {CommentKey} | of_a_head


def test_the_slash_of_a_chinese_keyboard_is_heard_and_answered() -> None:
    (found,) = parse("／check", names=all_commands()).inert
    assert found.suggestion == "check"
    assert heard("／check") == {CommentKey}


def test_what_is_deleted_runs_nothing() -> None:
    """https://github.com/asyncapi/.github/issues/110 ran what somebody deleted."""
    assert heard("/check", "deleted") == set()
    assert heard("/verify", "deleted") == {PullRequestKey}, "it may have been a sign-off"
    assert CommentKey in heard("/check", "edited")
