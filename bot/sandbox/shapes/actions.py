"""Workflows, workflow runs, jobs and artifacts."""

from typing import Any
from urllib.parse import quote

import pygit2

from bot.sandbox.delivery import Json
from bot.sandbox.shapes.accounts import repository, user
from bot.sandbox.shapes.pulls import pull_request_minimal
from bot.sandbox.state import PullRequest, State
from bot.sandbox.workflows import Attempt, JobRun, Run, Stored, Workflow


def _actions(state: State, workflow: Workflow) -> str:
    return f"{state.api_url}/repos/{workflow.repository.full_name}/actions"


def workflow(state: State, it: Workflow) -> Json:
    """A workflow."""
    html = f"{state.url}/{it.repository.full_name}"
    return {
        "id": it.id,
        "node_id": f"W_{it.id}",
        "name": it.name,
        "path": it.path,
        "state": "active",
        "created_at": it.created_at,
        "updated_at": it.created_at,
        "url": f"{_actions(state, it)}/workflows/{it.id}",
        "html_url": f"{html}/blob/{it.repository.default_branch}/{it.path}",
        "badge_url": f"{html}/workflows/{quote(it.name)}/badge.svg",
    }


def pulls_of(run: Run) -> list[PullRequest]:
    """The open pull requests of the run's branch; GitHub names none for forks.

    https://docs.github.com/en/rest/actions/workflow-runs#get-a-workflow-run
    """
    return [
        pull
        for pull in run.repository.pulls.values()
        if pull.state == "open"
        and pull.head_repository is run.head_repository is run.repository
        and pull.head_ref == run.head_branch
    ]


def workflow_run(state: State, attempt: Attempt, *, with_pulls: bool = True) -> Json:
    """A run as one of its attempts shows it."""
    run = attempt.run
    actions = _actions(state, run.workflow)
    url = f"{actions}/runs/{run.id}"
    previous = f"{url}/attempts/{attempt.number - 1}" if attempt.number > 1 else None
    pulls = pulls_of(run) if with_pulls else []
    return {
        "id": run.id,
        "name": run.workflow.name,
        "node_id": f"WFR_{run.id}",
        "head_branch": run.head_branch,
        "head_sha": run.head_sha,
        "path": run.workflow.path,
        "display_title": run.title,
        "run_number": run.number,
        "run_attempt": attempt.number,
        "event": run.event,
        "status": attempt.status,
        "conclusion": attempt.conclusion,
        "workflow_id": run.workflow.id,
        "check_suite_id": run.id,
        "check_suite_node_id": f"CS_{run.id}",
        "url": url,
        "html_url": f"{state.url}/{run.repository.full_name}/actions/runs/{run.id}",
        "pull_requests": [pull_request_minimal(state, pull) for pull in pulls],
        "created_at": run.created_at,
        "updated_at": attempt.updated_at,
        "run_started_at": attempt.started_at,
        "actor": user(state, run.actor),
        "triggering_actor": user(state, attempt.actor),
        **{f"{what}_url": f"{url}/{what}" for what in ("jobs", "logs", "artifacts", "cancel")},
        "rerun_url": f"{url}/rerun",
        "check_suite_url": f"{actions.removesuffix('actions')}check-suites/{run.id}",
        "previous_attempt_url": previous,
        "workflow_url": f"{actions}/workflows/{run.workflow.id}",
        "head_commit": _commit(run),
        "repository": repository(state, run.repository),
        "head_repository": repository(state, run.head_repository),
    }


def _commit(run: Run) -> Json:
    commit = run.repository.git.objects[run.head_sha].peel(pygit2.Commit)
    who = {"name": "author", "email": "author@users.noreply.localhost"}
    return {
        "id": run.head_sha,
        "tree_id": str(commit.tree_id),
        "message": commit.message,
        "timestamp": run.created_at,
        "author": who,
        "committer": who,
    }


def job(state: State, it: JobRun) -> Json:
    """A job."""
    run = it.attempt.run
    url = _actions(state, run.workflow)
    repo = f"{state.api_url}/repos/{run.repository.full_name}"
    return {
        "id": it.id,
        "run_id": run.id,
        "run_url": f"{url}/runs/{run.id}",
        "run_attempt": it.attempt.number,
        "node_id": f"CR_{it.id}",
        "head_sha": run.head_sha,
        "head_branch": run.head_branch,
        "workflow_name": run.workflow.name,
        "name": it.name,
        "url": f"{url}/jobs/{it.id}",
        "html_url": f"{state.url}/{run.repository.full_name}/actions/runs/{run.id}/job/{it.id}",
        "check_run_url": f"{repo}/check-runs/{it.id}",
        "status": it.status,
        "conclusion": it.conclusion,
        "created_at": it.created_at,
        "started_at": it.started_at,
        "completed_at": it.completed_at,
        "steps": [],
        "labels": list(it.labels),
        "runner_id": None if it.runner is None else 1,
        "runner_name": it.runner,
        "runner_group_id": None if it.runner is None else 1,
        "runner_group_name": None if it.runner is None else "default",
    }


def artifact(state: State, it: Stored) -> Json:
    """An artifact."""
    run = it.run
    url = f"{_actions(state, run.workflow)}/artifacts/{it.id}"
    ids: dict[str, Any] = {
        "id": run.id,
        "repository_id": run.repository.id,
        "head_repository_id": run.head_repository.id,
        "head_branch": run.head_branch,
        "head_sha": run.head_sha,
    }
    return {
        "id": it.id,
        "node_id": f"A_{it.id}",
        "name": it.name,
        "size_in_bytes": len(it.content),
        "url": url,
        "archive_download_url": f"{url}/zip",
        "expired": it.expired,
        "created_at": it.created_at,
        "updated_at": it.created_at,
        "expires_at": it.expires_at,
        "workflow_run": ids,
    }
