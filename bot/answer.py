"""Answer a comment where it stands: a reaction, and one comment of ours that is found again."""

from __future__ import annotations

import hashlib
from typing import Literal

import structlog

from bot.comments import Place, Said
from bot.github import Client, GitHubRefused, GraphQLError
from bot.queries import ANSWERS, REACT

log = structlog.get_logger()
Reaction = Literal["eyes", "rocket", "+1", "confused"]
# https://docs.github.com/en/graphql/reference/enums#reactioncontent
_CONTENT = {"eyes": "EYES", "rocket": "ROCKET", "+1": "THUMBS_UP", "confused": "CONFUSED"}
_REACTIONS = {
    Place.CONVERSATION: "/repos/{+repository}/issues/comments/{id}/reactions",
    Place.LINE: "/repos/{+repository}/pulls/comments/{id}/reactions",
}


async def react(client: Client, said: Said, reaction: Reaction) -> None:
    """React to a comment; the same reaction twice is one. A deleted comment is passed over,
    and so is one that the App may not react to, for now or at all.

    Raises GitHubError for anything else.
    """
    try:
        if said.place is Place.REVIEW:  # for which REST has no reactions
            await client.graphql(REACT, subject=said.node_id, content=_CONTENT[reaction])
            return
        place = {"repository": said.pull_request.repository, "id": str(said.id)}
        await client.post(_REACTIONS[said.place], place, data={"content": reaction})
    except GraphQLError as error:
        if not {"NOT_FOUND", "FORBIDDEN"} & {*error.types} and not error.lacks:
            raise
        log.info("not_reacted", comment=said.url, reason=str(error))
    except GitHubRefused as error:
        if not error.gone and not error.lacks and not error.locked:
            raise
        log.info("not_reacted", comment=said.url, reason=str(error))


def marker(said: Said) -> str:
    """Return the hidden mark of our answer to one version of a comment."""
    parts = (said.place, str(said.id), said.version)
    identity = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
    return f"<!-- referee:answer {identity[:16]} -->"


async def reply(client: Client, said: Said, body: str, *, maybe_there: bool) -> None:
    """Say something below a comment, once: `maybe_there` after a crash, to look before speaking.

    Where the conversation is locked, only the log has it. Raises GitHubError.
    """
    if maybe_there and await _is_there(client, said):
        return
    content = {"body": f"{marker(said)}\n{body}"}
    key = said.pull_request
    place = {"repository": key.repository, "number": str(key.number), "id": str(said.thread)}
    if said.place is Place.LINE:
        try:
            url = "/repos/{+repository}/pulls/{number}/comments/{id}/replies"
            await client.post(url, place, data=content)
        except GitHubRefused as error:
            gone = error.gone or error.status == 422  # the thread went with its comment
            if not gone and not error.lacks and not error.locked:
                raise
        else:
            return
    try:
        await client.post("/repos/{+repository}/issues/{number}/comments", place, data=content)
    except GitHubRefused as error:
        if not error.locked:
            raise
        log.warning("not_answered", comment=said.url, reason=str(error))


async def _is_there(client: Client, said: Said) -> bool:
    key, wanted = said.pull_request, marker(said)
    owner, name = key.repository.split("/")
    answer = await client.graphql(ANSWERS, owner=owner, name=name, number=key.number)
    pull = answer["repository"]["pullRequest"]
    comments = [*pull["comments"]["nodes"]]
    for thread in pull["reviewThreads"]["nodes"]:
        comments += thread["comments"]["nodes"]
    return any(each["viewerDidAuthor"] and each["body"].startswith(wanted) for each in comments)
