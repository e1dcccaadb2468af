"""Pull requests that move: pushes, forks, edits, merges, and threads that follow their lines."""

import pytest

from bot.sandbox import Sandbox
from bot.sandbox.git import GitError
from bot.sandbox.state import PullRequest
from tests.gitkit import GitRepo
from tests.sandbox.conftest import HEAD_TEXT, NAME, PATH, Client, Receiver, changed


async def test_a_push_moves_the_head_and_is_told(
    github: Sandbox, clone: GitRepo, pull: PullRequest, receiver: Receiver
) -> None:
    old, before = pull.head_sha, len(receiver.got)
    new = clone.commit("feature", {"README.md": "# New\n"})
    assert await github.push(NAME, "feature", "feature", source=clone.path) == new
    assert pull.head_sha == new
    assert pull.repository.git.resolve("refs/pull/1/head") == new
    assert set(receiver.events()[before:]) == {
        "push",
        "check_suite.requested",
        "pull_request.synchronize",
    }
    payload = receiver.last("pull_request")
    assert (payload["before"], payload["after"]) == (old, new)
    assert receiver.last("push")["forced"] is False


async def test_a_push_of_the_same_head_is_no_synchronize(
    github: Sandbox, pull: PullRequest, receiver: Receiver
) -> None:
    before = len(receiver.got)
    await github.push(NAME, "feature", pull.head_sha)
    assert receiver.events()[before:] == ["push"]


async def test_what_was_pushed_while_it_was_closed_is_there_when_it_is_opened_again(
    github: Sandbox, clone: GitRepo, pull: PullRequest, receiver: Receiver
) -> None:
    await github.close(pull)
    old = pull.head_sha
    new = clone.commit("feature", {"README.md": "# New\n"})
    await github.push(NAME, "feature", "feature", source=clone.path)
    assert pull.head_sha == old
    await github.reopen(pull)
    assert pull.head_sha == receiver.last("pull_request")["pull_request"]["head"]["sha"] == new


async def test_a_forced_push_is_called_so(
    github: Sandbox, clone: GitRepo, receiver: Receiver
) -> None:
    clone.commit("again", {PATH: "x\n"}, start="main")
    await github.push(NAME, "feature", "again", source=clone.path)
    assert receiver.last("push")["forced"] is True


async def test_a_commit_made_later_is_found_where_the_repository_came_from(
    github: Sandbox, clone: GitRepo, pull: PullRequest
) -> None:
    new = clone.commit("later", {PATH: "x\n"}, start="feature")
    await github.push(NAME, "feature", new)
    assert pull.head_sha == new
    with pytest.raises(GitError, match="names no commit"):
        await github.push(NAME, "feature", "nothing")


async def test_threads_follow_their_lines(
    client: Client, github: Sandbox, clone: GitRepo, pull: PullRequest
) -> None:
    await client.review({"line": 10}, {"line": 30}, {"line": 31, "start_line": 30}, {"line": 12})
    clone.commit("feature", {PATH: "one\ntwo\n" + HEAD_TEXT})
    await github.push(NAME, "feature", "feature", source=clone.path)
    assert [(it.line, it.start_line) for it in pull.threads] == [
        (12, None),
        (32, None),
        (33, 32),
        (14, None),
    ]
    clone.commit("feature", {PATH: "one\ntwo\n" + changed(l10="changed ten\n", l30="30!\n")})
    await github.push(NAME, "feature", "feature", source=clone.path)
    assert [it.line for it in pull.threads] == [12, None, None, 14]
    listed = (await client.get(f"/repos/{NAME}/pulls/1/comments")).body
    assert [(it["line"], it["original_line"]) for it in listed] == [
        (12, 10),
        (None, 30),
        (None, 31),
        (14, 12),
    ]
    assert [it.outdated for it in pull.threads] == [False, True, True, False]


async def test_a_line_that_leaves_the_diff_is_outdated(
    client: Client, github: Sandbox, clone: GitRepo, pull: PullRequest
) -> None:
    await client.review({"line": 10}, {"line": 30, "side": "LEFT"})
    clone.commit("feature", {PATH: changed(l10="changed ten\n")})
    await github.push(NAME, "feature", "feature", source=clone.path)
    assert [it.outdated for it in pull.threads] == [False, True]


async def test_a_rebase_keeps_threads_where_their_lines_are(
    client: Client, github: Sandbox, clone: GitRepo, pull: PullRequest
) -> None:
    await client.review({"line": 10}, {"line": 10, "side": "LEFT"})
    clone.commit("main", {PATH: "new\n" + "".join(f"line {n}\n" for n in range(1, 41))})
    await github.push(NAME, "main", "main", source=clone.path)
    clone.commit("rebased", {PATH: "new\n" + HEAD_TEXT}, start="main")
    await github.push(NAME, "feature", "rebased", source=clone.path)
    assert [(it.line, it.side) for it in pull.threads] == [(11, "RIGHT"), (11, "LEFT")]


