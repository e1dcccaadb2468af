"""Read workflow runs, their jobs and artifacts; see `checks.sweeps.runs` for what they are.

All functions raise GitHubError. Answers that did not change cost no rate limit.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from bot.github import Client, GitHubRefused
from checks.sweeps.runs import Artifact, Head, Job, WorkflowRun

MOST_TITLED = 300
_RUNS = "/repos/{+repository}/actions/runs"
# https://docs.github.com/en/rest/actions/workflow-runs#list-workflow-runs-for-a-repository
# takes one status at a time; together these are everything but "completed".
_UNFINISHED = ("queued", "in_progress", "waiting", "requested", "pending")


def head_of(pull: Any) -> Head:
    """Return the head of a pull request, given as the API tells of it."""
    head = pull["head"]
    repository = head["repo"]["full_name"] if head["repo"] else ""
    return Head(repository, head["ref"], head["sha"])


async def runs_at(client: Client, repository: str, head: Head) -> tuple[WorkflowRun, ...]:
    """Return the runs of all workflows about a head, as many as GitHub lists (1,000)."""
    query = "{?head_sha,exclude_pull_requests,per_page}"
    runs = await _runs(client, repository, query, head_sha=head.sha)
    return tuple(run for run in runs if head.has(run))


async def runs_of_branch(
    client: Client, repository: str, head: Head, most: int
) -> tuple[tuple[WorkflowRun, ...], bool]:
    """Return the newest runs about a head or earlier ones of its branch, and whether that is all.

    At most `most` runs of branches of that name are looked at.
    """
    place = {"repository": repository, "branch": head.branch, "exclude_pull_requests": "true"}
    url = _RUNS + "{?branch,exclude_pull_requests,per_page}"
    found: list[WorkflowRun] = []
    pages = client.getiter(url, {**place, "per_page": "100"}, iterable_key="workflow_runs")
    async for each in pages:
        found.append(read_run(each))
        if len(found) > most:
            break
    return tuple(run for run in found[:most] if head.has_branch_of(run)), len(found) <= most


async def unfinished(client: Client, repository: str, head: Head) -> tuple[WorkflowRun, ...]:
    """Return the runs that wait or run on the head's branch, also for commits before the head."""
    query = "{?branch,status,exclude_pull_requests,per_page}"
    found: dict[int, WorkflowRun] = {}
    for status in _UNFINISHED:
        runs = await _runs(client, repository, query, branch=head.branch, status=status)
        found |= {run.id: run for run in runs if head.has_branch_of(run)}
    return tuple(found.values())


async def _runs(client: Client, repository: str, query: str, **wanted: str) -> list[WorkflowRun]:
    more = {"repository": repository, "exclude_pull_requests": "true", "per_page": "100"}
    pages = client.getiter(_RUNS + query, {**more, **wanted}, iterable_key="workflow_runs")
    return [read_run(each) async for each in pages]


async def successes(
    client: Client, repository: str, workflow: str, branch: str, most: int
) -> tuple[WorkflowRun, ...]:
    """Return the newest runs of a workflow that pushes to a branch started and that succeeded.

    Args:
        client: of the installation.
        repository: "owner/name".
        workflow: name of its file, which the repository has.
        branch: its name.
        most: how many, up to 100.

    """
    url = "/repos/{+repository}/actions/workflows/{workflow}/runs"
    wanted = {"branch": branch, "event": "push", "status": "success", "per_page": str(most)}
    place = {"repository": repository, "workflow": workflow, **wanted}
    found = await client.getitem(url + "{?branch,event,status,per_page}", place)
    return tuple(read_run(each) for each in found["workflow_runs"])


async def titled(
    client: Client, repository: str, workflow: str, title: str, since: str
) -> tuple[WorkflowRun, ...]:
    """Return the runs of a title that somebody dispatched in this repository, the newest first.

    Args:
        client: of the installation.
        repository: "owner/name".
        workflow: name of its file, which the repository has.
        title: to the letter.
        since: a day; of the runs since then the newest 300 are looked at.

    """
    url = "/repos/{+repository}/actions/workflows/{workflow}/runs{?event,created,per_page}"
    wanted = {"event": "workflow_dispatch", "created": f">={since}", "per_page": "100"}
    place = {"repository": repository, "workflow": workflow, **wanted}
    found: list[WorkflowRun] = []
    left = MOST_TITLED
    async for each in client.getiter(url, place, iterable_key="workflow_runs"):
        if each["display_title"] == title:
            found.append(read_run(each))
        left -= 1
        if not left:
            break
    return tuple(found)


