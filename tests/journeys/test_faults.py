"""Repeated and lost deliveries, moving heads, a GitHub that fails, a database that is gone."""

import shutil

import pytest

from bot.sandbox import faults
from tests.journeys.conftest import DISCLOSED, World, counts, reviews
from tests.journeys.policies import CHANGELOG, CLEAN, FIRST, HISTORY, SECOND, entry, recipe
from tests.journeys.test_review import DRAFT_ONLY, third_conversation

NUMBER = 1001


async def test_one_delivery_twice_and_twice_at_once_gives_one_review(world: World) -> None:
    third_conversation(world)
    async with world.bot():
        world.github.faults.repeat_deliveries(times=1, copies=2, event="pull_request")
        pull = await world.open(number=NUMBER)
        opened = next(d for d in world.github.deliveries if d.event == "pull_request")
        await world.github.redeliver(opened)
        await world.quiet()
    assert len(reviews(pull)) == 1
    assert len(world.github.writes) == 3


async def test_the_same_hook_installed_twice_gives_one_review(world: World) -> None:
    """An App hook and a repository hook send one event with two GUIDs."""
    third_conversation(world)
    async with world.bot():
        pull = await world.open(number=NUMBER)
        for delivery in list(world.github.deliveries):
            if delivery.event == "pull_request":
                world.github.site.outbox.send(
                    delivery.event, delivery.payload, pull.repository, pull.author
                )
        await world.quiet()
    assert len(reviews(pull)) == 1
    assert len(world.github.writes) == 3


async def test_a_storm_of_ten_pushes_gives_one_review_of_the_last(world: World) -> None:
    world.repo.commit("main", CLEAN)
    for number in range(10):
        draft = f"{DRAFT_ONLY}  # {number}"
        world.repo.commit("pr", {FIRST: recipe("cedar-1p2d", draft)}, start="main")
    heads = world.repo.log("pr")[:10]
    await world.github.add_repository(world.name, world.repo.path)
    await world.github.push(world.name, "pr", heads[-1], source=world.repo.path)
    number = await world.github.open_pull_request(
        world.name, "pr", "main", body=DISCLOSED, number=NUMBER
    )
    async with world.bot():
        pull = world.github.pull_request(number)
        await world.until(lambda: pull.check_runs)
        for head in reversed(heads[:-1]):
            await world.github.push(world.name, "pr", head, source=world.repo.path)
        await world.quiet()
    assert len(reviews(pull)) == 1
    runs = [e.body["head_sha"] for e in world.github.writes if e.path.endswith("/check-runs")]
    assert runs[-1] == heads[0]
    assert len(runs) == 2


@pytest.mark.parametrize("write", ["/reviews", "/comments", "/check-runs"])
async def test_a_head_that_moves_while_publishing_stops_the_rest(world: World, write: str) -> None:
    third_conversation(world)
    first = world.repo.log("pr")[0]
    second = world.repo.commit("pr", {FIRST: recipe("cedar-1p2d")})
    async with world.bot():
        await world.github.add_repository(world.name, world.repo.path)
        await world.github.push(world.name, "pr", first, source=world.repo.path)
        moved: list[int] = []

        async def move() -> None:
            await world.github.push(world.name, "pr", second, source=world.repo.path)
            moved.append(len(world.github.writes))

        world.github.faults.add(("POST", write + "$"), faults.after(move))
        pull = await world.open(number=NUMBER)
        await world.until(lambda: pull.check_runs)
        await world.quiet()
    stale = [
        e
        for e in world.github.writes[moved[0] + 1 :]
        if first in str(e.body.get("head_sha", e.body.get("commit_id", "")))
    ]
    assert stale == []
    assert pull.check_runs[-1].conclusion == "failure"
    assert counts(world.sticky(pull)).startswith("1 open")
    assert world.github.rejected == []


async def test_a_lost_database_costs_nothing(world: World) -> None:
    third_conversation(world)
    async with world.bot():
        pull = await world.open(number=NUMBER)
    before = len(world.github.writes)
    shutil.rmtree(world.data_dir)
    async with world.bot():
        await world.until(lambda: any("/graphql" in e.path for e in world.github.requests[-3:]))
    assert len(world.github.writes) == before
    assert len(reviews(pull)) == 1
    shutil.rmtree(world.data_dir)
    world.repo.commit("pr", {FIRST: recipe("cedar-1p2d")})
    world.github.webhook_url = None
    await world.github.push(world.name, "pr", world.repo.log("pr")[0], source=world.repo.path)
    async with world.bot():
        await world.until(lambda: pull.check_runs)
    assert counts(world.sticky(pull)) == (
        "1 open: 0 new, 1 still open from earlier reviews · 1 fixed · 0 resolved by a person"
    )


