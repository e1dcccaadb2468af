"""Workflow runs: read, dispatched, worked on, run again, cancelled."""

import io
import zipfile
from typing import Any

import pytest
from yarl import URL

from bot.sandbox import Sandbox
from bot.sandbox.state import PullRequest, stamp
from bot.sandbox.workflows import Run, Workflow
from tests.gitkit import GitRepo
from tests.sandbox.conftest import NAME, Client, Receiver

ACTIONS = f"/repos/{NAME}/actions"
JOBS = ("canary / c8", "single-node 8k1k / c8", "single-node 8k1k / c16")


@pytest.fixture
def sweep(github: Sandbox) -> Workflow:
    return github.add_workflow(NAME, "run-sweep.yml", "Run Sweep", JOBS)


@pytest.fixture
async def run(github: Sandbox, sweep: Workflow) -> Run:
    """A finished run with one failed and one cancelled job."""
    run = await github.start_run(1, sweep)
    await github.finish_run(run, {JOBS[1]: "failure", JOBS[2]: "cancelled"})
    return run


def runs_in(answer: Any) -> list[int]:
    return [run["id"] for run in answer.body["workflow_runs"]]


async def test_a_run_tells_of_itself_and_of_its_jobs(
    client: Client, github: Sandbox, sweep: Workflow, receiver: Receiver
) -> None:
    receiver.got.clear()
    run = await github.start_run(1, sweep)
    await github.begin_jobs(run, JOBS[0])
    await github.end_job(run, JOBS[0])
    await github.finish_run(run, {JOBS[1]: "failure"})
    told = receiver.events()
    count = {event: told.count(event) for event in sorted(set(told))}
    assert count == {
        "workflow_job.completed": 3,
        "workflow_job.in_progress": 3,
        "workflow_job.queued": 3,
        "workflow_run.completed": 1,
        "workflow_run.in_progress": 1,
        "workflow_run.requested": 1,
    }
    shown = receiver.last("workflow_run")["workflow_run"]
    assert (shown["conclusion"], shown["head_sha"]) == ("failure", run.head_sha)
    assert [pull["number"] for pull in shown["pull_requests"]] == [1]


async def test_what_is_read(client: Client, run: Run) -> None:
    path = f"{ACTIONS}/runs/{run.id}"
    shown = (await client.get(path)).body
    wanted = (run.workflow.path, 1, "completed", "failure", "Run Sweep - Tune it")
    keys = ("path", "run_attempt", "status", "conclusion", "display_title")
    assert tuple(shown[key] for key in keys) == wanted
    jobs = (await client.get(f"{path}/jobs")).body["jobs"]
    assert [(job["name"], job["conclusion"]) for job in jobs] == [
        (JOBS[0], "success"),
        (JOBS[1], "failure"),
        (JOBS[2], "cancelled"),
    ]
    assert (await client.get(f"{ACTIONS}/jobs/{jobs[0]['id']}")).body == jobs[0]
    assert (await client.get(f"{path}/attempts/1")).body == shown
    assert (await client.get(f"{path}/attempts/2")).status == 404
    for missing in ("runs/1", "jobs/1", "artifacts/1", "workflows/no.yml"):
        assert (await client.get(f"{ACTIONS}/{missing}")).status == 404


async def test_workflows_are_listed_with_their_runs(client: Client, run: Run) -> None:
    listed = (await client.get(f"{ACTIONS}/workflows")).body
    assert [it["path"] for it in listed["workflows"]] == [".github/workflows/run-sweep.yml"]
    for name in ("run-sweep.yml", run.workflow.id):
        assert (await client.get(f"{ACTIONS}/workflows/{name}")).body["name"] == "Run Sweep"
        assert runs_in(await client.get(f"{ACTIONS}/workflows/{name}/runs")) == [run.id]


