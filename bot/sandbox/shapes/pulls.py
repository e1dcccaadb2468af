"""Pull requests, their conversation and their reviews."""

from urllib.parse import quote

from bot.sandbox.delivery import Json
from bot.sandbox.git import GitError
from bot.sandbox.shapes.accounts import app, association, label, repository, user
from bot.sandbox.state import (
    Account,
    IssueComment,
    PullRequest,
    Repository,
    Review,
    ReviewComment,
    ReviewThread,
    State,
)


def address(state: State, pull: PullRequest) -> str:
    """The page of a pull request."""
    return f"{state.url}/{pull.repository.full_name}/pull/{pull.number}"


def api_address(state: State, pull: PullRequest, kind: str = "pulls") -> str:
    """The API resource of a pull request, as `pulls` or as `issues`."""
    return f"{state.api_url}/repos/{pull.repository.full_name}/{kind}/{pull.number}"


def branch(state: State, repo: Repository, ref: str, sha: str) -> Json:
    """The head or base of a pull request."""
    return {
        "label": f"{repo.owner.login}:{ref}",
        "ref": ref,
        "sha": sha,
        "user": user(state, repo.owner),
        "repo": repository(state, repo),
    }


def _links(state: State, pull: PullRequest) -> Json:
    api, issue = api_address(state, pull), api_address(state, pull, "issues")
    repo = f"{state.api_url}/repos/{pull.repository.full_name}"
    return {
        "self": api,
        "html": address(state, pull),
        "issue": issue,
        "comments": f"{issue}/comments",
        "review_comments": f"{api}/comments",
        "review_comment": f"{repo}/pulls/comments{{/number}}",
        "commits": f"{api}/commits",
        "statuses": f"{repo}/statuses/{pull.head_sha}",
    }


def pull_request_simple(state: State, pull: PullRequest) -> Json:
    """A pull request as lists show it."""
    links = _links(state, pull)
    kept = ("issue", "comments", "review_comments", "review_comment", "commits", "statuses")
    return {
        "url": links["self"],
        "id": pull.id,
        "node_id": f"PR_{pull.id}",
        "html_url": links["html"],
        "diff_url": f"{links['html']}.diff",
        "patch_url": f"{links['html']}.patch",
        **{f"{name}_url": links[name] for name in kept},
        "number": pull.number,
        "state": pull.state,
        "locked": False,
        "title": pull.title,
        "user": user(state, pull.author),
        "body": pull.body or None,
        **{key: getattr(pull, key) for key in ("created_at", "updated_at", "closed_at")},
        "merged_at": pull.merged_at,
        "merge_commit_sha": pull.merge_sha,
        **dict.fromkeys(("assignee", "milestone", "active_lock_reason", "auto_merge")),
        **{key: [] for key in ("assignees", "requested_reviewers", "requested_teams")},
        "labels": [label(state, pull.repository, it) for it in pull.labels],
        "draft": pull.draft,
        "head": branch(state, pull.head_repository, pull.head_ref, pull.head_sha),
        "base": branch(state, pull.repository, pull.base_ref, pull.base_sha),
        "_links": {name: {"href": href} for name, href in links.items()},
        "author_association": association(pull.repository, pull.author),
    }


async def pull_request(state: State, pull: PullRequest) -> Json:
    """A pull request alone, with the counts that need its diff."""
    git = pull.repository.git
    try:
        files = await git.diff(pull.merge_base, pull.head_sha)
        commits = len(git.commits(pull.merge_base, pull.head_sha))
    except GitError:  # unrelated histories: GitHub still shows the pull request, with zeros
        files, commits = (), 0
    return {
        **pull_request_simple(state, pull),
        "merged": pull.merged_at is not None,
        "mergeable": None if pull.state == "closed" else True,
        "rebaseable": None,
        "mergeable_state": "unknown" if pull.state == "closed" else "clean",
        "merged_by": user(state, pull.merged_by) if pull.merged_by else None,
        "comments": len(pull.comments),
        "review_comments": sum(len(thread.comments) for thread in pull.threads),
        "maintainer_can_modify": False,
        "commits": commits,
        "additions": sum(file.count("+") for file in files),
        "deletions": sum(file.count("-") for file in files),
        "changed_files": len(files),
    }


def pull_request_minimal(state: State, pull: PullRequest) -> Json:
    """A pull request as check runs and suites name it."""
    from_branch = branch(state, pull.head_repository, pull.head_ref, pull.head_sha)
    to_branch = branch(state, pull.repository, pull.base_ref, pull.base_sha)
    return {
        "id": pull.id,
        "number": pull.number,
        "url": api_address(state, pull),
        **{
            side: {
                "ref": it["ref"],
                "sha": it["sha"],
                "repo": {key: it["repo"][key] for key in ("id", "url", "name")},
            }
            for side, it in (("head", from_branch), ("base", to_branch))
        },
    }


def reactions(url: str) -> Json:
    """An empty reaction roll-up."""
    names = ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")
    return {"url": f"{url}/reactions", "total_count": 0, **dict.fromkeys(names, 0)}


