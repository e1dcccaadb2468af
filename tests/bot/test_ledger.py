"""A command is carried out once, a decision holds until it is undone."""

import asyncio
from pathlib import Path

import pytest

from bot.comments import Place, Said
from bot.jobs.schema import MIGRATIONS
from bot.jobs.sqlite import Database
from bot.keys import PullRequestKey, RunKey
from bot.ledger import Ledger, Order, Turn
from checks.decisions import Decision

KEY = PullRequestKey(1, "octo/bench", 7)


def order(version: str = "v1", position: int = 0, place: Place = Place.CONVERSATION) -> Order:
    said = Said(KEY, place, 5, 5, "N", "u", version, "/check", None, "ann", "ann", None, bot=False)
    return Order(said, position, "/check")


@pytest.fixture
async def ledger(tmp_path: Path) -> Ledger:
    return Ledger(Database(tmp_path / "referee.db", MIGRATIONS), lambda: 5.0)


async def test_a_command_is_new_once(ledger: Ledger) -> None:
    assert await ledger.begin([order()], "g1") == [(Turn.NEW, None)]
    assert await ledger.begin([order()], "g1") == [(Turn.RESUMED, None)]
    assert await ledger.begin([order()], "g2") == [(Turn.DUPLICATE, None)]
    await ledger.end(order(), "{}")
    assert await ledger.begin([order()], "g1") == [(Turn.DONE, "{}")]
    others = [order("v2"), order(position=1), order(place=Place.LINE)]
    assert await ledger.begin(others, "g1") == [(Turn.NEW, None)] * 3


async def test_one_of_two_deliveries_gets_all_commands_of_a_comment(ledger: Ledger) -> None:
    orders = [order(position=position) for position in range(3)]
    begun = [asyncio.create_task(ledger.begin(orders, guid)) for guid in ("g1", "g2")]
    turns = [[turn for turn, _ in await each] for each in begun]
    assert turns == [[Turn.NEW] * 3, [Turn.DUPLICATE] * 3]


async def test_the_newest_decision_about_a_subject_holds(ledger: Ledger) -> None:
    await ledger.decide(KEY, Decision("dismissed", "f1", "ann", "old"))
    await ledger.decide(KEY, Decision("dismissed", "f1", "bob", "new"))
    await ledger.decide(KEY, Decision("dismissed", "f2", "bob", "x"))
    await ledger.undo(KEY, "dismissed", "f2")
    await ledger.decide(PullRequestKey(1, "octo/other", 7), Decision("reuse", "9", "eve"))
    assert await ledger.known(KEY) == {
        ("dismissed", "f1"): Decision("dismissed", "f1", "bob", "new"),
        ("dismissed", "f2"): None,
    }


async def test_the_pull_requests_for_which_a_run_was_started(ledger: Ledger) -> None:
    other = PullRequestKey(1, "octo/bench", 8)
    run = RunKey(1, "octo/bench", 34, "ab" * 20)
    await ledger.decide(KEY, Decision("unofficial", "34", "ann"))
    await ledger.decide(other, Decision("dismissed", "34", "ann"))
    await ledger.decide(PullRequestKey(1, "octo/other", 7), Decision("unofficial", "34", "ann"))
    assert await ledger.about_run(run) == [KEY]
    await ledger.undo(KEY, "unofficial", "34")
    assert await ledger.about_run(run) == []
