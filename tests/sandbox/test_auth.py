"""Who may call what: JWTs, installation tokens, permissions."""

from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from bot.sandbox import Sandbox
from tests.gitkit import GitRepo
from tests.sandbox.conftest import NAME, Client, Hands


@pytest.fixture
def sandbox_clock(sandbox: Sandbox, hands: Hands) -> Hands:
    sandbox.state.clock = hands
    return hands


async def test_the_app_logs_in_and_sees_itself(client: Client) -> None:
    answer = await client.get("/app", app=True)
    assert (answer.status, answer.body["slug"]) == (200, "referee")
    assert answer.body["installations_count"] == 1
    listed = await client.get("/installation/repositories")
    assert [it["full_name"] for it in listed.body["repositories"]] == [NAME]


@pytest.mark.parametrize(
    ("claims", "message"),
    [
        ({"iss": "1"}, "'Issuer' claim"),
        ({"exp": -1}, "'Expiration time' claim ('exp') must be a future time"),
        ({"exp": 601}, "'Expiration time' claim ('exp') is too far in the future"),
        ({"iat": 5}, "'Issued at' claim ('iat')"),
        ({"iat": None}, "could not be decoded"),
        ({"iat": "soon"}, "could not be decoded"),
    ],
)
async def test_a_jwt_is_checked(
    sandbox_clock: Hands, client: Client, claims: dict[str, Any], message: str
) -> None:
    shifted: dict[str, Any] = {
        key: sandbox_clock.now + value if isinstance(value, int) else value
        for key, value in claims.items()
    }
    answer = await client.get("/app", token=client.jwt(**shifted))
    assert (answer.status, message in answer.message) == (401, True), answer.message


async def test_a_jwt_needs_the_apps_key_and_rs256(client: Client) -> None:
    stranger = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    for token in (
        client.jwt(stranger),
        client.jwt(algorithm="RS512"),
        jwt.encode({"iat": 1, "exp": 2, "iss": "1"}, "x" * 32, "HS256"),
        "a.b.c",
    ):
        answer = await client.get("/app", token=token)
        assert answer.status == 401
        assert answer.message == "A JSON web token could not be decoded"


async def test_ten_minutes_are_the_limit(sandbox_clock: Hands, client: Client) -> None:
    token = client.jwt(exp=sandbox_clock.now + 600)
    assert (await client.get("/app", token=token)).status == 200


async def test_a_token_lives_for_an_hour(sandbox_clock: Hands, client: Client) -> None:
    await client.log_in()
    sandbox_clock.now += 3599
    assert (await client.get(f"/repos/{NAME}")).status == 200
    sandbox_clock.now += 1
    refused = await client.get(f"/repos/{NAME}")
    assert (refused.status, refused.message) == (401, "Bad credentials")


@pytest.mark.parametrize(
    ("token", "message"),
    [("", "Requires authentication"), ("ghs_unknown", "Bad credentials")],
)
async def test_without_a_known_token_nothing_is_told(
    client: Client, token: str, message: str
) -> None:
    answer = await client.get(f"/repos/{NAME}", token=token)
    assert (answer.status, answer.message) == (401, message)


async def test_the_two_identities_are_not_exchangeable(client: Client) -> None:
    assert (await client.get("/app")).status == 401
    assert (await client.get(f"/repos/{NAME}", app=True)).status == 401
    assert (await client.post("/graphql", {"query": "{__typename}"}, app=True)).status == 401


async def test_another_installations_repository_does_not_exist(
    client: Client, github: Sandbox, clone: GitRepo
) -> None:
    await github.add_repository("other/bench", clone.path)
    await github.add_repository("fork/bench", clone.path, installed=False)
    for name in ("other/bench", "fork/bench", "example/none"):
        answer = await client.get(f"/repos/{name}")
        assert (answer.status, answer.message) == (404, "Not Found")
    assert (await client.get("/repos/other/bench/installation", app=True)).status == 200
    assert (await client.get("/repos/fork/bench/installation", app=True)).status == 404


@pytest.mark.parametrize(
    ("missing", "method", "path", "body"),
    [
        ("checks", "POST", "/check-runs", {"name": "x", "head_sha": "0" * 40}),
        ("pull_requests", "POST", "/pulls/1/reviews", {"event": "COMMENT", "body": "x"}),
        ("pull_requests", "GET", "/pulls/1", None),
        ("metadata", "GET", "", None),
    ],
)
async def test_a_missing_permission_is_refused(
    client: Client, github: Sandbox, missing: str, method: str, path: str, body: Any
) -> None:
    del github.state.app.permissions[missing]
    answer = await client.call(method, f"/repos/{NAME}{path}", body)
    expected = (403, "Resource not accessible by integration")
    assert (answer.status, answer.message) == expected


async def test_either_of_two_permissions_suffices_for_a_comment(
    client: Client, github: Sandbox
) -> None:
    path, body = f"/repos/{NAME}/issues/1/comments", {"body": "x"}
    del github.state.app.permissions["issues"]
    assert (await client.post(path, body)).status == 201
    github.state.app.permissions["pull_requests"] = "read"
    assert (await client.post(path, body)).status == 403


async def test_no_user_agent_no_answer(client: Client) -> None:
    answer = await client.get("/app", app=True, headers={"User-Agent": ""})
    assert (answer.status, "User-Agent" in answer.message) == (403, True)