def via_app(state: State, author: Account) -> Json | None:
    """The App that a comment was written through."""
    return app(state) if author == state.app.bot else None


def issue_comment(state: State, it: IssueComment) -> Json:
    """A comment of the conversation."""
    url = f"{state.api_url}/repos/{it.pull.repository.full_name}/issues/comments/{it.id}"
    return {
        "url": url,
        "html_url": f"{address(state, it.pull)}#issuecomment-{it.id}",
        "issue_url": api_address(state, it.pull, "issues"),
        "id": it.id,
        "node_id": f"IC_{it.id}",
        "user": user(state, it.author),
        "created_at": it.created_at,
        "updated_at": it.updated_at,
        "author_association": association(it.pull.repository, it.author),
        "body": it.body,
        "reactions": reactions(url),
        "performed_via_github_app": via_app(state, it.author),
    }


def review(state: State, it: Review) -> Json:
    """A review."""
    html, api = f"{address(state, it.pull)}#pullrequestreview-{it.id}", api_address(state, it.pull)
    return {
        "id": it.id,
        "node_id": f"PRR_{it.id}",
        "user": user(state, it.author),
        "body": it.body,
        "state": it.state,
        "html_url": html,
        "pull_request_url": api,
        "author_association": association(it.pull.repository, it.author),
        "_links": {"html": {"href": html}, "pull_request": {"href": api}},
        "submitted_at": it.submitted_at,
        "commit_id": it.commit,
    }


def review_comment(state: State, it: ReviewComment) -> Json:
    """One comment of a review thread."""
    pull = it.thread.pull
    url = f"{state.api_url}/repos/{pull.repository.full_name}/pulls/comments/{it.id}"
    html, api = f"{address(state, pull)}#discussion_r{it.id}", api_address(state, pull)
    first = it.thread.comments[0]
    reply = {} if it is first else {"in_reply_to_id": first.id}
    return {
        "url": url,
        "pull_request_review_id": it.review.id,
        "id": it.id,
        "node_id": f"PRRC_{it.id}",
        "user": user(state, it.author),
        "body": it.body,
        "created_at": it.created_at,
        "updated_at": it.updated_at,
        "html_url": html,
        "pull_request_url": api,
        "author_association": association(pull.repository, it.author),
        "_links": {"self": {"href": url}, "html": {"href": html}, "pull_request": {"href": api}},
        "reactions": reactions(url),
        **reply,
        **_anchor(it.thread),
    }


def _anchor(thread: ReviewThread) -> Json:
    at_head = thread.original_commit if thread.outdated else thread.pull.head_sha
    return {
        "diff_hunk": thread.diff_hunk,
        "path": thread.path,
        "commit_id": at_head,
        "original_commit_id": thread.original_commit,
        "start_line": thread.start_line,
        "original_start_line": thread.original_start_line,
        "start_side": thread.start_side,
        "line": thread.line,
        "original_line": thread.original_line,
        "side": thread.side,
        "subject_type": "line",
        **{key: thread.diff_hunk.count("\n") for key in ("position", "original_position")},
    }


def review_thread(state: State, it: ReviewThread) -> Json:
    """A thread as webhooks show it."""
    comments = [review_comment(state, comment) for comment in it.comments]
    return {"node_id": thread_node(it), "comments": comments}


def thread_node(it: ReviewThread) -> str:
    """The GraphQL id of a thread."""
    return f"PRRT_{it.id}"


def issue(state: State, pull: PullRequest) -> Json:
    """A pull request seen as an issue, as `issue_comment` deliveries carry it."""
    api, html = api_address(state, pull, "issues"), address(state, pull)
    return {
        "url": api,
        "repository_url": f"{state.api_url}/repos/{pull.repository.full_name}",
        "labels_url": f"{api}/labels{{/name}}",
        "comments_url": f"{api}/comments",
        "events_url": f"{api}/events",
        "html_url": html,
        "id": pull.id,
        "node_id": f"PR_{pull.id}",
        "number": pull.number,
        "title": pull.title,
        "user": user(state, pull.author),
        "labels": [label(state, pull.repository, it) for it in pull.labels],
        "state": pull.state,
        "locked": False,
        **dict.fromkeys(("assignee", "milestone", "active_lock_reason")),
        "assignees": [],
        "comments": len(pull.comments),
        **{key: getattr(pull, key) for key in ("created_at", "updated_at", "closed_at")},
        "author_association": association(pull.repository, pull.author),
        "draft": pull.draft,
        "pull_request": {
            "url": api_address(state, pull),
            "html_url": html,
            "diff_url": f"{html}.diff",
            "patch_url": f"{html}.patch",
            "merged_at": pull.merged_at,
        },
        "body": pull.body or None,
        "reactions": reactions(api),
        "timeline_url": f"{api}/timeline",
        "performed_via_github_app": None,
        "state_reason": None,
    }


def blob_address(state: State, repo: Repository, sha: str, path: str) -> str:
    """The page of a file at a commit."""
    return f"{state.url}/{repo.full_name}/blob/{sha}/{quote(path)}"
