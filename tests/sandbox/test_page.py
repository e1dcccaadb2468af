"""The pages, and what a person presses there."""

from typing import Any

import pytest

from bot.sandbox import Sandbox
from bot.sandbox.state import PullRequest
from tests.sandbox.conftest import NAME, PATH, Client, Receiver

PAGE = f"/{NAME}/pull/1"


async def get(client: Client, path: str) -> tuple[int, str]:
    async with client.session.get(client.sandbox.url + path) as response:
        return response.status, await response.text()


async def press(client: Client, path: str, origin: str | None = None, **form: str) -> int:
    headers = {} if origin is None else {"Origin": origin}
    url = client.sandbox.url + PAGE + path
    async with client.session.post(
        url, data=form, headers=headers, allow_redirects=False
    ) as response:
        await client.sandbox.settled()
        return response.status


@pytest.fixture
async def talk(client: Client, github: Sandbox) -> PullRequest:
    """A pull request on which everything has happened."""
    body = "Use this.\n\n```suggestion\nten\n```\n<script>alert(1)</script>"
    await client.review({"line": 10, "body": body}, {"line": 30, "body": "a second"})
    await client.post(f"/repos/{NAME}/issues/1/comments", {"body": "| a |\n|---|\n| sticky |"})
    await github.add_label(1, "NVIDIA <b>")
    pull = github.pull_request(1)
    annotation = {"path": PATH, "start_line": 10, "end_line": 11, "message": "<i>wrong</i>"}
    output = {
        "title": "1 finding",
        "summary": "**one**",
        "annotations": [{**annotation, "annotation_level": "failure"}],
    }
    button = {"label": "Apply fixes", "description": "All of them", "identifier": "fix"}
    run: dict[str, Any] = {"name": "referee/review", "head_sha": pull.head_sha}
    run |= {"conclusion": "failure", "output": output, "actions": [button]}
    await client.post(f"/repos/{NAME}/check-runs", run)
    await github.resolve(pull.threads[1], "somebody")
    return pull


async def test_the_conversation_shows_everything_and_runs_nothing(
    client: Client, talk: PullRequest
) -> None:
    status, text = await get(client, PAGE)
    assert status == 200
    for part in (
        "Tune it",
        "Commit suggestion",
        'class="suggestion"',
        "<td>sticky</td>",
        "NVIDIA &lt;b&gt;",
        "Resolved by somebody",
        "<strong>one</strong>",
        "&lt;i&gt;wrong&lt;/i&gt;",
        f"{PATH}:10–11",
        "Apply fixes",
    ):
        assert part in text, part
    assert "alert(1)" not in text
    first, second = (text.split(f'id="thread-{it.id}"')[1][:20] for it in talk.threads)
    assert first.startswith(" open>")
    assert second.startswith(">")


async def test_scripts_need_the_nonce(client: Client) -> None:
    async with client.session.get(client.sandbox.url + PAGE) as response:
        policy, text = response.headers["Content-Security-Policy"], await response.text()
    nonce = policy.split("nonce-")[1].split("'")[0]
    assert f'<script nonce="{nonce}">' in text
    assert policy.startswith("default-src 'none'")
    assert text.count("<script") == 1


async def test_the_version_changes_with_the_page(client: Client, github: Sandbox) -> None:
    _, first = await get(client, PAGE + "/version")
    assert f'!== "{first}"' in (await get(client, PAGE))[1]
    assert (await get(client, PAGE + "/version"))[1] == first
    await github.comment(1, "x")
    assert (await get(client, PAGE + "/version"))[1] != first


@pytest.mark.parametrize(
    ("path", "status", "part"),
    [
        ("/", 200, "Tune it"),
        (PAGE + "/files", 200, "changed thirty"),
        ("/page.css", 200, "prefers-color-scheme: dark"),
        (f"/{NAME}/blob/feature/{PATH}", 200, '<tr id="L10">'),
        (f"/{NAME}/blob/feature/none", 404, "no such file"),
        (f"/{NAME}/blob/{'f' * 40}/{PATH}", 404, "no such file"),
        (f"/{NAME}/pull/9", 404, "no such pull request"),
        ("/example/none/pull/1", 404, "no such repository"),
        (f"/{NAME}/runs/1", 404, "No pull request has this check run"),
    ],
)
async def test_other_pages(client: Client, path: str, status: int, part: str) -> None:
    found, text = await get(client, path)
    assert (found, part in text) == (status, True)


