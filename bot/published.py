"""Read from GitHub what our App has said on a pull request: the only place where that is kept."""

from collections.abc import Sequence
from typing import Any

import structlog

from bot.github import Client, GitHubRefused
from bot.queries import CONVERSATION
from bot.seal import seal_of
from bot.settings import Settings
from checks.decisions import Decision, recall
from checks.markers import STICKY, read_memory
from checks.publication import Published, PublishedCheckRun, Thread
from checks.sweeps.timeline import Touch, read_sight

CHECK_NAME = "referee/review"
log = structlog.get_logger()


async def read_published(client: Client, pull: Any, settings: Settings) -> Published:
    """Return our threads, our sticky comment and our newest check run at the head.

    Only comments of our own App count (``viewerDidAuthor``), whatever marker others write.

    Args:
        client: an installation's client.
        pull: the pull request, as the API tells of it.
        settings: of the server.

    Raises:
        GitHubUnreachable, GitHubRefused: GitHub did not answer, or not as hoped.

    """
    repository = pull["base"]["repo"]["full_name"]
    comments, threads, timeline = await _conversation(client, repository, pull["number"])
    ours = next((c["author"] for c in comments if _ours(c)), None)
    sticky = next((c for c in comments if _ours(c) and c["body"].startswith(STICKY)), None)
    body = sticky["body"] if sticky else ""
    return Published(
        threads=tuple(thread for node in threads for thread in _thread(node)),
        sticky_id=sticky["databaseId"] if sticky else None,
        sticky_body=body,
        memory=read_memory(body),
        check_run=await newest_check_run(client, pull, settings.app_id),
        decisions=_decisions(body, settings, pull),
        touches=None if timeline is None else tuple(_touch(node, ours) for node in timeline),
        sight=read_sight(body),
    )


def _decisions(body: str, settings: Settings, pull: Any) -> tuple[Decision, ...]:
    found = recall(body, seal_of(settings, pull))
    if found is None:
        log.warning("decisions_ignored", pull_request=pull["html_url"], reason="not signed by us")
        return ()
    return found


def _ours(comment: Any) -> bool:
    return bool(comment["viewerDidAuthor"])


def _touch(node: Any, ours: Any) -> Touch:
    """Return an item of the timeline; ``ours`` is our App as the author of a comment.

    Without one we have said nothing yet, and whatever was done to labels was done by others.
    """
    kind, actor = node["__typename"], node.get("actor")
    if kind not in {"LabeledEvent", "UnlabeledEvent"}:
        return Touch()
    return Touch(
        id=node["id"],
        label=node["label"]["name"],
        on=kind == "LabeledEvent",
        by=actor["login"] if actor else "",
        ours=actor is not None and actor == ours,
    )


def _thread(node: Any) -> Sequence[Thread]:
    first = node["comments"]["nodes"][:1]
    if not first or not _ours(first[0]):
        return ()
    thread = Thread(
        id=node["id"],
        comment_id=first[0]["databaseId"],
        body=first[0]["body"],
        resolved=node["isResolved"],
        can_resolve=node["viewerCanResolve"],
        line=node["line"],
        start_line=node["startLine"],
    )
    return (thread,)


async def _conversation(
    client: Client, repository: str, number: int
) -> tuple[list[Any], list[Any], list[Any] | None]:
    """Return all comments, all review threads, and the end of the timeline if GitHub tells it."""
    owner, name = repository.split("/")
    comments: list[Any] = []
    threads: list[Any] = []
    timeline: list[Any] | None = None
    want: dict[str, Any] = {"comments": True, "threads": True, "timeline": True}
    while want["comments"] or want["threads"]:
        answer = await client.graphql(CONVERSATION, owner=owner, name=name, number=number, **want)
        found = answer["repository"]["pullRequest"]
        if items := found.get("timelineItems"):
            timeline = [node for node in items["nodes"] if node is not None]
        want = {
            "timeline": False,
            **_page(found, "comments", "comments", "afterComment", comments),
            **_page(found, "reviewThreads", "threads", "afterThread", threads),
        }
    return comments, threads, timeline


def _page(found: Any, field: str, flag: str, cursor: str, into: list[Any]) -> dict[str, Any]:
    """Collect one page and return the variables that ask for the next."""
    if field not in found:
        return {flag: False}
    into += found[field]["nodes"]
    page = found[field]["pageInfo"]
    return {flag: page["hasNextPage"], cursor: page["endCursor"]}


async def newest_check_run(client: Client, pull: Any, app_id: int) -> PublishedCheckRun | None:
    """Return our newest check run at the head of a pull request. Raises GitHubError."""
    place = {
        "repository": pull["base"]["repo"]["full_name"],
        "head": pull["head"]["sha"],
        "check_name": CHECK_NAME,
        "app_id": str(app_id),
        "filter": "latest",
        "per_page": "100",
    }
    try:
        # https://docs.github.com/en/rest/checks/runs#list-check-runs-for-a-git-reference
        answer = await client.getitem(
            "/repos/{+repository}/commits/{head}/check-runs{?check_name,app_id,filter,per_page}",
            place,
        )
    except GitHubRefused as error:
        if not error.lacks:  # without the permission there is none of ours
            raise
        return None
    newest = max(answer["check_runs"], key=lambda run: int(run["id"]), default=None)
    if newest is None:
        return None
    done = newest["status"] == "completed"
    title = newest["output"]["title"] or ""
    return PublishedCheckRun(newest["id"], newest["external_id"] or "", done, title)
