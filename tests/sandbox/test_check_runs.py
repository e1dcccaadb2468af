"""Check runs and suites: limits, what the lists show, what people press."""

from typing import Any

import pytest

from bot.sandbox import Sandbox
from bot.sandbox.state import PullRequest
from bot.sandbox.suites import CheckRun
from tests.sandbox.conftest import NAME, Client, Receiver, Response

RUNS = f"/repos/{NAME}/check-runs"


def annotations(count: int) -> list[dict[str, Any]]:
    place = {"path": "README.md", "annotation_level": "warning", "message": "m"}
    return [{**place, "start_line": number, "end_line": number} for number in range(1, count + 1)]


async def create(client: Client, **more: Any) -> Response:
    pull = client.sandbox.pull_request(1)
    return await client.post(RUNS, {"name": "referee/review", "head_sha": pull.head_sha, **more})


@pytest.fixture
async def run(client: Client, pull: PullRequest) -> CheckRun:
    """A completed run with one button."""
    button = {"label": "Re-run", "description": "Judge again", "identifier": "rerun"}
    output = {"title": "t", "summary": "s"}
    answer = await create(client, conclusion="failure", output=output, actions=[button])
    assert answer.status == 201
    return pull.check_runs[0]


async def test_each_request_adds_its_annotations(client: Client, pull: PullRequest) -> None:
    output = {"title": "120", "summary": "many", "annotations": annotations(50)}
    made = (await create(client, status="in_progress", output=output)).body
    path = f"{RUNS}/{made['id']}"
    for count in (50, 20):
        more = {"title": "120", "summary": "many", "annotations": annotations(count)}
        answer = await client.patch(path, {"output": more})
    assert answer.body["output"]["annotations_count"] == 120
    assert answer.body["status"] == "in_progress"
    assert len(pull.check_runs[0].annotations) == 120
    shown = await client.get(f"{path}/annotations?per_page=100")
    assert len(shown.body) == 100
    assert shown.body[0]["blob_href"].endswith(f"/blob/{pull.head_sha}/README.md")


@pytest.mark.malformed
@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            {"output": {"title": "t", "summary": "s", "annotations": annotations(51)}},
            "No more than 50 items are allowed; 51 were supplied.",
        ),
        (
            {"output": {"title": "t", "summary": "x" * 65_536}},
            "Only 65535 characters are allowed; 65536 were supplied.",
        ),
        ({"output": {"summary": "s"}}, '"output.title" wasn\'t supplied.'),
        ({"output": {"title": "t"}}, '"output.summary" wasn\'t supplied.'),
        ({"status": "completed"}, '"conclusion" wasn\'t supplied.'),
        ({"conclusion": "great"}, "For 'conclusion'"),
        ({"head_sha": "f" * 40}, "No commit found for SHA"),
        (
            {"actions": [{"label": "x" * 21, "description": "d", "identifier": "i"}]},
            "Only 20 characters are allowed; 21 were supplied.",
        ),
        ({"name": None}, "For 'name'"),
    ],
)
async def test_limits_are_refused(
    client: Client, pull: PullRequest, more: dict[str, Any], message: str
) -> None:
    answer = await create(client, **more)
    assert (answer.status, message in answer.message) == (422, True), answer.message
    assert pull.check_runs == []


async def test_a_full_summary_is_taken(client: Client) -> None:
    answer = await create(client, output={"title": "t", "summary": "界" * 65_535})
    assert answer.status == 201


async def test_a_conclusion_completes(client: Client, pull: PullRequest) -> None:
    made = (await create(client, status="queued")).body
    assert (made["status"], made["completed_at"]) == ("queued", None)
    done = (await client.patch(f"{RUNS}/{made['id']}", {"conclusion": "neutral"})).body
    assert (done["status"], done["conclusion"]) == ("completed", "neutral")
    assert done["completed_at"]
    assert [it["number"] for it in done["pull_requests"]] == [pull.number]
    assert (await client.get(f"{RUNS}/{made['id']}")).body == done


async def test_lists_show_the_latest_of_each_name(client: Client, pull: PullRequest) -> None:
    for name, conclusion in (("a", "failure"), ("b", "success"), ("a", "success")):
        await create(client, name=name, conclusion=conclusion)
    path = f"/repos/{NAME}/commits/{{}}/check-runs"
    head = path.format(pull.head_sha)
    app_id = client.sandbox.app_id

    async def listed(address: str) -> list[tuple[str, str]]:
        answer = (await client.get(address)).body
        assert answer["total_count"] == len(answer["check_runs"])
        return [(it["name"], it["conclusion"]) for it in answer["check_runs"]]

    assert await listed(head) == [("a", "success"), ("b", "success")]
    assert len(await listed(f"{head}?filter=all")) == 3
    assert await listed(f"{head}?check_name=a&app_id={app_id}") == [("a", "success")]
    assert await listed(f"{head}?app_id=1") == []
    assert await listed(path.format(pull.base_sha)) == []
    assert await listed(path.format("refs/heads/feature")) == await listed(head)
    assert (await client.get(path.format("none"))).status == 422


@pytest.mark.usefixtures("run")
async def test_the_life_of_a_run_is_told(github: Sandbox, receiver: Receiver) -> None:
    await github.settled()
    told = [event for event in receiver.events() if event.startswith("check")]
    assert sorted(told) == ["check_run.completed", "check_run.created", "check_suite.requested"]


async def test_people_ask_again(run: CheckRun, github: Sandbox, receiver: Receiver) -> None:
    await github.rerequest_check_run(run)
    payload = receiver.last("check_run")
    assert (payload["action"], payload["check_run"]["id"]) == ("rerequested", run.id)
    assert [it["number"] for it in payload["check_run"]["pull_requests"]] == [1]
    await github.press_check_run_button(run, "rerun", "somebody")
    payload = receiver.last("check_run")
    assert payload["requested_action"] == {"identifier": "rerun"}
    assert payload["sender"]["login"] == "somebody"
    with pytest.raises(LookupError, match=r"offers \['rerun'\], not 'fix'"):
        await github.press_check_run_button(run, "fix")


async def test_suites_are_asked_for_again(
    run: CheckRun, github: Sandbox, receiver: Receiver, pull: PullRequest
) -> None:
    await github.rerequest_check_suite(1)
    suite = receiver.last("check_suite")["check_suite"]
    assert (suite["head_sha"], suite["app"]["id"]) == (pull.head_sha, github.app_id)
    assert (suite["status"], suite["conclusion"]) == ("completed", "failure")
    assert [it["number"] for it in suite["pull_requests"]] == [1]
    await github.rerequest_check_suite(1, with_pulls=False)
    assert receiver.last("check_suite")["check_suite"]["pull_requests"] == []
    await github.rerequest_check_suite(1, app_id=7)
    assert receiver.last("check_suite")["check_suite"]["app"]["id"] == 7
    assert run.suite.app_id == github.app_id