async def test_runs_are_filtered(
    client: Client, github: Sandbox, run: Run, pull: PullRequest
) -> None:
    lint = github.add_workflow(NAME, "lint.yml", "Lint", ["lint"])
    other = await github.start_run(1, lint, event="push", actor="maintainer")
    both = [other.id, run.id]
    day = run.created_at[:10]
    for query, wanted in {
        "": both,
        f"head_sha={pull.head_sha}": both,
        "head_sha=" + "0" * 40: [],
        "branch=feature": both,
        "branch=main": [],
        "event=push": [other.id],
        "status=completed": [run.id],
        "status=failure": [run.id],
        "status=queued": [other.id],
        "actor=maintainer": [other.id],
        f"check_suite_id={run.id}": [run.id],
        f"created=>={day}": both,
        f"created=>{day}": [],
        f"created=<={other.created_at}": both,
        f"created=<{day}": [],
        "created=2020-01-01..2020-12-31": [],
        f"created=2020-01-01..{day}": both,
        f"created={day}": both,
        "per_page=1": [other.id],
    }.items():
        assert runs_in(await client.get(f"{ACTIONS}/runs?{query}")) == wanted, query
    hidden = await client.get(f"{ACTIONS}/runs?exclude_pull_requests=true")
    assert [it["pull_requests"] for it in hidden.body["workflow_runs"]] == [[], []]


async def test_runs_of_forks_name_no_pull_request(
    client: Client, github: Sandbox, sweep: Workflow, clone: GitRepo, receiver: Receiver
) -> None:
    await github.add_repository("stranger/bench", clone.path, installed=False)
    number = await github.open_pull_request(NAME, "feature", "main", head_repo="stranger/bench")
    run = await github.start_run(number, sweep)
    shown = (await client.get(f"{ACTIONS}/runs/{run.id}")).body
    assert shown["pull_requests"] == []
    assert shown["head_repository"]["full_name"] == "stranger/bench"
    assert receiver.last("workflow_run")["workflow_run"]["pull_requests"] == []


async def test_failed_jobs_run_again(client: Client, run: Run, receiver: Receiver) -> None:
    path = f"{ACTIONS}/runs/{run.id}"
    receiver.got.clear()
    assert (await client.post(f"{path}/rerun-failed-jobs")).status == 201
    await client.sandbox.settled()
    assert receiver.events().count("workflow_job.queued") == 2
    again = (await client.get(path)).body
    assert (again["run_attempt"], again["status"], again["conclusion"]) == (2, "queued", None)
    assert again["triggering_actor"]["login"] == "referee[bot]"
    assert again["actor"]["login"] == "author"
    latest = (await client.get(f"{path}/jobs?filter=latest")).body["jobs"]
    assert [job["status"] for job in latest] == ["completed", "queued", "queued"]
    every = (await client.get(f"{path}/jobs?filter=all")).body["jobs"]
    assert len({job["id"] for job in every}) == 6
    first = (await client.get(f"{path}/attempts/1/jobs")).body["jobs"]
    assert [job["run_attempt"] for job in first] == [1, 1, 1]
    assert (await client.get(f"{path}/attempts/1")).body["conclusion"] == "failure"
    assert again["previous_attempt_url"].endswith("/attempts/1")


async def test_all_jobs_or_one_run_again(client: Client, run: Run) -> None:
    path = f"{ACTIONS}/runs/{run.id}"
    green = run.job(JOBS[0])
    assert (await client.post(f"{ACTIONS}/jobs/{green.id}/rerun")).status == 201
    assert [job.status for job in run.attempt.jobs] == ["queued", "completed", "completed"]
    await client.sandbox.finish_run(run)
    assert (await client.post(f"{path}/rerun", {"enable_debug_logging": True})).status == 201
    assert [job.status for job in run.attempt.jobs] == ["queued"] * 3
    assert len(run.attempts) == 3
    old = await client.post(f"{ACTIONS}/jobs/{green.id}/rerun")
    assert (old.status, old.message) == (
        403,
        "The workflow run containing this job is already running",
    )
    await client.sandbox.finish_run(run)
    assert (await client.post(f"{ACTIONS}/jobs/{green.id}/rerun")).status == 403