async def test_a_lost_delivery_is_found_at_the_next_start(world: World) -> None:
    third_conversation(world)
    await world.github.add_repository(world.name, world.repo.path)
    number = await world.github.open_pull_request(
        world.name, "pr", "main", body=DISCLOSED, number=NUMBER
    )
    pull = world.github.pull_request(number)
    async with world.bot():
        await world.until(lambda: pull.check_runs)
    assert len(reviews(pull)) == 1


@pytest.mark.parametrize(
    ("match", "action"),
    [
        (("POST", "/reviews$"), faults.status(502)),
        (("POST", "/reviews$"), faults.secondary_limit(1)),
        (("POST", "/reviews$"), faults.answer_lost()),
        (("POST", "/reviews$"), faults.reset()),
        (("POST", "/comments$"), faults.answer_lost()),
        (("POST", "/check-runs$"), faults.answer_lost()),
        (("POST", "/check-runs$"), faults.too_many(1)),
        (("POST", "/graphql"), faults.status(503)),
        (("GET", "/pulls/1001$"), faults.status(500)),
        (("POST", "/access_tokens$"), faults.status(500)),
        (("GET|POST", "info/refs"), faults.status(500)),
    ],
    ids=lambda value: value[1] if isinstance(value, tuple) else "",
)
async def test_a_failing_github_delays_a_review_and_repeats_nothing(
    world: World, match: tuple[str, str], action: faults.Action
) -> None:
    third_conversation(world)
    async with world.bot():
        fault = world.github.faults.add(match, action)
        await world.github.add_repository(world.name, world.repo.path)
        number = await world.github.open_pull_request(
            world.name, "pr", "main", body=DISCLOSED, number=NUMBER
        )
        pull = world.github.pull_request(number)
        await world.until(lambda: pull.check_runs)
        await world.quiet()
    assert fault.hits == 1
    assert len(reviews(pull)) == 1
    assert len(pull.threads) == 2
    assert counts(world.sticky(pull)).startswith("2 open: 2 new")
    assert world.github.rejected == []


async def test_a_review_that_github_does_not_take_is_said_elsewhere(world: World) -> None:
    """Whatever makes GitHub refuse inline comments, the findings are said and nothing loops."""
    third_conversation(world)
    async with world.bot():
        world.github.faults.add(("POST", "/reviews$"), faults.unprocessable(), times=None)
        pull = await world.open(number=NUMBER)
    assert pull.threads == []
    assert "draft-model/kv-cache-below-target" in world.sticky(pull)
    assert [run.conclusion for run in pull.check_runs] == ["failure"]


async def test_a_repository_that_git_does_not_serve_is_admitted_on_the_pull_request(
    world: World,
) -> None:
    third_conversation(world)
    async with world.bot():
        fault = world.github.faults.add(("GET", "info/refs"), faults.status(403), times=2)
        await world.github.add_repository(world.name, world.repo.path)
        number = await world.github.open_pull_request(
            world.name, "pr", "main", body=DISCLOSED, number=NUMBER
        )
        pull = world.github.pull_request(number)
        await world.until(lambda: pull.check_runs)
        assert pull.check_runs[0].conclusion == "action_required"
        assert "check that the App is installed there" in world.sticky(pull)
        await world.until(lambda: fault.hits == 2 and len(reviews(pull)) == 1)
        await world.quiet()
    assert pull.check_runs[-1].conclusion == "failure"


async def test_a_stranger_with_our_marker_changes_nothing(world: World) -> None:
    third_conversation(world)
    async with world.bot():
        pull = await world.open(number=NUMBER)
        copied = world.sticky(pull)
        stranger = await world.github.comment(pull, copied.replace("2 open", "0 open"), "stranger")
        thread = pull.threads[0]
        forged = await world.github.reply(
            thread, thread.comments[0].body.replace("state=open", "state=fixed"), "stranger"
        )
        world.repo.commit("pr", {FIRST: recipe("cedar-1p2d")})
        await world.push()
        assert stranger.body == copied.replace("2 open", "0 open")
        assert "state=fixed" in forged.body
        assert counts(world.sticky(pull)) == (
            "1 open: 0 new, 1 still open from earlier reviews · 1 fixed · 0 resolved by a person"
        )