async def test_a_fork_opens_and_pushes(
    client: Client, github: Sandbox, clone: GitRepo, receiver: Receiver
) -> None:
    await github.add_repository("stranger/bench", clone.path, installed=False)
    number = await github.open_pull_request(
        NAME, "feature", "main", "From afar", head_repo="stranger/bench"
    )
    pull = github.pull_request(number)
    shown = receiver.last("pull_request")["pull_request"]
    assert shown["head"]["label"] == "stranger:feature"
    assert shown["head"]["repo"]["full_name"] == "stranger/bench"
    new = clone.commit("feature", {"README.md": "fork\n"})
    await github.push("stranger/bench", "feature", "feature", source=clone.path)
    assert (pull.head_sha, github.pull_request(1).head_sha == new) == (new, False)
    assert pull.repository.git.resolve(f"refs/pull/{number}/head") == new
    run = {"name": "x", "head_sha": new}
    made = (await client.post(f"/repos/{NAME}/check-runs", run)).body
    assert made["pull_requests"] == []


async def test_edits_are_told_with_what_was_before(
    github: Sandbox, pull: PullRequest, receiver: Receiver, clone: GitRepo
) -> None:
    await github.edit(1, title="New", body="")
    assert receiver.last("pull_request")["changes"] == {
        "title": {"from": "Tune it"},
        "body": {"from": "Because."},
    }
    await github.push(NAME, "release", "main", source=clone.path)
    await github.edit(1, base="release")
    assert receiver.last("pull_request")["changes"]["base"]["ref"] == {"from": "main"}
    assert (pull.base_ref, pull.title, pull.body) == ("release", "New", "")
    with pytest.raises(GitError, match="has no branch nowhere"):
        await github.edit(1, base="nowhere")


async def test_drafts_closing_and_labels_are_told(
    github: Sandbox, pull: PullRequest, receiver: Receiver
) -> None:
    before = len(receiver.got)
    await github.set_draft(1, draft=True)
    await github.set_draft(1, draft=False)
    await github.add_label(1, "NVIDIA")
    await github.add_label(1, "nvidia")
    assert await github.remove_label(1, "NVIDIA")
    assert not await github.remove_label(1, "NVIDIA")
    await github.close(1)
    await github.reopen(1)
    assert receiver.events()[before:] == [
        f"pull_request.{action}"
        for action in (
            *("converted_to_draft", "ready_for_review", "labeled", "unlabeled"),
            *("closed", "reopened"),
        )
    ]
    assert (pull.state, pull.draft) == ("open", False)


@pytest.mark.parametrize(("method", "parents"), [("squash", 1), ("merge", 2)])
async def test_a_merge_lands_on_the_base(
    client: Client,
    github: Sandbox,
    pull: PullRequest,
    receiver: Receiver,
    method: str,
    parents: int,
) -> None:
    commit = await github.merge(1, method=method)
    git = pull.repository.git
    assert git.resolve("refs/heads/main") == commit
    assert len(git.objects[commit].parents) == parents  # type: ignore[attr-defined]
    assert git.read(commit, PATH) == HEAD_TEXT.encode()
    payload = receiver.last("pull_request")
    assert (payload["action"], payload["pull_request"]["merged"]) == ("closed", True)
    body = (await client.get(f"/repos/{NAME}/pulls/1")).body
    assert (body["state"], body["merge_commit_sha"]) == ("closed", commit)
    assert body["merged_by"]["login"] == "maintainer"


async def test_a_conflict_is_said(github: Sandbox, clone: GitRepo, pull: PullRequest) -> None:
    clone.commit("main", {PATH: changed(l10="other ten\n")})
    await github.push(NAME, "main", "main", source=clone.path)
    with pytest.raises(GitError, match="conflicts with"):
        await github.merge(1)
    assert pull.state == "open"


async def test_what_is_missing_is_named(github: Sandbox, clone: GitRepo) -> None:
    with pytest.raises(GitError, match=r"example/bench has no branch nowhere\."):
        await github.open_pull_request(NAME, "nowhere", "main")
    clone.commit("alone", {"a": "b"}, orphan=True)
    await github.push(NAME, "alone", "alone", source=clone.path)
    with pytest.raises(GitError, match="no common history"):
        await github.open_pull_request(NAME, "alone", "main")
    with pytest.raises(LookupError, match="no repository example/none"):
        github.repository("example/none")
    with pytest.raises(LookupError, match="0 pull requests #7"):
        github.pull_request(7)
    with pytest.raises(GitError, match="clone failed"):
        await github.add_repository("example/new", clone.path / "nothing")
