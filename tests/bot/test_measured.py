"""Which runs are looked at as evidence, and what is said of those that are not."""

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bot import measured as module
from bot.github import Client
from bot.hearing import Gatherer, Hearing
from bot.measured import MOST_RUNS, RunMemory, measured, with_results
from bot.mirror import MirrorError, Trouble
from bot.runs import runs_of_branch
from bot.signing import Ground
from bot.sweeps import Place
from checks.decisions import Decision
from checks.policy import preset
from checks.publication import Spoken
from checks.results.model import Results
from checks.signoff.facts import Measured
from checks.signoff.model import Link
from checks.sweeps.runs import Head, WorkflowRun
from tests.checks.signoff.facts import (
    EARLIER,
    GONE,
    HEAD,
    JOBS,
    POLICY,
    REPOSITORY,
    facts,
    run,
    sign_off,
)

HERE = {"repo": {"full_name": REPOSITORY}}
PULL = {"base": HERE, "head": {**HERE, "ref": "x", "sha": HEAD}, "labels": []}
PLACE = Place(cast("Client", None), REPOSITORY, PULL, {HEAD, EARLIER}, preset("inferencex").sweeps)


class Memory:
    """What runs did and measured, without GitHub."""

    def __init__(self) -> None:
        self.read: list[int] = []

    async def jobs(self, _: Place, __: WorkflowRun) -> Any:
        return JOBS

    async def results(self, _: Place, each: WorkflowRun) -> Results:
        self.read.append(each.id)
        return Results()


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    there: dict[str, Any] = {"runs": (), "every": True}

    async def runs(*_: object) -> tuple[Sequence[WorkflowRun], bool]:
        return there["runs"], there["every"]

    monkeypatch.setattr(module, "runs_of_branch", runs)
    return there


async def looked_at() -> tuple[list[int], int]:
    found, older = await measured(PLACE, cast("RunMemory", Memory()), (), ())
    return [each.run.id for each in found or ()], older


async def test_older_sweeps_are_counted_and_not_forgotten(listed: dict[str, Any]) -> None:
    listed["runs"] = [run(EARLIER, number) for number in range(1, 16)]
    assert await looked_at() == (list(range(15, 15 - MOST_RUNS, -1)), 3)
    listed["runs"] = [*listed["runs"], *(run(GONE, number) for number in range(20, 40))]
    assert await looked_at() == (list(range(15, 15 - MOST_RUNS, -1)), 3)
    listed["runs"] = [run(HEAD, 1)]
    assert await looked_at() == ([1], 0)
    listed["every"] = False
    assert await looked_at() == ([1], 1)