@pytest.mark.parametrize(
    ("trouble", "message"),
    [
        ("running", "This workflow is already running"),
        ("old", "Unable to retry this workflow run because it was created over a month ago"),
        ("worn", "This workflow run cannot be retried"),
        ("no logs", "This workflow run cannot be retried"),
        ("green", "This workflow run cannot be retried"),
    ],
)
async def test_what_cannot_run_again(
    client: Client, github: Sandbox, run: Run, trouble: str, message: str
) -> None:
    match trouble:
        case "running":
            await client.post(f"{ACTIONS}/runs/{run.id}/rerun")
        case "old":
            run.created_at = stamp(github.state.clock() - 31 * 86_400)
        case "worn":
            run.attempt.number = 50
        case "no logs":
            github.expire_logs(run)
            assert (await client.get(f"{ACTIONS}/runs/{run.id}/logs")).status == 410
        case "green":
            for job in run.attempt.jobs:
                job.conclusion = "success"
    answer = await client.post(f"{ACTIONS}/runs/{run.id}/rerun-failed-jobs")
    assert (answer.status, answer.message) == (403, message)


async def test_what_runs_is_cancelled(client: Client, github: Sandbox, sweep: Workflow) -> None:
    run = await github.start_run(1, sweep)
    await github.end_job(run, JOBS[0], "failure")
    assert (await client.post(f"{ACTIONS}/runs/{run.id}/cancel")).status == 202
    assert run.attempt.conclusion == "cancelled"
    conclusions = [job.conclusion for job in run.attempt.jobs]
    assert conclusions == ["failure", "cancelled", "cancelled"]
    again = await client.post(f"{ACTIONS}/runs/{run.id}/cancel")
    assert (again.status, again.message) == (409, "Cannot cancel a workflow run that is completed.")


@pytest.fixture
def e2e(github: Sandbox) -> Workflow:
    return github.add_workflow(NAME, "e2e-tests.yml", "E2E", ["sweep"], inputs=["ref", "fast"])


DISPATCH = f"{ACTIONS}/workflows/e2e-tests.yml/dispatches"


async def test_a_dispatch_tells_its_run_when_asked(client: Client, e2e: Workflow) -> None:
    body: dict[str, Any] = {"ref": "main", "inputs": {"fast": True}}
    silent = await client.post(DISPATCH, body)
    assert (silent.status, silent.body) == (204, None)
    told = await client.post(DISPATCH, {**body, "return_run_details": True})
    first, second = e2e.repository.runs
    assert (told.status, told.body["workflow_run_id"]) == (200, second.id)
    assert first.inputs == {"fast": "true"}
    assert (first.event, first.head_branch, first.actor.login) == (
        "workflow_dispatch",
        "main",
        "referee[bot]",
    )


@pytest.mark.malformed
async def test_an_old_server_knows_no_run_details(client: Client, e2e: Workflow) -> None:
    client.sandbox.state.returns_run_details = False
    answer = await client.post(DISPATCH, {"ref": "main", "return_run_details": False})
    assert (answer.status, answer.message) == (
        422,
        'Invalid request.\n\n"return_run_details" is not a permitted key.',
    )
    assert (await client.post(DISPATCH, {"ref": "main"})).status == 204


@pytest.mark.malformed
@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"ref": "gone"}, "No ref found for: gone"),
        ({"ref": "main", "inputs": {"x": "1"}}, 'Unexpected inputs provided: ["x"]'),
        (
            {"ref": "main", "inputs": {str(n): "" for n in range(26)}},
            "you may only define up to 25 `inputs`",
        ),
        ({}, '"ref" wasn\'t supplied.'),
    ],
)
async def test_a_wrong_dispatch_is_refused(
    client: Client, e2e: Workflow, body: dict[str, Any], message: str
) -> None:
    answer = await client.post(DISPATCH, body)
    assert (answer.status, message in answer.message) == (422, True), answer.message
    assert e2e.repository.runs == []


async def test_a_workflow_without_inputs_is_not_dispatched(client: Client, run: Run) -> None:
    answer = await client.post(f"{ACTIONS}/workflows/run-sweep.yml/dispatches", {"ref": "main"})
    message = "Workflow does not have 'workflow_dispatch' trigger"
    assert (answer.status, answer.message) == (422, message)


