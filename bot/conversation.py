"""Read what is said on a pull request: its comments, reviews, threads, and the end of its timeline.

https://docs.github.com/en/graphql/reference/objects#pullrequest
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from bot.comments import may_sign
from bot.github import AnswerTooLong, Client, GitHubUnreachable
from bot.queries import CONVERSATION
from checks.publication import Spoken
from checks.signoff.model import Comment

_GONE = {"DISMISSED", "PENDING"}
_SIZES = (100, 10, 1)
MOST_OF_ONE = 20


@dataclass(slots=True)
class Conversation:
    """All of it as GraphQL gives it; ``timeline`` is None where GitHub does not tell."""

    comments: list[Any] = field(default_factory=list)
    reviews: list[Any] = field(default_factory=list)
    threads: list[Any] = field(default_factory=list)
    timeline: list[Any] | None = None

    def spoken(self) -> tuple[Spoken, ...]:
        """Return what others said that may be a sign-off, the oldest first.

        Of one person only the newest 20, as each may take half a second to read.
        """
        found = [*self._conversation(), *self._reviews(), *self._inline()]
        every = [said for _, said in sorted(found, key=lambda each: each[0])]
        left = Counter({said.comment.author: MOST_OF_ONE for said in every})
        newest = []
        for said in reversed(every):
            left[said.comment.author] -= 1
            newest += [said] if left[said.comment.author] >= 0 else []
        return tuple(reversed(newest))

    def _conversation(self) -> Iterator[tuple[str, Spoken]]:
        for node in self.comments:
            yield from _spoken("conversation", node, node["createdAt"], None)

    def _reviews(self) -> Iterator[tuple[str, Spoken]]:
        for node in self.reviews:
            if node["state"] not in _GONE:
                yield from _spoken("review", node, node["submittedAt"] or "", node["commit"])

    def _inline(self) -> Iterator[tuple[str, Spoken]]:
        for thread in self.threads:
            for node in thread["comments"]["nodes"]:
                yield from _spoken("inline", node, node["createdAt"], node["originalCommit"])


async def read_conversation(client: Client, repository: str, number: int) -> Conversation:
    """Return all comments, reviews and review threads. Raises GitHubError."""
    owner, name = repository.split("/")
    read = Conversation()
    want: dict[str, Any] = dict.fromkeys(("comments", "reviews", "threads", "timeline"), True)
    place = {"owner": owner, "name": name, "number": number}
    while want["comments"] or want["reviews"] or want["threads"]:
        found = await _found(client, {**place, **want})
        if items := found.get("timelineItems"):
            read.timeline = [node for node in items["nodes"] if node is not None]
        following = {
            "timeline": False,
            **_page(found, "comments", "comments", "afterComment", read.comments),
            **_page(found, "reviews", "reviews", "afterReview", read.reviews),
            **_page(found, "reviewThreads", "threads", "afterThread", read.threads),
        }
        if following == want:
            msg = "GitHub gives the same page of the conversation again and again."
            raise GitHubUnreachable(msg, maybe_done=False)
        want = following
    return read


async def _found(client: Client, wanted: dict[str, Any]) -> Any:
    """Return one page: a small one where a hundred long comments are more than can be read."""
    for size in _SIZES:
        try:
            answer = await client.graphql(CONVERSATION, size=size, **wanted)
        except AnswerTooLong:
            if size == _SIZES[-1]:
                raise
        else:
            return answer["repository"]["pullRequest"]
    raise AssertionError("unreachable: the last size returns or raises")


def _page(found: Any, field: str, flag: str, cursor: str, into: list[Any]) -> dict[str, Any]:
    """Collect one page and return the variables that ask for the next."""
    if not found.get(field):
        return {flag: False}
    into += found[field]["nodes"]
    page = found[field]["pageInfo"]
    return {flag: page["hasNextPage"], cursor: page["endCursor"]}


def _spoken(
    kind: Literal["conversation", "review", "inline"], node: Any, made: str, commit: Any
) -> Iterator[tuple[str, Spoken]]:
    if node["viewerDidAuthor"] or not may_sign(node["body"]):
        return
    said = Spoken(
        comment=Comment(kind, node["databaseId"], login_of(node["author"]), node["body"]),
        node=node["id"],
        url=node["url"],
        commit=commit["oid"] if commit else "",
        editor=login_of(node["editor"]) if node["lastEditedAt"] else None,
    )
    yield made, said


def login_of(actor: Any) -> str:
    """Return the login of a GraphQL actor as REST and CODEOWNERS know it; "" for one that is gone.

    GraphQL names an App without its "[bot]", which could be the login of a person.
    """
    if actor is None:
        return ""
    kind, login = actor["__typename"], str(actor["login"])
    return login if kind == "User" else f"{login}[{kind.lower()}]"
