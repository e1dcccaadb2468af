"""Roles decide, as GitHub tells them, and for a minute."""

from typing import Any

import pytest

from bot.github import GitHubRefused
from bot.permission import Roles, at_least


class Answers:
    """A client that gives one answer and counts the questions."""

    def __init__(self, answer: Any) -> None:
        self.answer, self.asked = answer, 0

    async def getitem(self, _url: str, _place: dict[str, str]) -> Any:
        self.asked += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


async def role(answer: Any, login: str = "ann") -> str:
    client: Any = Answers(answer)
    return await Roles(lambda: 0.0).role(client, "octo/bench", login)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"permission": "write", "role_name": "maintain"}, "maintain"),
        ({"permission": "read", "role_name": "triage"}, "triage"),
        ({"permission": "write", "role_name": "gpu-owner"}, "write"),
        ({"permission": "admin"}, "admin"),
        ({"permission": "odd", "role_name": "odder"}, "none"),
        (GitHubRefused("GET x", 404, "Not Found", None), "none"),
    ],
)
async def test_the_role_is_read(answer: Any, expected: str) -> None:
    assert await role(answer) == expected


async def test_what_github_does_not_tell_is_not_guessed() -> None:
    with pytest.raises(GitHubRefused):
        await role(GitHubRefused("GET x", 403, "Resource not accessible by integration", None))


async def test_a_role_is_known_for_a_minute() -> None:
    now = [0.0]
    client: Any = Answers({"permission": "write", "role_name": "write"})
    roles = Roles(lambda: now[0])
    for login in ("ann", "Ann"):
        assert await roles.role(client, "octo/bench", login) == "write"
    assert client.asked == 1
    now[0] = 61.0
    client.answer = {"permission": "read", "role_name": "read"}
    assert await roles.role(client, "octo/bench", "ann") == "read"


def test_roles_are_ordered() -> None:
    assert at_least("maintain", "write")
    assert not at_least("triage", "write")
    assert at_least("none", "none")
