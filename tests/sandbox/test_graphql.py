"""The GraphQL endpoint, and that its schema is GitHub's."""

from typing import Any

import pytest
from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLObjectType,
    is_specified_scalar_type,
)

from bot.sandbox import Sandbox
from bot.sandbox.graphql import schema
from bot.sandbox.state import PullRequest
from tests.github.contract import graphql_schema
from tests.sandbox.conftest import NAME, Client, Receiver

THREADS = """
query($owner: String!, $name: String!, $number: Int!, $after: String, $count: Int = 100) {
  repository(owner: $owner, name: $name) {
    nameWithOwner
    pullRequest(number: $number) {
      title isDraft state merged headRefOid baseRefName isCrossRepository author { login }
      labels(first: 10) { nodes { name } }
      comments(first: 10) { totalCount nodes { databaseId body viewerDidAuthor author { login } } }
      reviews(last: 10) { nodes { state body } }
      reviewThreads(first: $count, after: $after) {
        totalCount
        pageInfo { hasNextPage endCursor hasPreviousPage startCursor }
        nodes {
          id isResolved isOutdated line path diffSide viewerCanResolve viewerCanUnresolve
          resolvedBy { login }
          comments(first: 5) {
            totalCount nodes { body viewerDidAuthor author { __typename login } }
          }
        }
      }
    }
  }
}
"""
RESOLVE = "mutation($id: ID!) { %s(input: {threadId: $id}) { thread { isResolved } } }"


async def ask(client: Client, **more: Any) -> Any:
    variables = {"owner": "example", "name": "bench", "number": 1, **more}
    answer = await client.post("/graphql", {"query": THREADS, "variables": variables})
    assert answer.status == 200
    return answer.body


async def resolve(client: Client, pull: PullRequest, verb: str = "resolveReviewThread") -> Any:
    found = await ask(client)
    node = found["data"]["repository"]["pullRequest"]["reviewThreads"]["nodes"][0]["id"]
    body = {"query": RESOLVE % verb, "variables": {"id": node}}
    answer = await client.post("/graphql", body)
    assert answer.status == 200
    assert len(pull.threads) > 0
    return answer.body


async def test_a_conversation_reads_whole(
    client: Client, github: Sandbox, pull: PullRequest
) -> None:
    await client.review({"line": 10}, {"line": 30})
    await github.reply(pull.threads[0], "Why?", "author")
    await client.post(f"/repos/{NAME}/issues/1/comments", {"body": "sticky"})
    await github.comment(1, "hello")
    await github.add_label(1, "NVIDIA")
    await github.resolve(pull.threads[1], "maintainer")
    shown = (await ask(client))["data"]["repository"]["pullRequest"]
    assert (shown["state"], shown["headRefOid"]) == ("OPEN", pull.head_sha)
    assert shown["labels"]["nodes"] == [{"name": "NVIDIA"}]
    said = [(it["author"]["login"], it["viewerDidAuthor"]) for it in shown["comments"]["nodes"]]
    assert said == [("referee", True), ("maintainer", False)]
    first, second = shown["reviewThreads"]["nodes"]
    assert (first["isResolved"], first["resolvedBy"], first["line"]) == (False, None, 10)
    assert [it["viewerDidAuthor"] for it in first["comments"]["nodes"]] == [True, False]
    assert first["comments"]["nodes"][0]["author"] == {"__typename": "Bot", "login": "referee"}
    assert (second["isResolved"], second["resolvedBy"]) == (True, {"login": "maintainer"})
    assert (second["viewerCanResolve"], second["viewerCanUnresolve"]) == (False, True)
    assert len(shown["reviews"]["nodes"]) == 2


async def test_connections_come_in_pages(client: Client) -> None:
    await client.review(*({"line": line} for line in (8, 9, 10)))
    seen: list[int] = []
    after = None
    while True:
        answer = await ask(client, count=2, after=after)
        threads = answer["data"]["repository"]["pullRequest"]["reviewThreads"]
        seen += [node["line"] for node in threads["nodes"]]
        if not threads["pageInfo"]["hasNextPage"]:
            break
        after = threads["pageInfo"]["endCursor"]
    assert seen == [8, 9, 10]
    assert (threads["totalCount"], threads["pageInfo"]["hasPreviousPage"]) == (3, True)


@pytest.mark.parametrize(
    ("count", "kind"),
    [(None, "MISSING_PAGINATION_BOUNDARIES"), (101, "EXCESSIVE_PAGINATION")],
)
async def test_connections_need_a_bound(client: Client, count: int | None, kind: str) -> None:
    answer = await ask(client, count=count)
    assert [error["type"] for error in answer["errors"]] == [kind]