async def test_artifacts_come_from_another_host_that_wants_no_token(
    client: Client, github: Sandbox, run: Run
) -> None:
    made = github.add_artifact(run, "results_bmk", {"agg.json": b"[]"})
    github.add_archive(run, "broken", b"no zip")
    path = f"{ACTIONS}/runs/{run.id}/artifacts"
    listed = (await client.get(path)).body["artifacts"]
    assert [(it["name"], it["expired"]) for it in listed] == [
        ("results_bmk", False),
        ("broken", False),
    ]
    assert (await client.get(f"{path}?name=broken")).body["total_count"] == 1
    assert (await client.get(f"{ACTIONS}/artifacts/{made.id}")).body == listed[0]
    moved = await client.get(f"{ACTIONS}/artifacts/{made.id}/zip")
    address = moved.headers["Location"]
    assert (moved.status, URL(address).host) == (302, "localhost")
    async with client.session.get(address) as response:
        archive = zipfile.ZipFile(io.BytesIO(await response.read()))
    assert archive.read("agg.json") == b"[]"
    async with client.session.get(address, headers={"Authorization": "x"}) as response:
        assert response.status == 403
    github.expire_artifacts(run)
    gone = await client.get(f"{ACTIONS}/artifacts/{made.id}/zip")
    assert (gone.status, gone.message) == (410, "Artifact has expired")
    async with client.session.get(address) as response:
        assert response.status == 404


async def test_logs_lie_elsewhere_too(client: Client, run: Run) -> None:
    moved = await client.get(f"{ACTIONS}/runs/{run.id}/logs")
    async with client.session.get(moved.headers["Location"]) as response:
        assert (moved.status, response.status) == (302, 200)


async def test_a_label_starts_a_sweep_and_the_next_push_another(
    client: Client, github: Sandbox, pull: PullRequest, clone: GitRepo
) -> None:
    github.add_workflow(NAME, "run-sweep.yml", "Run Sweep", JOBS, labels=["full-sweep"])
    await github.add_label(1, "unrelated")
    assert pull.repository.runs == []
    await github.add_label(1, "full-sweep")
    (first,) = pull.repository.runs
    assert (first.event, first.head_sha) == ("pull_request", pull.head_sha)
    head = clone.commit("feature", {"README.md": "# More\n"})
    await github.push(NAME, "feature", head, source=clone.path)
    first, second = pull.repository.runs
    assert (first.attempt.conclusion, second.head_sha) == ("cancelled", head)


@pytest.mark.parametrize("granted", [None, "read"])
async def test_actions_need_the_permission(
    client: Client, github: Sandbox, run: Run, e2e: Workflow, granted: str | None
) -> None:
    del github.state.app.permissions["actions"]
    if granted:
        github.state.app.permissions["actions"] = granted
    reads = [f"{ACTIONS}/runs", f"{ACTIONS}/workflows", f"{ACTIONS}/runs/{run.id}/artifacts"]
    writes = [f"{ACTIONS}/runs/{run.id}/{what}" for what in ("rerun", "cancel")]
    for path in reads:
        assert (await client.get(path)).status == (200 if granted else 403)
    for path in writes:
        assert (await client.post(path)).status == 403
    assert (await client.post(DISPATCH, {"ref": "main"})).status == 403


async def test_the_page_shows_the_runs_of_the_head(
    client: Client, github: Sandbox, run: Run
) -> None:
    github.add_artifact(run, "results_<b>", {})
    async with client.session.get(f"{github.url}/{NAME}/pull/1") as response:
        page = await response.text()
    assert "Run Sweep - Tune it" in page
    assert "single-node 8k1k / c16" in page
    assert "results_&lt;b&gt;" in page
    shown = f"{github.url}/{NAME}/actions/runs/{run.id}/job/7"
    async with client.session.get(shown, allow_redirects=False) as response:
        assert response.headers["Location"] == f"/{NAME}/pull/1#workflow-run-{run.id}"
    async with client.session.get(f"{github.url}/{NAME}/actions/runs/1") as response:
        assert response.status == 404
