"""Who edited a sign-off: what GitHub does not tell is never taken for nobody."""

from typing import Any, cast

import pytest

from bot.github import Client
from bot.sign_offs import head_of, subject, with_editors
from checks.decisions import Decision
from checks.publication import Spoken
from checks.signoff.version import version
from tests.checks.signoff.facts import MASTER, sign_off

SIGNED = sign_off("ann", MASTER)
EDITED = Spoken(SIGNED.comment, "IC_1", SIGNED.url, editor="ann")
ANN = {"editor": {"__typename": "User", "login": "ann"}}


class Histories:
    """GitHub, that tells one history of edits."""

    def __init__(self, node: Any) -> None:
        self.node = node

    async def graphql(self, *_: object, **__: object) -> Any:
        return {"nodes": [self.node]}


@pytest.mark.parametrize(
    ("node", "editor"),
    [
        ({"id": "IC_1", "userContentEdits": {"totalCount": 1, "nodes": [ANN]}}, None),
        ({"id": "IC_1", "userContentEdits": {"totalCount": 2, "nodes": [ANN]}}, "ghost"),
        ({"id": "IC_1", "userContentEdits": None}, "ghost"),
        (None, "ghost"),
    ],
    ids=["all seen", "too many", "not told", "gone"],
)
async def test_whoever_is_not_known_voids_it(node: Any, editor: str | None) -> None:
    (found,) = await with_editors(cast("Client", Histories(node)), (SIGNED,), (EDITED,))
    assert found.edited_by == editor


async def test_what_nobody_edited_is_not_asked_about() -> None:
    untouched = Spoken(SIGNED.comment, "IC_1", SIGNED.url)
    (found,) = await with_editors(cast("Client", None), (SIGNED,), (untouched,))
    assert found.edited_by is None


A, B, C = "a" * 40, "b" * 40, "c" * 40
SAID = SIGNED.comment
IN_REVIEW = Spoken(SAID, "IC_1", SIGNED.url, commit=A)
EDITED_REVIEW = Spoken(SAID, "IC_1", SIGNED.url, commit=A, editor="ann")
TOLD = {("conversation", SAID.id, version(SAID.body)): B}
VERIFIED = {subject(SAID): Decision("signed", subject(SAID), "ann", head=C)}


@pytest.mark.parametrize(
    ("said", "told", "verified", "head"),
    [
        (EDITED, {}, {}, ""),  # nobody knows
        (EDITED, TOLD, {}, B),
        (EDITED, TOLD, VERIFIED, C),
        (IN_REVIEW, TOLD, {}, A),  # as GitHub keeps it
        (IN_REVIEW, TOLD, VERIFIED, C),
        (EDITED_REVIEW, TOLD, {}, B),  # an edit may be of later
        (EDITED_REVIEW, {}, {}, A),
    ],
)
def test_the_head_that_something_was_said_at(
    said: Spoken, told: Any, verified: Any, head: str
) -> None:
    assert head_of(said, verified, told) == head


def test_other_words_are_not_what_was_verified_or_told() -> None:
    other = sign_off("ann", MASTER, body=f"{SAID.body} and more").comment
    said = Spoken(other, "IC_1", SIGNED.url)
    assert head_of(said, VERIFIED, TOLD) == ""
