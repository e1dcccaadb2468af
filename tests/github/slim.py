"""Cut GitHub's published descriptions down to what Referee uses.

Run by a developer, after this in an empty folder outside the repository:

    npm install @octokit/openapi@23 @octokit/graphql-schema@15 @octokit/webhooks-examples@7

from the top of the repository:

    python -m tests.github.slim THAT_FOLDER/node_modules/@octokit

It writes openapi.json, schema.graphql, webhook_examples.json and LICENSES.md beside itself.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.github.graphql_subset import subset

HERE = Path(__file__).parent
METHODS = {"get", "post", "patch", "put", "delete"}
ACTIONS = "/repos/{owner}/{repo}/actions"
ACTIONS_OPERATIONS = {
    "workflows": "get",
    "workflows/{workflow_id}": "get",
    "workflows/{workflow_id}/runs": "get",
    "workflows/{workflow_id}/dispatches": "post",
    "runs": "get",
    "runs/{run_id}": "get",
    "runs/{run_id}/attempts/{attempt_number}": "get",
    "runs/{run_id}/attempts/{attempt_number}/jobs": "get",
    "runs/{run_id}/jobs": "get",
    "runs/{run_id}/logs": "get",
    "runs/{run_id}/artifacts": "get",
    "runs/{run_id}/rerun": "post",
    "runs/{run_id}/rerun-failed-jobs": "post",
    "runs/{run_id}/cancel": "post",
    "jobs/{job_id}": "get",
    "jobs/{job_id}/rerun": "post",
    "artifacts/{artifact_id}": "get",
    "artifacts/{artifact_id}/{archive_format}": "get",
}
OPERATIONS = {
    "/app": {"get"},
    "/app/installations": {"get"},
    "/app/installations/{installation_id}/access_tokens": {"post"},
    "/app/hook/deliveries": {"get"},
    "/app/hook/deliveries/{delivery_id}": {"get"},
    "/app/hook/deliveries/{delivery_id}/attempts": {"post"},
    "/installation/repositories": {"get"},
    "/repos/{owner}/{repo}": {"get"},
    "/repos/{owner}/{repo}/installation": {"get"},
    "/repos/{owner}/{repo}/collaborators/{username}/permission": {"get"},
    "/orgs/{org}/teams/{team_slug}/members": {"get"},
    "/repos/{owner}/{repo}/pulls": {"get"},
    "/repos/{owner}/{repo}/pulls/{pull_number}": {"get"},
    "/repos/{owner}/{repo}/pulls/{pull_number}/files": {"get"},
    "/repos/{owner}/{repo}/pulls/{pull_number}/reviews": {"get", "post"},
    "/repos/{owner}/{repo}/pulls/{pull_number}/comments": {"get"},
    "/repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies": {"post"},
    "/repos/{owner}/{repo}/pulls/comments/{comment_id}": {"get", "patch"},
    "/repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions": {"get", "post"},
    "/repos/{owner}/{repo}/commits/{commit_sha}/pulls": {"get"},
    "/repos/{owner}/{repo}/commits/{ref}/check-runs": {"get"},
    "/repos/{owner}/{repo}/commits/{ref}/statuses": {"get"},
    "/repos/{owner}/{repo}/statuses/{sha}": {"post"},
    "/repos/{owner}/{repo}/check-runs": {"post"},
    "/repos/{owner}/{repo}/check-runs/{check_run_id}": {"get", "patch"},
    "/repos/{owner}/{repo}/check-runs/{check_run_id}/annotations": {"get"},
    "/repos/{owner}/{repo}/issues/{issue_number}/comments": {"get", "post"},
    "/repos/{owner}/{repo}/issues/comments/{comment_id}": {"get", "patch"},
    "/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions": {"get", "post"},
    "/repos/{owner}/{repo}/issues/{issue_number}/labels": {"get", "post"},
    "/repos/{owner}/{repo}/issues/{issue_number}/labels/{name}": {"delete"},
    "/repos/{owner}/{repo}/labels": {"get"},
    **{f"{ACTIONS}/{path}": {method} for path, method in ACTIONS_OPERATIONS.items()},
}
WEBHOOKS = {
    "check-run": "completed created requested-action rerequested",
    "check-suite": "completed requested rerequested",
    "installation": "created",
    "issue-comment": "created deleted edited",
    "ping": "",
    "pull-request": "opened synchronize reopened ready-for-review converted-to-draft edited closed"
    " labeled unlabeled",
    "pull-request-review": "edited submitted",
    "pull-request-review-comment": "created deleted edited",
    "pull-request-review-thread": "resolved unresolved",
    "push": "",
    "status": "",
    "workflow-job": "queued in-progress completed",
    "workflow-run": "requested in-progress completed",
}
ERRORS = ("basic-error", "validation-error", "validation-error-simple")
PROSE = (
    "description",
    "summary",
    "example",
    "examples",
    "externalDocs",
    "tags",
    "title",
    "x-github",
)
GRAPHQL_ROOTS = {
    "Query": {"repository", "node", "nodes", "rateLimit"},
    "Mutation": {
        *("addReaction", "createCommitOnBranch", "resolveReviewThread", "unresolveReviewThread")
    },
}
GRAPHQL_TYPES = {
    *("Actor", "Bot", "Comment", "Commit", "GitObject", "Label", "LabelConnection", "Node"),
    *("IssueComment", "IssueCommentConnection", "Organization", "PageInfo", "RateLimit", "Ref"),
    *("PullRequest", "PullRequestReview", "PullRequestReviewConnection"),
    *("PullRequestReviewComment", "PullRequestReviewCommentConnection"),
    *("PullRequestReviewThread", "PullRequestReviewThreadConnection"),
    *("Repository", "RepositoryOwner", "User"),
    *("AddReactionPayload", "CreateCommitOnBranchPayload", "Reactable", "Reaction"),
    *("ResolveReviewThreadPayload", "UnresolveReviewThreadPayload"),
    *("LabeledEvent", "UnlabeledEvent", "HeadRefForcePushedEvent", "PullRequestCommit"),
    *("PullRequestTimelineItems", "PullRequestTimelineItemsConnection"),
    *("UserContentEdit", "UserContentEditConnection"),
}


def without_prose(node: Any, *, names: bool = False) -> Any:
    """Drop texts for people; under `properties` and the like, keys are names and stay."""
    if isinstance(node, list):
        return [without_prose(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        key: without_prose(value, names=key in ("properties", "schemas", "paths"))
        for key, value in node.items()
        if names or key not in PROSE
    }


def references(node: Any) -> Iterator[str]:
    """Every `$ref` below a node."""
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for value in node.values():
            yield from references(value)
    elif isinstance(node, list):
        for item in node:
            yield from references(item)


def reached(document: dict[str, Any], start: Any) -> dict[str, Any]:
    """The components that a node refers to, directly or not."""
    found: dict[str, dict[str, Any]] = {}
    waiting = [*references(start), *(f"#/components/schemas/{name}" for name in ERRORS)]
    while waiting:
        _, _, kind, name = waiting.pop().split("/")
        if name in found.setdefault(kind, {}):
            continue
        found[kind][name] = document["components"][kind][name]
        waiting.extend(references(found[kind][name]))
    return {kind: dict(sorted(members.items())) for kind, members in sorted(found.items())}


def webhook_names() -> list[str]:
    """Names such as `pull-request-opened`, as the description spells them."""
    return [
        f"{event}-{action}" if action else event
        for event, actions in WEBHOOKS.items()
        for action in actions.split() or [""]
    ]


def lines(document: dict[str, Any], depth: int = 2) -> str:
    """JSON with one line for each entry of the outer levels, so that a new version can be read."""
    if not isinstance(document, dict) or depth == 0:
        return json.dumps(document, separators=(",", ":"))
    entries = (f"{json.dumps(key)}:{lines(value, depth - 1)}" for key, value in document.items())
    return "{\n" + ",\n".join(entries) + "\n}"


def slim_openapi(source: Path) -> str:
    """Our operations and webhooks, and the components that they reach."""
    document = without_prose(json.loads(source.read_text()))
    kept = {
        "paths": {
            path: {m: o for m, o in document["paths"][path].items() if m in methods}
            for path, methods in OPERATIONS.items()
        },
        "x-webhooks": {name: document["x-webhooks"][name] for name in webhook_names()},
    }
    named = {"openapi": document["openapi"], "info": {"title": "GitHub REST (subset)"}}
    named["info"]["version"] = document["info"]["version"]
    components = {"components": reached(document, kept)}
    return lines({**named, **kept, **components}, depth=3) + "\n"


def slim_graphql(source: Path) -> str:
    """Our root fields and the types that they reach."""
    return subset(source.read_text(), GRAPHQL_ROOTS, GRAPHQL_TYPES) + "\n"


def slim_examples(source: Path) -> str:
    """One example of each action that we use, unchanged: `{"event.action": payload}`."""
    wanted = set(webhook_names())
    kept: dict[str, Any] = {}
    for event in json.loads(source.read_text()):
        for payload in event["examples"]:
            action = payload.get("action")
            name = f"{event['name']}.{action}" if action else event["name"]
            if name.replace(".", "-").replace("_", "-") in wanted:
                kept.setdefault(name, payload)
    return lines(kept, depth=1) + "\n"


def licences(root: Path) -> str:
    """One page with the licence of each source."""
    parts = ["# Licences of the files in this folder that come from GitHub's Octokit packages\n"]
    for package, files in {
        "openapi": "openapi.json",
        "graphql-schema": "schema.graphql",
        "webhooks-examples": "webhook_examples.json",
    }.items():
        about = json.loads((root / package / "package.json").read_text())
        parts.append(f"## {files}: @octokit/{package} {about['version']} ({about['license']})\n")
        texts = sorted((root / package).glob("LICENSE*"))
        parts.extend(text.read_text().strip() + "\n" for text in texts)
        if not texts:
            parts.append(f"MIT, {about['author']} and contributors (text as above).\n")
    return "\n".join(parts)


def main(root: Path) -> None:
    """Write the slim files."""
    generated = root / "openapi" / "generated" / "api.github.com.json"
    examples = root / "webhooks-examples" / "api.github.com" / "index.json"
    (HERE / "openapi.json").write_text(slim_openapi(generated))
    (HERE / "schema.graphql").write_text(slim_graphql(root / "graphql-schema/schema.graphql"))
    (HERE / "webhook_examples.json").write_text(slim_examples(examples))
    (HERE / "LICENSES.md").write_text(licences(root))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
