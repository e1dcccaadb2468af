"""What people said, with who is who."""

import pytest
from aiohttp import web

from bot.conversation import MOST_OF_ONE, login_of
from bot.github import GitHubUnreachable, client
from bot.sandbox.faults import Proceed
from tests.bot.test_publish import Place, place

__all__ = ["place"]
FORM = "As a PR reviewer and CODEOWNER\n- [x] done"


@pytest.mark.parametrize(
    ("actor", "login"),
    [
        ({"__typename": "User", "login": "ann"}, "ann"),
        ({"__typename": "Bot", "login": "ann"}, "ann[bot]"),
        ({"__typename": "Mannequin", "login": "ann"}, "ann[mannequin]"),
        (None, ""),
    ],
)
def test_an_app_is_not_the_person_of_that_login(actor: dict[str, str] | None, login: str) -> None:
    assert login_of(actor) == login


async def test_what_may_sign_is_read_with_its_editor_and_commit(place: Place) -> None:
    github, pull = place.sandbox, place.pull
    said = await github.comment(pull, FORM, "ann")
    await github.comment(pull, "Looks good.", "ann")
    await github.review(pull, FORM, "amy")
    inline = await github.comment_at(pull, "a.txt", 1, FORM, "bob")
    await github.edit_comment(said, FORM + "!", "eve")
    found = {each.comment.kind: each for each in (await place.published()).spoken}
    assert {kind: each.comment.author for kind, each in found.items()} == {
        "conversation": "ann",
        "review": "amy",
        "inline": "bob",
    }
    assert [found[kind].editor for kind in ("conversation", "review")] == ["eve", None]
    assert [found[kind].commit for kind in found] == ["", pull.head_sha, pull.head_sha]
    assert found["inline"].url.endswith(f"#discussion_r{inline.id}")


async def test_a_dismissed_review_signs_nothing(place: Place) -> None:
    review = await place.sandbox.review(place.pull, FORM, "amy")
    review.state = "DISMISSED"
    assert (await place.published()).spoken == ()


async def test_long_comments_come_in_smaller_pages(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Anybody can say more than fits into one answer, and would hold up every review."""
    github, pull = place.sandbox, place.pull
    for number in range(12):
        await github.comment(pull, f"{FORM} {number} {'x' * 10_000}", "ann")
    first = await github.comment_at(pull, "a.txt", 1, f"{FORM} 12", "bob")
    await github.reply(first.thread, f"{FORM} 13 {'x' * 10_000}", "bob")
    whole = await place.published()
    monkeypatch.setattr(client, "_MOST_BYTES", 32_000)
    assert (await place.published()).spoken == whole.spoken
    assert len(whole.spoken) == 14
    monkeypatch.setattr(client, "_MOST_BYTES", 5_000)
    with pytest.raises(GitHubUnreachable, match="longer than 5000 bytes"):
        await place.published()


async def test_of_one_person_the_newest_are_read(place: Place) -> None:
    """Somebody who posts a hundred forms does not keep anybody's from being read in time."""
    github, pull = place.sandbox, place.pull
    await github.comment(pull, f"{FORM} of ann", "ann")
    for number in range(MOST_OF_ONE + 5):
        await github.comment(pull, f"{FORM} {number}", "eve")
    spoken = (await place.published()).spoken
    said = [each.comment.body.removeprefix(FORM).strip() for each in spoken]
    assert said == ["of ann", *(str(number) for number in range(5, MOST_OF_ONE + 5))]


async def test_a_conversation_that_never_ends_is_not_read_for_ever(place: Place) -> None:
    page = {"nodes": [], "pageInfo": {"hasNextPage": True, "endCursor": "x"}}
    answer = {"data": {"repository": {"pullRequest": {"comments": page}}}}

    async def endless(_: web.Request, __: Proceed) -> web.Response:
        return web.json_response(answer)

    fault = place.sandbox.faults.add(("POST", "/graphql$"), endless, times=None)
    with pytest.raises(GitHubUnreachable, match="the same page"):
        await place.published()
    assert fault.hits == 2