async def test_a_run_leads_to_its_pull_request(client: Client, talk: PullRequest) -> None:
    url = f"{client.sandbox.url}/{NAME}/runs/{talk.check_runs[0].id}"
    async with client.session.get(url, allow_redirects=False) as response:
        assert response.headers["Location"] == f"{PAGE}#run-{talk.check_runs[0].id}"


async def test_every_state_has_its_word(client: Client, github: Sandbox) -> None:
    assert '<span class="pill open">' in (await get(client, PAGE))[1]
    await github.set_draft(1, draft=True)
    assert '<span class="pill draft">' in (await get(client, PAGE))[1]
    await github.close(1)
    assert '<span class="pill closed">' in (await get(client, PAGE))[1]
    await github.reopen(1)
    await github.merge(1)
    assert '<span class="pill merged">' in (await get(client, PAGE))[1]


async def test_a_person_talks(client: Client, talk: PullRequest, receiver: Receiver) -> None:
    assert await press(client, "/comment", body="Hello\r\nthere") == 303
    assert talk.comments[-1].body == "Hello\nthere"
    assert talk.comments[-1].author.login == "maintainer"
    thread = talk.threads[0]
    assert await press(client, f"/threads/{thread.id}/reply", body="No.") == 303
    assert [it.body for it in thread.comments][1:] == ["No."]
    assert await press(client, f"/threads/{thread.id}/resolve") == 303
    assert thread.resolved
    assert await press(client, f"/threads/{thread.id}/unresolve") == 303
    assert not thread.resolved
    assert receiver.events()[-5:] == [
        "issue_comment.created",
        "pull_request_review_comment.created",
        "pull_request_review.submitted",
        "pull_request_review_thread.resolved",
        "pull_request_review_thread.unresolved",
    ]


async def test_a_person_applies_a_suggestion(
    client: Client, talk: PullRequest, receiver: Receiver
) -> None:
    comment = talk.threads[0].comments[0]
    assert await press(client, f"/suggestions/{comment.id}/apply") == 303
    content = talk.repository.git.read(talk.head_sha, PATH)
    assert content is not None
    assert content.split(b"\n")[9] == b"ten"
    assert receiver.last("pull_request")["action"] == "synchronize"
    assert "Outdated" in (await get(client, PAGE))[1]
    assert await press(client, f"/suggestions/{comment.id}/apply") == 409


async def test_a_person_presses_the_runs_buttons(
    client: Client, talk: PullRequest, receiver: Receiver
) -> None:
    run = talk.check_runs[0]
    assert await press(client, f"/runs/{run.id}/rerun") == 303
    assert receiver.last("check_run")["action"] == "rerequested"
    assert await press(client, f"/runs/{run.id}/press", identifier="fix") == 303
    assert receiver.last("check_run")["requested_action"] == {"identifier": "fix"}
    assert await press(client, f"/runs/{run.id}/press", identifier="none") == 409


@pytest.mark.parametrize("path", ["/threads/1/resolve", "/suggestions/1/apply", "/runs/1/rerun"])
async def test_what_is_gone_cannot_be_pressed(client: Client, path: str) -> None:
    assert await press(client, path) == 404


async def test_forms_of_other_sites_and_empty_ones_are_refused(
    client: Client, pull: PullRequest
) -> None:
    assert await press(client, "/comment", "https://evil.example", body="x") == 403
    assert await press(client, "/comment", "null", body="x") == 403
    assert await press(client, "/comment", body=" ") == 400
    assert pull.comments == []
    assert await press(client, "/comment", client.sandbox.url, body="x") == 303


async def test_who_may_not_write_sees_no_button_and_can_press_none(
    client: Client, github: Sandbox, talk: PullRequest
) -> None:
    github.set_role("maintainer", "read")
    text = (await get(client, PAGE))[1]
    assert "Apply fixes" not in text
    assert "Re-run check" not in text
    assert await press(client, f"/runs/{talk.check_runs[0].id}/press", identifier="fix") == 403
