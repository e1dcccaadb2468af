"""Check runs, check suites and annotations."""

import pygit2

from bot.sandbox.delivery import Json
from bot.sandbox.shapes.accounts import app, user
from bot.sandbox.shapes.pulls import blob_address, pull_request_minimal
from bot.sandbox.state import PullRequest, Repository, State, stamp
from bot.sandbox.suites import CheckRun, CheckSuite, Status


def pulls_of(suite: CheckSuite) -> list[PullRequest]:
    """The open pull requests of the suite's repository whose head the suite is about.

    GitHub leaves out pull requests from forks here.
    https://docs.github.com/en/rest/checks/runs#get-a-check-run
    """
    return [
        pull
        for pull in suite.repository.pulls.values()
        if pull.state == "open"
        and pull.head_sha == suite.head_sha
        and pull.head_repository is suite.repository
    ]


def check_run(state: State, run: CheckRun) -> Json:
    """A check run as the REST API answers it."""
    suite = run.suite
    repo = f"repos/{suite.repository.full_name}"
    url = f"{state.api_url}/{repo}/check-runs/{run.id}"
    html = f"{state.url}/{suite.repository.full_name}/runs/{run.id}"
    return {
        "id": run.id,
        "name": run.name,
        "node_id": f"CR_{run.id}",
        "head_sha": suite.head_sha,
        "external_id": run.external_id,
        "url": url,
        "html_url": html,
        "details_url": run.details_url or html,
        "status": run.status,
        "conclusion": run.conclusion,
        "started_at": run.started_at,
        "completed_at": run.completed_at,
        "output": {
            "title": run.title,
            "summary": run.summary,
            "text": run.text,
            "annotations_count": len(run.annotations),
            "annotations_url": f"{url}/annotations",
        },
        "check_suite": {"id": suite.id},
        "app": _app_of(state, suite),
        "pull_requests": [pull_request_minimal(state, pull) for pull in pulls_of(suite)],
    }


def _app_of(state: State, suite: CheckSuite) -> Json | None:
    if not suite.app_id:
        return None
    slug = suite.app_slug or state.app.slug
    return {**app(state), "id": suite.app_id, "slug": slug, "name": slug}


def commit_status(state: State, repository: Repository, it: Status) -> Json:
    """A commit status."""
    url = f"{state.api_url}/repos/{repository.full_name}/statuses/{it.sha}"
    return {
        "id": it.id,
        "node_id": f"SC_{it.id}",
        "url": url,
        "avatar_url": None,
        "state": it.state,
        "description": it.description,
        "target_url": it.target_url,
        "context": it.context,
        "created_at": it.created_at,
        "updated_at": it.created_at,
        "creator": user(state, it.creator),
    }


def status_event(state: State, repository: Repository, it: Status) -> Json:
    """What a `status` delivery tells.

    https://docs.github.com/en/webhooks/webhook-events-and-payloads#status
    """
    keys = ("id", "context", "state", "description", "target_url", "created_at", "updated_at")
    told = {key: commit_status(state, repository, it)[key] for key in keys}
    told |= {"sha": it.sha, "name": repository.full_name, "branches": []}
    return {**told, "commit": _commit(state, repository, it.sha)}


def _commit(state: State, repository: Repository, sha: str) -> Json:
    commit = repository.git.objects[sha].peel(pygit2.Commit)
    api = f"{state.api_url}/repos/{repository.full_name}"
    address = f"{api}/commits/{sha}"
    who = {"name": commit.author.name, "email": "author@users.noreply.localhost"}
    who["date"] = stamp(commit.commit_time)
    unsigned = {"verified": False, "reason": "unsigned", "verified_at": None}
    tree = {"sha": str(commit.tree_id), "url": f"{api}/git/trees/{commit.tree_id}"}
    return {
        "sha": sha,
        "node_id": f"C_{sha}",
        "url": address,
        "html_url": f"{state.url}/{repository.full_name}/commit/{sha}",
        "comments_url": f"{address}/comments",
        "author": None,
        "committer": None,
        "parents": [],
        "commit": {
            "author": who,
            "committer": who,
            "message": commit.message,
            "tree": tree,
            "url": f"{api}/git/commits/{sha}",
            "comment_count": 0,
            "verification": {**unsigned, "signature": None, "payload": None},
        },
    }


def annotation(state: State, run: CheckRun, it: Json) -> Json:
    """One annotation of a check run."""
    suite = run.suite
    return {
        "path": it["path"],
        "blob_href": blob_address(state, suite.repository, suite.head_sha, it["path"]),
        **{key: it[key] for key in ("start_line", "end_line", "annotation_level", "message")},
        **{
            key: it.get(key)
            for key in ("start_column", "end_column", "title", "message", "raw_details")
        },
    }


def _suite_state(suite: CheckSuite) -> tuple[str, str | None]:
    """Status and conclusion of a suite: those of its runs, the worst first."""
    runs = [run for run in suite.repository.check_runs if run.suite is suite]
    if not runs:
        return "queued", None
    if any(run.status != "completed" for run in runs):
        return "in_progress", None
    conclusions = {run.conclusion for run in runs}
    order = ("failure", "timed_out", "cancelled", "action_required", "success", "neutral")
    return "completed", next((it for it in order if it in conclusions), "skipped")


def check_suite(state: State, suite: CheckSuite, *, with_pulls: bool = True) -> Json:
    """A check suite as webhooks carry it."""
    status, conclusion = _suite_state(suite)
    pulls = pulls_of(suite) if with_pulls else []
    return {
        "id": suite.id,
        "node_id": f"CS_{suite.id}",
        "head_branch": suite.head_branch,
        "head_sha": suite.head_sha,
        "status": status,
        "conclusion": conclusion,
        "url": f"{state.api_url}/repos/{suite.repository.full_name}/check-suites/{suite.id}",
        "before": suite.head_sha,
        "after": suite.head_sha,
        "pull_requests": [pull_request_minimal(state, pull) for pull in pulls],
        "app": _app_of(state, suite),
        "created_at": suite.created_at,
        "updated_at": suite.created_at,
    }


def check_suite_full(state: State, suite: CheckSuite, *, with_pulls: bool = True) -> Json:
    """A check suite with what `check_suite` deliveries add."""
    repo = suite.repository
    url = f"{state.api_url}/repos/{repo.full_name}/check-suites/{suite.id}"
    who = {"name": "author", "email": "author@users.noreply.localhost"}
    commit = repo.git.objects[suite.head_sha].peel(pygit2.Commit)
    return {
        **check_suite(state, suite, with_pulls=with_pulls),
        "latest_check_runs_count": sum(run.suite is suite for run in repo.check_runs),
        "check_runs_url": f"{url}/check-runs",
        "rerequestable": True,
        "runs_rerequestable": True,
        "head_commit": {
            "id": suite.head_sha,
            "tree_id": str(commit.tree_id),
            "message": commit.message,
            "timestamp": suite.created_at,
            "author": who,
            "committer": who,
        },
    }


def check_run_in_webhook(state: State, run: CheckRun, *, with_pulls: bool = True) -> Json:
    """A check run with its suite, as webhooks carry it."""
    shown = check_run(state, run)
    suite = check_suite(state, run.suite, with_pulls=with_pulls)
    return {**shown, "pull_requests": suite["pull_requests"], "check_suite": suite}