async def test_a_stranger_who_speaks_first_with_our_marker_is_left_alone(world: World) -> None:
    """https://github.com/danger/danger-js/issues/552 took a stranger's comment for its own."""
    third_conversation(world)
    await world.github.add_repository(world.name, world.repo.path)
    number = await world.github.open_pull_request(
        world.name, "pr", "main", body=DISCLOSED, number=NUMBER
    )
    pull = world.github.pull_request(number)
    forged = "<!-- referee:sticky -->\nPASS\n0 open: 0 new, 0 still open from earlier reviews"
    first = await world.github.comment(pull, forged, "stranger")
    async with world.bot():
        await world.until(lambda: pull.check_runs)
        await world.quiet()
        assert counts(world.sticky(pull)).startswith("2 open: 2 new")
    assert (first.body, pull.check_runs[-1].conclusion) == (forged, "failure")
    edited = [each.path for each in world.github.writes if each.path.endswith(f"/{first.id}")]
    assert edited == []


async def test_a_permission_that_is_missing_closes_in_words_and_counts_truly(world: World) -> None:
    third_conversation(world)
    async with world.bot():
        pull = await world.open(number=NUMBER)
        installation = pull.repository.installation
        assert installation is not None
        installation.permissions = {**installation.permissions, "contents": "read"}
        world.repo.commit("pr", {FIRST: recipe("cedar-1p2d")})
        await world.push()
    assert not pull.threads[0].resolved
    assert "✅ **Fixed in" in pull.threads[0].comments[0].body
    assert counts(world.sticky(pull)).startswith("1 open: 0 new, 1 still open")


async def test_rerun_buttons_review_again_and_other_apps_do_not(world: World) -> None:
    third_conversation(world)
    async with world.bot():
        pull = await world.open(number=NUMBER)
        before = len(world.github.requests)
        await world.github.rerequest_check_suite(pull, app_id=4_242, with_pulls=False)
        await world.quiet()
        assert len(world.github.requests) == before
        await world.github.rerequest_check_suite(pull, with_pulls=False)
        await world.quiet()
        asked = [each.path for each in world.github.requests[before:]]
        assert any(path.endswith(f"/commits/{pull.head_sha}/pulls") for path in asked)
        assert any(path.endswith("/graphql") for path in asked), "it is reviewed again"
        await world.github.rerequest_check_run(pull.check_runs[-1])
        await world.quiet()
    assert len(reviews(pull)) == 1
    assert pull.check_runs[-1].conclusion == "failure"


async def test_many_findings_at_once_are_one_review_resumed_after_a_limit(world: World) -> None:
    many = {f"{FIRST[:-5]}-{n}.yaml": recipe(f"cedar-{n}", DRAFT_ONLY) for n in range(65)}
    world.repo.commit("main", CLEAN)
    world.repo.commit("pr", {CHANGELOG: HISTORY + entry(NUMBER, "Many"), **many}, start="main")
    master = world.repo.repository.revparse_single("main:inferencex-e2e/configs/nvidia-master.yaml")
    points = "".join(
        f"""      - spec-decoding: mtp
        conc-list: [8]
        srt-recipe: recipes/cedar/sglang/gb300-fp4/8k1k/disagg-1p2d-{n}.yaml
        prefill: {{num-worker: 1, tp: 4, ep: 1, dp-attn: false}}
        decode: {{num-worker: 2, tp: 4, ep: 1, dp-attn: false}}
"""
        for n in range(65)
    )
    world.repo.commit(
        "pr", {"inferencex-e2e/configs/nvidia-master.yaml": master.data.decode() + points}
    )
    async with world.bot():
        limit = world.github.faults.add(("POST", "/reviews$"), faults.secondary_limit(1))
        pull = await world.open(number=NUMBER)
        await world.until(lambda: pull.check_runs)
        await world.quiet()
    assert limit.hits == 1
    assert len(reviews(pull)) == 1
    assert len(pull.threads) == 30
    bodies = [e.body for e in world.github.requests if e.path.endswith("/reviews")]
    assert bodies[0] == bodies[1]
    assert len(pull.check_runs[-1].annotations) == 35
    assert world.github.rejected == []


async def test_a_moved_main_is_compared_from_the_merge_base(world: World) -> None:
    third_conversation(world)
    async with world.bot():
        pull = await world.open(number=NUMBER)
        world.repo.commit("main", {CHANGELOG: HISTORY + entry(999, "Another pull request")})
        await world.github.push(
            world.name, "main", world.repo.log("main")[0], source=world.repo.path
        )
        before = len(world.github.writes)
        await world.github.edit(pull, title="Another title")
        await world.quiet()
        assert len(world.github.writes) == before
    assert SECOND in {thread.path for thread in pull.threads}
