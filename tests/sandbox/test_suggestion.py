"""Suggestions: exact bytes, applied once."""

import pytest

from bot.sandbox import Sandbox
from bot.sandbox.git import GitError
from bot.sandbox.state import PullRequest
from bot.sandbox.suggestion import replaced, suggestion_in
from tests.sandbox.conftest import HEAD_TEXT, PATH, Client, Receiver


def block(text: str, fence: str = "```") -> str:
    return f"Do this.\n\n{fence}suggestion\n{text}{fence}\n\nBecause."


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (block("new\n"), "new\n"),
        (block(""), ""),
        (block("```\n", "````"), "```\n"),
        (block("  indented\n\n\tblank above\n", "~~~~"), "  indented\n\n\tblank above\n"),
        ("```yaml\nx\n```", None),
        ("no block", None),
        ("    ```suggestion\n    x\n    ```", None),
    ],
)
def test_the_block_is_found(body: str, expected: str | None) -> None:
    assert suggestion_in(body) == expected


@pytest.mark.parametrize(
    ("content", "lines", "replacement", "expected"),
    [
        (b"a\nb\nc\n", (2, 2), "B\n", b"a\nB\nc\n"),
        (b"a\nb\nc\n", (1, 3), "x\ny\n", b"x\ny\n"),
        (b"a\nb\nc\n", (2, 2), "", b"a\nc\n"),
        (b"a\nb\nc", (3, 3), "C\n", b"a\nb\nC"),
        (b"a\nb\nc", (3, 3), "c\n\n", b"a\nb\nc\n"),
        (b"a\r\nb\r\nc\r\n", (2, 2), "x\ny\n", b"a\r\nx\r\ny\r\nc\r\n"),
        (b"a\nb\r\nc\n", (1, 1), "x\r\n", b"x\nb\r\nc\n"),
        ("é\n界\n".encode(), (2, 2), "世\n", "é\n世\n".encode()),
        (b"a\n\xff\n", (1, 1), "b\n", b"b\n\xff\n"),
    ],
)
def test_only_the_lines_change(
    content: bytes, lines: tuple[int, int], replacement: str, expected: bytes
) -> None:
    assert replaced(content, *lines, replacement) == expected


async def test_applying_commits_and_outdates(
    client: Client, github: Sandbox, pull: PullRequest, receiver: Receiver
) -> None:
    await client.review({"line": 11, "start_line": 10, "body": block("ten\neleven\n")})
    (thread,) = pull.threads
    old = pull.head_sha
    head = await github.apply_suggestion(thread.comments[0])
    content = pull.repository.git.read(head, PATH)
    assert content == HEAD_TEXT.replace("changed ten\nline 11\n", "ten\neleven\n").encode()
    assert (pull.head_sha, pull.repository.git.commits(old, head)) == (head, [head])
    assert receiver.last("pull_request")["action"] == "synchronize"
    assert thread.outdated
    with pytest.raises(GitError, match="are outdated"):
        await github.apply_suggestion(thread.comments[0])


async def test_a_plain_comment_suggests_nothing(
    client: Client, github: Sandbox, pull: PullRequest
) -> None:
    await client.review({"line": 10})
    with pytest.raises(GitError, match="suggests no change"):
        await github.apply_suggestion(pull.threads[0].comments[0])
