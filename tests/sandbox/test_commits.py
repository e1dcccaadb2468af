"""Commits through GraphQL: what they change, what they cause, and when they are refused."""

import base64
from typing import Any

import pytest
from pygit2.enums import FileMode

from bot.sandbox import Sandbox
from bot.sandbox.state import PullRequest
from tests.gitkit import GitRepo
from tests.sandbox.conftest import HEAD_TEXT, NAME, PATH, Client, Receiver

COMMIT = """mutation($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) {
    clientMutationId commit { __typename oid } ref { name prefix }
  }
}"""
README = "README.md"


def addition(path: str, content: bytes) -> dict[str, str]:
    return {"path": path, "contents": base64.b64encode(content).decode()}


async def commit(client: Client, changes: dict[str, Any], **more: Any) -> Any:
    pull = client.sandbox.pull_request(1)
    given = {
        "branch": {"repositoryNameWithOwner": NAME, "branchName": "feature"},
        "expectedHeadOid": pull.head_sha,
        "fileChanges": changes,
        "message": {"headline": "Fix it", "body": "All of it."},
        **more,
    }
    answer = await client.post("/graphql", {"query": COMMIT, "variables": {"input": given}})
    await client.sandbox.settled()
    assert answer.status == 200
    return answer.body


async def test_files_are_written_and_deleted_in_one_commit_of_the_bot(
    client: Client, pull: PullRequest, receiver: Receiver
) -> None:
    before, git = pull.head_sha, pull.repository.git
    changes = {
        "additions": [addition(PATH, b"ten\r\n\xff"), addition("new/file", b"")],
        "deletions": [{"path": README}],
    }
    answer = await commit(client, changes, clientMutationId="m")
    assert answer["data"]["createCommitOnBranch"] == {
        "clientMutationId": "m",
        "commit": {"__typename": "Commit", "oid": pull.head_sha},
        "ref": {"name": "feature", "prefix": "refs/heads/"},
    }
    made = git.objects[pull.head_sha]
    assert [str(it) for it in made.parent_ids] == [before]
    assert (made.author.name, made.message) == ("referee[bot]", "Fix it\n\nAll of it.")
    shown = [git.read(pull.head_sha, path) for path in (PATH, "new/file", README)]
    assert shown == [b"ten\r\n\xff", b"", None]
    assert git.resolve("refs/heads/feature") == git.resolve("refs/pull/1/head") == pull.head_sha
    told = receiver.last("pull_request")
    assert (told["action"], told["before"], told["after"]) == ("synchronize", before, pull.head_sha)
    assert told["sender"]["login"] == "referee[bot]"
    assert receiver.last("push")["after"] == pull.head_sha


async def test_a_file_keeps_its_mode(client: Client, pull: PullRequest, clone: GitRepo) -> None:
    clone.link("feature", "latest", PATH)
    await client.sandbox.push(NAME, "feature", clone.log("feature")[0], source=clone.path)
    await commit(client, {"additions": [addition(path, b"x") for path in ("latest", PATH, "new")]})
    tree = pull.repository.git.objects[pull.head_sha].tree
    modes = [tree[path].filemode for path in ("latest", PATH, "new")]
    assert modes == [FileMode.LINK, FileMode.BLOB, FileMode.BLOB]


@pytest.mark.parametrize(
    ("more", "kind", "part"),
    [
        ({"expectedHeadOid": "f" * 40}, "STALE_DATA", "but it did not.  Pull and try again."),
        ({"branch": {"repositoryNameWithOwner": NAME, "branchName": "x"}}, "NOT_FOUND", "'x'"),
        ({"branch": {"repositoryNameWithOwner": "a/b", "branchName": "x"}}, "NOT_FOUND", "'a/b'"),
        ({"fileChanges": {"deletions": [{"path": "none"}]}}, "UNPROCESSABLE", "none does not"),
    ],
)
async def test_what_does_not_fit_changes_nothing(
    client: Client, pull: PullRequest, more: dict[str, Any], kind: str, part: str
) -> None:
    before = pull.head_sha
    answer = await commit(client, {"additions": [addition(PATH, b"x")]}, **more)
    (error,) = answer["errors"]
    assert (error["type"], part in error["message"]) == (kind, True), error
    assert pull.head_sha == before == pull.repository.git.resolve("refs/heads/feature")


async def test_a_commit_needs_contents_write(
    client: Client, github: Sandbox, pull: PullRequest
) -> None:
    before = pull.head_sha
    github.state.app.permissions["contents"] = "read"
    answer = await commit(client, {"additions": [addition(PATH, b"x")]})
    (error,) = answer["errors"]
    assert (error["type"], error["path"]) == ("FORBIDDEN", ["createCommitOnBranch"])
    assert pull.head_sha == before


@pytest.mark.malformed
@pytest.mark.parametrize("contents", ["%", "abc", 7, None])
async def test_contents_must_be_base64(client: Client, pull: PullRequest, contents: object) -> None:
    answer = await commit(client, {"additions": [{"path": PATH, "contents": contents}]})
    assert "data" not in answer
    assert "contents" in answer["errors"][0]["message"]
    assert pull.repository.git.read(pull.head_sha, PATH) == HEAD_TEXT.encode()
