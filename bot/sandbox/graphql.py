"""The GraphQL endpoint: real parsing, validation and execution of a small schema."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from graphql import (
    ExecutionResult,
    GraphQLResolveInfo,
    GraphQLScalarType,
    GraphQLSchema,
    build_schema,
    default_type_resolver,
)
from graphql import graphql as execute

from bot.sandbox import conversation, reactions
from bot.sandbox.answers import Answer, RefusedError
from bot.sandbox.auth import Viewer
from bot.sandbox.commits import commit_on_branch, decoded
from bot.sandbox.connection import Record
from bot.sandbox.delivery import Json
from bot.sandbox.graphql_errors import TypedError, error_shape
from bot.sandbox.graphql_types import Reader
from bot.sandbox.permissions import FORBIDDEN
from bot.sandbox.shapes.pulls import thread_node
from bot.sandbox.site import Site
from bot.sandbox.state import Review, ReviewThread, stamp

Info = GraphQLResolveInfo[None]


@cache
def schema() -> GraphQLSchema:
    """The sandbox's schema."""
    built = build_schema(Path(__file__).with_name("schema.graphql").read_text())
    base64 = built.type_map["Base64String"]
    assert isinstance(base64, GraphQLScalarType)
    base64.coerce_input_value = decoded
    return built


class Root:
    """The root fields, for one viewer; graphql-core calls them as methods."""

    def __init__(self, site: Site, viewer: Viewer) -> None:
        self._site, self._viewer = site, viewer
        self._read = Reader(site, viewer)

    def repository(
        self,
        _: Info,
        owner: str,
        name: str,
        followRenames: bool = True,  # noqa: ARG002, N803 - GitHub's argument
    ) -> Record:
        """A repository that the installation covers."""
        found = self._site.state.repository(f"{owner}/{name}")
        if found is None or found.installation is not self._viewer.installation:
            message = f"Could not resolve to a Repository with the name '{owner}/{name}'."
            raise TypedError("NOT_FOUND", message)
        return self._read.repository(found)

    def node(self, _: Info, id: str) -> Record:  # noqa: A002 - GitHub's argument
        """A review thread by its id; the bot asks for nothing else this way."""
        return self._read.thread(self._thread(id))

    def nodes(self, _: Info, ids: list[str]) -> list[Record | None]:
        """Comments of all three kinds by their ids; null for what is not there."""
        own = self._viewer.installation
        known: dict[str, Record] = {}
        for pull in self._site.state.pulls():
            if pull.repository.installation is own:
                known |= {each["id"]: each for each in self._read.said_on(pull)}
        return [known.get(each) for each in ids]

    def rateLimit(  # noqa: N802 - GitHub's field
        self,
        _: Info,
        dryRun: bool = False,  # noqa: ARG002, N803 - GitHub's argument
    ) -> Record:
        """A limit that is never reached."""
        ends = stamp(self._site.state.clock() + 3600)
        return {"cost": 1, "limit": 5000, "remaining": 4999, "used": 1, "resetAt": ends}

    def resolveReviewThread(self, _: Info, input: Json) -> Record:  # noqa: A002, N802
        """Resolve a thread."""
        thread = self._writable(input["threadId"])
        conversation.resolve(self._site, thread, self._site.state.app.bot)
        return self._payload(input, thread)

    def unresolveReviewThread(self, _: Info, input: Json) -> Record:  # noqa: A002, N802
        """Open a thread again."""
        thread = self._writable(input["threadId"])
        conversation.unresolve(self._site, thread, self._site.state.app.bot)
        return self._payload(input, thread)

    def addReaction(self, _: Info, input: Json) -> Record:  # noqa: A002, N802
        """React to a review; for the other two kinds of comments the bot uses REST."""
        node, installation = input["subjectId"], self._viewer.installation
        found = next((it for it in self._reviews() if f"PRR_{it.id}" == node), None)
        if found is None:
            message = f"Could not resolve to a node with the global id of '{node}'"
            raise TypedError("NOT_FOUND", message)
        if installation is None or not installation.may("pull_requests=write"):
            raise TypedError("FORBIDDEN", FORBIDDEN)
        content = next(name for name, it in reactions.GRAPHQL.items() if it == input["content"])
        made, _new = reactions.react(self._site.state, found, self._site.state.app.bot, content)
        shown = {"id": f"REA_{made.id}", "databaseId": made.id, "content": input["content"]}
        return {"clientMutationId": input.get("clientMutationId"), "reaction": shown}

    def _reviews(self) -> Iterator[Review]:
        own = self._viewer.installation
        for pull in self._site.state.pulls():
            if pull.repository.installation is own:
                yield from pull.reviews

    async def createCommitOnBranch(self, _: Info, input: Json) -> Record:  # noqa: A002, N802
        """Commit to a branch in the App's name."""
        made = await commit_on_branch(self._site, self._viewer, input)
        return {
            "clientMutationId": input.get("clientMutationId"),
            "commit": self._read.commit(made.repository, made.commit),
            "ref": self._read.branch(made.repository, made.branch),
        }

    def _payload(self, given: Json, thread: ReviewThread) -> Record:
        return {
            "clientMutationId": given.get("clientMutationId"),
            "thread": self._read.thread(thread),
        }

    def _thread(self, node: str) -> ReviewThread:
        threads = (thread for pull in self._site.state.pulls() for thread in pull.threads)
        own = self._viewer.installation
        for thread in threads:
            if thread_node(thread) == node and thread.pull.repository.installation is own:
                return thread
        raise TypedError("NOT_FOUND", f"Could not resolve to a node with the global id of '{node}'")

    def _writable(self, node: str) -> ReviewThread:
        """The thread, for an installation that may resolve it.

        An App needs `contents: write` for this, though GitHub's pages do not say so.
        https://github.com/orgs/community/discussions/44650
        """
        thread = self._thread(node)
        installation = self._viewer.installation
        if installation is None or not installation.may("contents=write"):
            raise TypedError("FORBIDDEN", FORBIDDEN)
        return thread


def _resolve_type(value: Any, *rest: Any) -> Any:
    return value["__typename"] if "__typename" in value else default_type_resolver(value, *rest)


async def answer(site: Site, viewer: Viewer, body: Json) -> Answer:
    """Execute a GraphQL request.

    Raises RefusedError (400) when the body carries no query.
    """
    if not isinstance(body.get("query"), str):
        raise RefusedError(400, "A query attribute must be specified and must be a string.")
    result: ExecutionResult = await execute(
        schema(),
        body["query"],
        root_value=Root(site, viewer),
        variable_values=body.get("variables") or {},
        operation_name=body.get("operationName"),
        type_resolver=_resolve_type,
    )
    shown: Json = {} if result.data is None and result.errors else {"data": result.data}
    if result.errors:
        shown["errors"] = [error_shape(error) for error in result.errors]
    return Answer(shown)
