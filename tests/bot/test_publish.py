"""Plans are carried out within GitHub's limits."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path

import aiohttp
import pytest

from bot.cli.sandbox import settings_for
from bot.github import GitHub, InstallationClient
from bot.publish import HeadMovedError, Publisher, Target, Written
from bot.published import read_published
from bot.sandbox import Sandbox, faults
from bot.sandbox.state import PullRequest
from bot.settings import Settings
from checks.publication import (
    Annotation,
    Button,
    CheckRun,
    Edit,
    InlineComment,
    Plan,
    Published,
    Review,
    Sticky,
)
from tests.gitkit import GitRepo

NAME = "example/bench"


@dataclass
class Place:
    """A pull request on the sandbox and a client that may write there."""

    sandbox: Sandbox
    settings: Settings
    client: InstallationClient
    pull: PullRequest

    async def published(self) -> Published:
        url = f"/repos/{NAME}/pulls/{self.pull.number}"
        return await read_published(self.client, await self.client.getitem(url), self.settings)

    async def publish(self, plan: Plan) -> Written:
        target = Target(NAME, self.pull.number, plan.head)
        return await Publisher(self.client, target).publish(plan)

    def sent(self) -> list[tuple[str, str]]:
        return [(each.method, each.template or "") for each in self.sandbox.writes]


@pytest.fixture
async def place(sandbox: Sandbox, tmp_path: Path) -> AsyncIterator[Place]:
    repo = GitRepo(tmp_path / "clone")
    repo.commit("main", {"a.txt": "a\n"})
    repo.commit("pr", {"a.txt": "b\n"}, start="main")
    repository = await sandbox.add_repository(NAME, repo.path)
    number = await sandbox.open_pull_request(NAME, "pr", "main")
    assert repository.installation is not None
    async with aiohttp.ClientSession() as session:
        settings = settings_for(sandbox, tmp_path / "bot")
        client = GitHub(session, settings).installation(repository.installation.id)
        yield Place(sandbox, settings, client, sandbox.pull_request(number))


def check_run(annotations: int) -> CheckRun:
    many = [Annotation("a.txt", 1, 1, "notice", f"no. {n}", "text") for n in range(annotations)]
    buttons = (Button("Re-run", "Again", "rerun"),)
    return CheckRun("success", "fine", "summary", tuple(many), buttons, "identity")


@pytest.mark.parametrize(
    ("annotations", "batches"), [(0, [0]), (50, [50]), (51, [50, 1]), (120, [50, 50, 20])]
)
async def test_annotations_go_fifty_a_request_and_none_still_completes(
    place: Place, annotations: int, batches: list[int]
) -> None:
    """https://github.com/qiniu/reviewbot/issues/258 lost what was over fifty."""
    await place.publish(Plan(place.pull.head_sha, check_run=check_run(annotations)))
    sent = [len(each.body["output"]["annotations"]) for each in place.sandbox.writes]
    assert sent == batches
    (run,) = place.pull.check_runs
    assert (run.status, run.conclusion, len(run.annotations)) == (
        "completed", "success", annotations,
    )  # fmt: skip
    published = await place.published()
    assert published.check_run is not None
    assert (published.check_run.external_id, published.check_run.completed) == ("identity", True)


async def test_a_check_run_cut_short_is_not_taken_for_whole(place: Place) -> None:
    place.sandbox.faults.add(("PATCH", "/check-runs/"), faults.status(422))
    with pytest.raises(Exception, match="422"):
        await place.publish(Plan(place.pull.head_sha, check_run=check_run(60)))
    published = await place.published()
    assert published.check_run is not None
    assert published.check_run.external_id == ""


async def test_nothing_is_written_for_a_head_that_is_gone(place: Place) -> None:
    plan = Plan("f" * 40, sticky=Sticky(None, "text"), check_run=check_run(0))
    with pytest.raises(HeadMovedError):
        await place.publish(plan)
    assert place.sent() == []


async def test_nothing_is_written_on_a_closed_pull_request(place: Place) -> None:
    await place.sandbox.close(place.pull)
    with pytest.raises(HeadMovedError):
        await place.publish(Plan(place.pull.head_sha, sticky=Sticky(None, "text")))
    assert place.sent() == []


async def test_a_thread_that_github_does_not_let_us_resolve_is_counted_so(place: Place) -> None:
    """https://github.com/mergewatch/mergewatch.ai/issues/545 logged as resolved what was not."""
    comments = (InlineComment("a.txt", 1, None, "one"), InlineComment("a.txt", 1, None, "two"))
    head = place.pull.head_sha
    await place.publish(Plan(head, review=Review("words", comments)))
    threads = (await place.published()).threads
    installation = place.pull.repository.installation
    assert installation is not None
    installation.permissions = {**installation.permissions, "contents": "read"}
    edits = tuple(Edit(thread.comment_id, "fixed") for thread in threads)
    resolve = tuple(thread.id for thread in threads)
    written = await place.publish(Plan(head, edits=edits, resolve=resolve))
    assert (written.writes, written.unresolved) == (2, 2)
    assert [it.comments[0].body for it in place.pull.threads] == ["fixed", "fixed"]
    assert not any(it.resolved for it in place.pull.threads)


async def test_a_sticky_comment_that_somebody_deleted_is_made_again(place: Place) -> None:
    plan = Plan(place.pull.head_sha, sticky=Sticky(None, "one"))
    await place.publish(plan)
    (comment,) = place.pull.comments
    await place.sandbox.delete_comment(comment)
    await place.publish(replace(plan, sticky=Sticky(comment.id, "two")))
    assert [each.body for each in place.pull.comments] == ["two"]


async def test_only_our_own_comments_count_whatever_their_marker(place: Place) -> None:
    """https://github.com/danger/danger-js/issues/552 took a stranger's comment for its own."""
    await place.sandbox.comment(place.pull, "<!-- referee:sticky -->\nPASS", "stranger")
    published = await place.published()
    assert (published.sticky_id, published.threads) == (None, ())


async def test_a_conversation_of_several_pages_is_read_whole(place: Place) -> None:
    for number in range(205):
        await place.sandbox.comment(place.pull, f"comment {number}", "somebody")
    await place.publish(Plan(place.pull.head_sha, sticky=Sticky(None, "<!-- referee:sticky -->\n")))
    published = await place.published()
    assert published.sticky_id is not None
