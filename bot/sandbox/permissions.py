"""What GitHub asks of an App: for each REST operation, and for each event it is told of.

https://docs.github.com/en/rest/authentication/permissions-required-for-github-apps and
https://docs.github.com/en/webhooks/webhook-events-and-payloads. Any one of those listed suffices.
Compared with what GitHub publishes that page from: https://github.com/github/docs/blob/main/src/
github-apps/data/fpt-2026-03-10/server-to-server-permissions.json.
"""

from collections.abc import Mapping

Needs = tuple[str, ...]
FORBIDDEN = "Resource not accessible by integration"
REPO = "/repos/{owner}/{repo}"
CHECK_RUN = "check-runs/{check_run_id}"
ISSUE, ISSUE_COMMENT = "issues/{issue_number}", "issues/comments/{comment_id}"
PULL, LINE_COMMENT = "pulls/{pull_number}", "pulls/comments/{comment_id}"
RUN, JOB, WORKFLOW = "actions/runs/{run_id}", "actions/jobs/{job_id}", "workflows/{workflow_id}"
READ_TALK: Needs = ("issues=read", "pull_requests=read")
TALK: Needs = ("issues=write", "pull_requests=write")
READ_PULLS: Needs = ("pull_requests=read",)
REVIEW: Needs = ("pull_requests=write",)

_IN_REPOSITORY: Mapping[str, Needs] = {
    "GET ": ("metadata=read",),
    "GET collaborators/{username}/permission": ("metadata=read",),
    "GET labels": READ_TALK,
    f"GET {ISSUE}/labels": READ_TALK,
    f"POST {ISSUE}/labels": TALK,
    f"DELETE {ISSUE}/labels/{{name}}": TALK,
    f"GET {ISSUE}/comments": READ_TALK,
    f"POST {ISSUE}/comments": TALK,
    f"GET {ISSUE_COMMENT}": READ_TALK,
    f"PATCH {ISSUE_COMMENT}": TALK,
    # The permission for pull requests does not suffice here.
    f"GET {ISSUE_COMMENT}/reactions": ("issues=read",),
    f"POST {ISSUE_COMMENT}/reactions": ("issues=write",),
    "GET pulls": READ_PULLS,
    # GitHub lists contents=read too, and does not say whether one of the two suffices.
    f"GET {PULL}": READ_PULLS,
    f"GET {PULL}/reviews": READ_PULLS,
    f"POST {PULL}/reviews": REVIEW,
    f"GET {PULL}/comments": READ_PULLS,
    f"GET {PULL}/files": READ_PULLS,
    f"POST {PULL}/comments/{{comment_id}}/replies": REVIEW,
    f"GET {LINE_COMMENT}": READ_PULLS,
    f"PATCH {LINE_COMMENT}": REVIEW,
    f"GET {LINE_COMMENT}/reactions": READ_PULLS,
    f"POST {LINE_COMMENT}/reactions": REVIEW,
    "GET commits/{commit_sha}/pulls": READ_PULLS,
    "GET commits/{ref}/check-runs": ("checks=read",),
    "GET commits/{ref}/statuses": ("statuses=read",),
    "POST statuses/{sha}": ("statuses=write",),
    "POST check-runs": ("checks=write",),
    f"GET {CHECK_RUN}": ("checks=read",),
    f"PATCH {CHECK_RUN}": ("checks=write",),
    f"GET {CHECK_RUN}/annotations": ("checks=read",),
    "GET actions/workflows": ("actions=read",),
    f"GET actions/{WORKFLOW}": ("actions=read",),
    f"GET actions/{WORKFLOW}/runs": ("actions=read",),
    f"POST actions/{WORKFLOW}/dispatches": ("actions=write",),
    "GET actions/runs": ("actions=read",),
    f"GET {RUN}": ("actions=read",),
    f"GET {RUN}/attempts/{{attempt_number}}": ("actions=read",),
    f"GET {RUN}/attempts/{{attempt_number}}/jobs": ("actions=read",),
    f"GET {RUN}/jobs": ("actions=read",),
    f"GET {RUN}/logs": ("actions=read",),
    f"GET {RUN}/artifacts": ("actions=read",),
    f"POST {RUN}/rerun": ("actions=write",),
    f"POST {RUN}/rerun-failed-jobs": ("actions=write",),
    f"POST {RUN}/cancel": ("actions=write",),
    f"GET {JOB}": ("actions=read",),
    f"POST {JOB}/rerun": ("actions=write",),
    "GET actions/artifacts/{artifact_id}": ("actions=read",),
    "GET actions/artifacts/{artifact_id}/{archive_format}": ("actions=read",),
}
# A list of what the installation covers needs none.
OPERATIONS: Mapping[tuple[str, str], Needs] = {
    (method, f"{REPO}/{path}".rstrip("/")): needs
    for operation, needs in _IN_REPOSITORY.items()
    for method, _, path in [operation.partition(" ")]
} | {
    ("GET", "/installation/repositories"): (),
    ("GET", "/orgs/{org}/teams/{team_slug}/members"): ("members=read",),
}
EVENTS: Mapping[str, str] = {
    "check_run": "checks=read",
    "check_suite": "checks=read",
    "issue_comment": "issues=read",
    "pull_request": "pull_requests=read",
    "pull_request_review": "pull_requests=read",
    "pull_request_review_comment": "pull_requests=read",
    "pull_request_review_thread": "pull_requests=read",
    "push": "contents=read",
    "status": "statuses=read",
    "workflow_job": "actions=read",
    "workflow_run": "actions=read",
}
_ASKED_OF_OUR_CHECKS = {"rerequested", "requested_action"}


def needed_for_event(event: str, action: str | None) -> str:
    """The permission without which an App is not told of an event."""
    if event in {"check_run", "check_suite"} and action in _ASKED_OF_OUR_CHECKS:
        return "checks=write"
    return EVENTS[event]