async def test_runs_that_were_asked_for_crowd_no_linked_one_out(
    listed: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run_of(_: object, __: str, number: int) -> WorkflowRun:
        return run(HEAD if number in {5, 6} else GONE, number)

    monkeypatch.setattr(module, "run_of", run_of)
    asked = [Decision("unofficial", str(number), "mallory") for number in range(100, 140)]
    chosen = Decision("reuse", "run", "kim", "6")
    said = sign_off()
    link = Link("https://x", "run", "validation", REPOSITORY, 5)
    said = replace(said, said=replace(said.said, links=(link,)))
    found, _ = await measured(PLACE, cast("RunMemory", Memory()), (*asked, chosen), (said,))
    assert {5, 6} <= {each.run.id for each in found or ()}
    assert len(found or ()) == MOST_RUNS


async def test_only_wanted_results_are_read_however_old_they_are() -> None:
    memory = Memory()
    found = [Measured(run(HEAD, number), JOBS) for number in range(9, 0, -1)]
    done = await with_results(PLACE, cast("RunMemory", memory), found, {2, 7})
    assert memory.read == [7, 2]
    assert [each.run.id for each in done if each.scores is not None] == [7, 2]


class Pages:
    """GitHub, that lists runs of one branch without end."""

    async def getiter(self, *_: object, **__: object) -> Any:
        for number in range(1000, 0, -1):
            yield content(number)


def content(number: int) -> dict[str, Any]:
    time = "2026-08-20T12:00:00Z"
    return {
        "id": number,
        "workflow_id": 1,
        "name": "Sweep",
        "display_title": "x",
        "event": "push",
        "path": ".github/workflows/run-sweep.yml",
        "head_repository": {"full_name": REPOSITORY},
        "head_branch": "x",
        "head_sha": HEAD,
        "status": "completed",
        "conclusion": "success",
        "created_at": time,
        "updated_at": time,
        "html_url": "https://x",
    }


@pytest.mark.parametrize(("most", "count", "every"), [(300, 300, False), (1000, 1000, True)])
async def test_a_list_of_runs_says_whether_it_is_all(most: int, count: int, every: bool) -> None:
    client = cast("Client", Pages())
    found, whole = await runs_of_branch(client, REPOSITORY, Head(REPOSITORY, "x", HEAD), most)
    assert (len(found), whole) == (count, every)


class Mirror:
    """A mirror of a GitHub that has some commits no more."""

    trouble = Trouble.MISSING_REF

    def __init__(self, *gone: str) -> None:
        self.gone, self.asked, self.there = gone, 0, set[str]()

    async def fetch(self, _: str, __: str, refs: Sequence[str], ___: str) -> None:
        self.asked += 1
        commits = {ref.partition(":")[0].removeprefix("+") for ref in refs}
        if commits & {*self.gone}:
            raise MirrorError(self.trouble, "x")
        self.there |= commits


async def fetched(mirror: Mirror, *commits: str) -> bool:
    async def token() -> str:
        return "t"

    hearing = SimpleNamespace(
        key=SimpleNamespace(repository=REPOSITORY), client=SimpleNamespace(token=token)
    )
    gatherer = SimpleNamespace(mirror=mirror, settings=SimpleNamespace(github_url="https://x"))
    return await Gatherer._fetched(cast("Gatherer", gatherer), cast("Hearing", hearing), {*commits})


async def test_a_signed_commit_that_is_gone_takes_no_other_with_it() -> None:
    commits = [f"{number:040x}" for number in range(9)]
    whole = Mirror()
    assert await fetched(whole, *commits)
    assert (whole.asked, whole.there) == (1, {*commits})
    one = Mirror(commits[4])
    assert await fetched(one, *commits)
    assert one.there == {*commits} - {commits[4]}
    nothing = Mirror(*commits)
    assert not await fetched(nothing, *commits)
    assert nothing.asked < 32
    many = Mirror(*(f"{number:040x}" for number in range(0, 900, 2)))
    await fetched(many, *(f"{number:040x}" for number in range(900)))
    assert many.asked == 32


async def test_an_unreachable_github_is_asked_once() -> None:
    mirror = Mirror("1" * 40)
    mirror.trouble = Trouble.UNREACHABLE
    assert not await fetched(mirror, "1" * 40, "2" * 40)
    assert mirror.asked == 1


async def test_commits_that_strangers_signed_are_not_asked_for() -> None:
    gone = [f"{number:040x}" for number in range(40)]
    said = [sign_off(f"stranger{n}", head=head, prints=None) for n, head in enumerate(gone)]
    said.append(sign_off("ann", head=EARLIER, prints=None))
    spoken = tuple(Spoken(each.comment, each.url, each.url) for each in said)
    asked: list[set[str]] = []

    async def fetched(_: object, lost: set[str]) -> bool:
        asked.append(lost)
        return False

    gatherer = cast("Gatherer", SimpleNamespace(_fetched=fetched))
    published = SimpleNamespace(spoken=spoken)
    hearing = cast("Hearing", SimpleNamespace(client=None, published=published))
    ground = cast("Ground", SimpleNamespace(policy=POLICY))
    teams = {"@org/amd": ("amy",), "@org/core": ("kim",)}
    found = await Gatherer._bound(gatherer, hearing, ground, facts(*said, teams=teams))
    assert asked == [{EARLIER}]
    assert found.sign_offs == tuple(said)