async def test_resolving_is_told_and_undone(
    client: Client, github: Sandbox, pull: PullRequest, receiver: Receiver
) -> None:
    await client.review({"line": 10})
    answer = await resolve(client, pull)
    assert answer == {"data": {"resolveReviewThread": {"thread": {"isResolved": True}}}}
    assert pull.threads[0].resolved_by == github.state.app.bot
    again = await resolve(client, pull)
    assert again == answer
    await resolve(client, pull, "unresolveReviewThread")
    assert not pull.threads[0].resolved
    await github.settled()
    told = [event for event in receiver.events() if "thread" in event]
    assert told == [f"pull_request_review_thread.{it}" for it in ("resolved", "unresolved")]
    assert receiver.last("pull_request_review_thread")["sender"]["type"] == "Bot"


async def test_resolving_needs_contents_write(
    client: Client, github: Sandbox, pull: PullRequest
) -> None:
    await client.review({"line": 10})
    github.state.app.permissions["contents"] = "read"
    answer = await resolve(client, pull)
    (error,) = answer["errors"]
    assert (error["type"], error["path"]) == ("FORBIDDEN", ["resolveReviewThread"])
    assert error["message"] == "Resource not accessible by integration"
    assert answer["data"] == {"resolveReviewThread": None}
    assert not pull.threads[0].resolved


@pytest.mark.parametrize("changes", [{"name": "none"}, {"number": 9}, {"owner": "fork"}])
async def test_what_is_not_there_is_not_found(client: Client, changes: dict[str, Any]) -> None:
    answer = await ask(client, **changes)
    (error,) = answer["errors"]
    assert (error["type"], "Could not resolve" in error["message"]) == ("NOT_FOUND", True)


@pytest.mark.malformed
async def test_a_wrong_document_is_an_error_without_a_result(client: Client) -> None:
    for document in ("{ nothing }", "{", "mutation { mergePullRequest { x } }"):
        answer = await client.post("/graphql", {"query": document})
        assert answer.status == 200
        assert "data" not in answer.body
        assert answer.body["errors"]
    assert (await client.post("/graphql", {})).status == 400
    assert (await client.post("/graphql", b"x")).status == 400


def test_the_schema_is_a_part_of_githubs() -> None:
    published = graphql_schema().type_map
    types: dict[str, Any] = dict(schema().type_map)
    for name, ours in types.items():
        if name.startswith("__") or is_specified_scalar_type(ours):
            continue
        theirs: Any = published[name]
        assert type(theirs) is type(ours), name
        if isinstance(ours, GraphQLEnumType):
            assert set(ours.values) == set(theirs.values), name
        for field, mine in getattr(ours, "fields", {}).items():
            real = theirs.fields[field]
            assert str(mine.type) == str(real.type), f"{name}.{field}"
            if isinstance(ours, GraphQLInputObjectType):
                continue
            for argument, value in mine.args.items():
                assert str(value.type) == str(real.args[argument].type), f"{name}.{field}"
        if isinstance(ours, GraphQLObjectType):
            assert {it.name for it in ours.interfaces} <= {it.name for it in theirs.interfaces}


async def test_the_timeline_has_labels_and_pushes_in_their_order(
    client: Client, sandbox: Sandbox, pull: PullRequest
) -> None:
    query = """query($owner: String!, $name: String!, $number: Int!, $types:
      [PullRequestTimelineItemsItemType!]) { repository(owner: $owner, name: $name) {
        pullRequest(number: $number) { timelineItems(last: 100, itemTypes: $types) { nodes {
          __typename
          ... on LabeledEvent { id createdAt actor { __typename login } label { name } }
          ... on UnlabeledEvent { id createdAt actor { __typename login } label { name } }
          ... on PullRequestCommit { commit { oid } }
          ... on HeadRefForcePushedEvent { beforeCommit { oid } afterCommit { oid } }
    } } } } }"""
    await sandbox.add_label(pull, "sweep")
    first = pull.head_sha
    await sandbox.push(NAME, pull.head_ref, pull.base_sha)
    await sandbox.push(NAME, pull.head_ref, first)
    await sandbox.remove_label(pull, "sweep", "other")
    owner, name = NAME.split("/")
    variables: dict[str, Any] = {"owner": owner, "name": name, "number": pull.number}
    answer = await client.post("/graphql", {"query": query, "variables": variables})
    nodes = answer.body["data"]["repository"]["pullRequest"]["timelineItems"]["nodes"]
    assert [node["__typename"] for node in nodes] == [
        "LabeledEvent",
        "HeadRefForcePushedEvent",
        "PullRequestCommit",
        "UnlabeledEvent",
    ]
    assert (nodes[0]["label"], nodes[0]["actor"]["login"]) == ({"name": "sweep"}, "maintainer")
    assert nodes[1]["beforeCommit"] == {"oid": first} == nodes[2]["commit"]
    variables["types"] = ["UNLABELED_EVENT", "CLOSED_EVENT"]
    answer = await client.post("/graphql", {"query": query, "variables": variables})
    nodes = answer.body["data"]["repository"]["pullRequest"]["timelineItems"]["nodes"]
    assert [node["actor"]["login"] for node in nodes] == ["other"]