async def workflows_of(client: Client, repository: str) -> frozenset[str]:
    """Return the names of the files of a repository's workflows, also of those that are gone."""
    url = "/repos/{+repository}/actions/workflows{?per_page}"
    place = {"repository": repository, "per_page": "100"}
    pages = client.getiter(url, place, iterable_key="workflows")
    return frozenset([_file(each["path"]) async for each in pages])


async def run_of(client: Client, repository: str, number: int) -> WorkflowRun | None:
    """Return the run of an id; None if there is none in this repository."""
    place = {"repository": repository, "id": str(number)}
    try:
        return read_run(await client.getitem(_RUNS + "/{id}", place))
    except GitHubRefused as error:
        if error.status != 404:
            raise
        return None


async def jobs_of(
    client: Client, repository: str, number: int, *, every_attempt: bool = False
) -> tuple[Job, ...]:
    """Return the jobs of a run's newest attempt, or of all its attempts."""
    place = {"repository": repository, "id": str(number), "per_page": "100"}
    place["filter"] = "all" if every_attempt else "latest"
    url = _RUNS + "/{id}/jobs{?filter,per_page}"
    pages = client.getiter(url, place, iterable_key="jobs")
    return tuple([_job(each) async for each in pages])


async def artifacts_of(
    client: Client, repository: str, number: int, *, name: str | None = None
) -> tuple[Artifact, ...]:
    """Return the artifacts of a run, of all its attempts; only those of a name, if one is given."""
    place = {"repository": repository, "id": str(number), "per_page": "100"}
    url = _RUNS + "/{id}/artifacts{?name,per_page}"
    pages = client.getiter(
        url, {**place, "name": name} if name else place, iterable_key="artifacts"
    )
    return tuple([_artifact(each) async for each in pages])


async def archive_of(client: Client, repository: str, artifact: Artifact, most_bytes: int) -> bytes:
    """Return the zip archive of an artifact; hostile, and not looked into.

    Raises GitHubRefused (410) once it has expired, GitHubUnreachable if it is too long.
    """
    place = {"repository": repository, "id": str(artifact.id)}
    url = "/repos/{+repository}/actions/artifacts/{id}/zip"
    return await client.download(url, place, most_bytes)


async def has_logs(client: Client, repository: str, number: int) -> bool:
    """Tell whether GitHub still has the logs of a run; without them it runs nothing again."""
    try:
        await client.location(_RUNS + "/{id}/logs", {"repository": repository, "id": str(number)})
    except GitHubRefused as error:
        if error.status not in {404, 410}:
            raise
        return False
    return True


def read_run(content: Any) -> WorkflowRun:
    """Return a run from what the API or a delivery says of it."""
    repository = content["head_repository"]
    actor = content.get("triggering_actor") or content.get("actor")
    return WorkflowRun(
        id=content["id"],
        workflow=_file(content["path"]),
        workflow_id=content["workflow_id"],
        name=content["name"] or "",
        title=content["display_title"] or "",
        event=content["event"],
        head_repository=repository["full_name"] if repository else "",
        head_branch=content["head_branch"] or "",
        head_sha=content["head_sha"],
        attempt=content.get("run_attempt") or 1,
        status=content["status"] or "",
        conclusion=content["conclusion"],
        actor=actor["login"] if actor else "",
        created_at=_time(content["created_at"]),
        started_at=_time(content.get("run_started_at") or content["created_at"]),
        updated_at=_time(content["updated_at"]),
        url=content["html_url"],
    )


def _file(path: str) -> str:
    """Return the name of a workflow's file; a path may end with "@" and a branch."""
    return path.partition("@")[0].rpartition("/")[2]


def _job(content: Any) -> Job:
    started, completed = content["started_at"], content["completed_at"]
    return Job(
        id=content["id"],
        run_id=content["run_id"],
        attempt=content.get("run_attempt") or 1,
        name=content["name"],
        status=content["status"],
        conclusion=content["conclusion"],
        started_at=_time(started) if started else None,
        completed_at=_time(completed) if completed else None,
        url=content["html_url"] or "",
        labels=tuple(content["labels"]),
        runner=content["runner_name"] or "",
    )


def _artifact(content: Any) -> Artifact:
    expires = content["expires_at"]
    return Artifact(
        id=content["id"],
        name=content["name"],
        size=content["size_in_bytes"],
        expired=content["expired"],
        created_at=_time(content["created_at"]),
        expires_at=_time(expires) if expires else None,
    )


def _time(stamp: str) -> datetime:
    return datetime.fromisoformat(stamp)
