"""Roles of people, and an App that is suspended or removed."""

import pytest

from bot.sandbox import Sandbox
from bot.sandbox.roles import Role
from tests.gitkit import GitRepo
from tests.sandbox.conftest import NAME, Client


def path(login: str) -> str:
    return f"/repos/{NAME}/collaborators/{login}/permission"


@pytest.mark.parametrize(
    ("login", "permission", "role", "push"),
    [
        ("maintainer", "write", "maintain", True),
        ("author", "write", "write", True),
        ("stranger", "read", "read", False),
    ],
)
async def test_people_have_a_role(
    client: Client, github: Sandbox, login: str, permission: str, role: str, push: bool
) -> None:
    github.state.account(login)
    answer = (await client.get(path(login))).body
    assert (answer["permission"], answer["role_name"]) == (permission, role)
    assert (answer["user"]["login"], answer["user"]["permissions"]["push"]) == (login, push)


@pytest.mark.parametrize(
    ("role", "permission"),
    [("admin", "admin"), ("triage", "read"), ("none", "none"), ("write", "write")],
)
async def test_a_role_can_be_given(
    client: Client, github: Sandbox, role: Role, permission: str
) -> None:
    github.set_role("author", role)
    answer = (await client.get(path("author"))).body
    assert (answer["permission"], answer["role_name"]) == (permission, role)
    granted = [name for name, may in answer["user"]["permissions"].items() if may]
    assert len(granted) == {"admin": 5, "write": 3, "triage": 2, "none": 0}[role]


async def test_the_author_of_a_pull_request_from_a_fork_reads(
    client: Client, github: Sandbox, clone: GitRepo
) -> None:
    await github.add_repository("fork/bench", clone.path, installed=False)
    await github.open_pull_request(NAME, "feature", "main", author="guest", head_repo="fork/bench")
    assert (await client.get(path("guest"))).body["role_name"] == "read"


async def test_nobody_is_not_found(client: Client) -> None:
    answer = await client.get(path("nobody"))
    assert (answer.status, answer.message) == (404, "nobody is not a user")


async def test_a_suspended_app_may_do_nothing(client: Client, github: Sandbox) -> None:
    url = f"/app/installations/{github.state.installations[0].id}/access_tokens"
    github.suspend("example")
    for answer in (await client.get(f"/repos/{NAME}"), await client.post(url, app=True)):
        assert (answer.status, answer.message) == (403, "This installation has been suspended")
    (listed,) = (await client.get("/app/installations", app=True)).body
    assert listed["suspended_at"]


async def test_a_removed_app_sees_nothing(client: Client, github: Sandbox) -> None:
    url = f"/app/installations/{github.state.installations[0].id}/access_tokens"
    github.uninstall("example")
    assert (await client.get(f"/repos/{NAME}")).status == 401
    assert (await client.post(url, app=True)).status == 404
    assert (await client.get("/app/installations", app=True)).body == []
