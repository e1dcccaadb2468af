"""Read from GitHub what our App has said on a pull request: the only place where that is kept."""

from collections.abc import Sequence
from typing import Any

import structlog

from bot.conversation import read_conversation
from bot.github import InstallationClient
from bot.seal import seal_of
from bot.settings import Settings
from bot.standing import NO_GATE, read_standing
from checks.decisions import Decision, recall
from checks.markers import STICKY, read_memory
from checks.policy_types import SignOff
from checks.publication import Published, Thread
from checks.sweeps.timeline import Touch, read_sight

log = structlog.get_logger()


async def read_published(
    client: InstallationClient, pull: Any, settings: Settings, gate: SignOff = NO_GATE
) -> Published:
    """Return what we said, what stands at the head, and what others said that may sign it.

    Only comments of our own App count (``viewerDidAuthor``), whatever marker others write.

    Args:
        client: an installation's client.
        pull: the pull request, as the API tells of it.
        settings: of the server.
        gate: the policy's section about sign-offs, which names the gate.

    Raises:
        GitHubUnreachable, GitHubRefused: GitHub did not answer, or not as hoped.

    """
    repository = pull["base"]["repo"]["full_name"]
    said = await read_conversation(client, repository, pull["number"])
    comments, timeline = said.comments, said.timeline
    ours = next((c["author"] for c in comments if _ours(c)), None)
    sticky = next((c for c in comments if _ours(c) and c["body"].startswith(STICKY)), None)
    body = sticky["body"] if sticky else ""
    return Published(
        threads=tuple(thread for node in said.threads for thread in _thread(node)),
        sticky_id=sticky["databaseId"] if sticky else None,
        sticky_body=body,
        memory=read_memory(body),
        standing=await read_standing(client, pull, settings.app_id, gate),
        comments={c["databaseId"]: c["body"] for c in comments if _ours(c)},
        spoken=said.spoken(),
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
