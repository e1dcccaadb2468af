"""What people see after they open, push, resolve, reply and fix."""

from tests.journeys.conftest import World, counts, reviews, rule_of
from tests.journeys.policies import (
    CHANGELOG,
    CLEAN,
    FIRST,
    HISTORY,
    SECOND,
    entry,
    recipe,
)

DRAFT_ONLY = "speculative-draft-kv-cache-dtype: fp8_e4m3"
NUMBER = 1


def third_conversation(world: World) -> None:
    """Two recipes set a KV-cache dtype for the draft alone (the third public conversation)."""
    world.repo.commit("main", CLEAN)
    world.repo.commit(
        "pr",
        {
            FIRST: recipe("cedar-1p2d", DRAFT_ONLY),
            SECOND: recipe("cedar-2p1d", DRAFT_ONLY),
            CHANGELOG: HISTORY + entry(1001, "Keep the draft KV cache in FP8"),
        },
        start="main",
    )


async def test_two_findings_then_one_fixed_and_one_still_open(world: World) -> None:
    third_conversation(world)
    async with world.bot():
        pull = await world.open(number=1001)
        assert [(rule_of(t), t.path) for t in pull.threads] == [
            ("draft-model/kv-cache-below-target", FIRST),
            ("draft-model/kv-cache-below-target", SECOND),
        ]
        assert counts(world.sticky(pull)) == (
            "2 open: 2 new, 0 still open from earlier reviews · 0 fixed · 0 resolved by a person"
        )
        assert [run.conclusion for run in pull.check_runs] == ["failure"]

        world.repo.commit("pr", {FIRST: recipe("cedar-1p2d")})
        await world.push()
        assert counts(world.sticky(pull)) == (
            "1 open: 0 new, 1 still open from earlier reviews · 1 fixed · 0 resolved by a person"
        )
        assert pull.threads[0].resolved
        assert "✅ **Fixed in" in pull.threads[0].comments[0].body
        assert not pull.threads[1].resolved

        await world.github.reply(pull.threads[1], "Are you sure?")
        await world.quiet()
        assert counts(world.sticky(pull)).startswith("1 open: 0 new, 1 still open")

        await world.github.resolve(pull.threads[1])
        await world.quiet()
        assert counts(world.sticky(pull)) == (
            "0 open: 0 new, 0 still open from earlier reviews · 1 fixed · 1 resolved by a person"
        )
        assert len(pull.threads) == 2
        assert len(reviews(pull)) == 1
    assert world.github.rejected == []


async def test_the_same_state_published_twice_costs_no_write(world: World) -> None:
    third_conversation(world)
    async with world.bot():
        pull = await world.open(number=1001)
        before = len(world.github.writes)
        await world.github.edit(pull, body="Another body; no AI used")
        await world.quiet()
        assert len(world.github.writes) == before


async def test_a_clean_pull_request_gets_a_green_check_and_no_review(world: World) -> None:
    world.repo.commit("main", CLEAN)
    world.repo.commit(
        "pr",
        {CHANGELOG: HISTORY + entry(1001, "Run again for power telemetry")},
        start="main",
    )
    async with world.bot():
        pull = await world.open(number=1001)
    assert (pull.threads, pull.reviews) == ([], [])
    assert [(run.conclusion, run.title) for run in pull.check_runs] == [
        ("success", "nothing to fix")
    ]


async def test_an_applied_suggestion_fixes_its_finding(world: World) -> None:
    third_conversation(world)
    async with world.bot():
        pull = await world.open(number=1001)
        await world.github.apply_suggestion(pull.threads[0].comments[0])
        await world.quiet()
        assert pull.threads[0].resolved
        assert counts(world.sticky(pull)).startswith("1 open: 0 new, 1 still open")


async def test_a_missing_entry_is_closed_by_the_push_that_adds_it(world: World) -> None:
    world.repo.commit("main", CLEAN)
    world.repo.commit("pr", {FIRST: recipe("cedar-1p2d", "max-running-requests: 64")}, start="main")
    async with world.bot():
        pull = await world.open(number=1001)
        assert [rule_of(t) for t in pull.threads] == ["changelog/missing-entry"]
        world.repo.commit("pr", {CHANGELOG: HISTORY + entry(1001, "Cap running requests")})
        await world.push()
        body = pull.threads[0].comments[0].body
        assert f"✅ **Fixed in `{pull.head_sha[:7]}`.**" in body
        assert pull.check_runs[-1].conclusion == "success"


async def test_rebase_and_shifted_lines_repeat_nothing_although_somebody_replied(
    world: World,
) -> None:
    third_conversation(world)
    async with world.bot():
        pull = await world.open(number=1001)
        await world.github.reply(pull.threads[0], "Looking into it.")
        shifted = "# one\n" * 7 + recipe("cedar-1p2d", DRAFT_ONLY)
        world.repo.commit("main", {"docs.md": "news\n"})
        world.repo.commit(
            "rebased",
            {
                FIRST: shifted,
                SECOND: recipe("cedar-2p1d", DRAFT_ONLY),
                CHANGELOG: HISTORY + entry(1001, "Keep the draft KV cache in FP8"),
            },
            start="main",
        )
        await world.github.push(
            world.name, "main", world.repo.log("main")[0], source=world.repo.path
        )
        await world.github.push(
            world.name, "pr", world.repo.log("rebased")[0], source=world.repo.path
        )
        await world.quiet()
        assert [len(thread.comments) for thread in pull.threads] == [2, 1]
        assert len(reviews(pull)) == 1
        assert counts(world.sticky(pull)).startswith("2 open: 0 new, 2 still open")


async def test_a_draft_and_a_fork_are_reviewed_too(world: World) -> None:
    third_conversation(world)
    async with world.bot():
        await world.github.add_repository(world.name, world.repo.path)
        await world.github.add_repository("stranger/bench", world.repo.path, installed=False)
        pull = await world.open(number=1001, draft=True, head_repo="stranger/bench")
    assert len(pull.threads) == 2


async def test_without_a_policy_file_nothing_is_enforced(world: World) -> None:
    files = {**CLEAN}
    del files[".github/referee.yml"]
    world.repo.commit("main", files)
    world.repo.commit("pr", {CHANGELOG: HISTORY + entry(0, "x", "TBD")}, start="main")
    async with world.bot():
        pull = await world.open(number=1001)
    assert [run.conclusion for run in pull.check_runs] == ["neutral"]
    assert "add `.github/referee.yml` to enforce it" in world.sticky(pull)


async def test_a_policy_that_broke_leaves_the_last_good_one_in_force(world: World) -> None:
    third_conversation(world)
    good = world.repo.log("main")[0][:7]
    world.repo.commit("main", {".github/referee.yml": "mode: enforce\n"})
    async with world.bot():
        pull = await world.open(number=1001)
    assert f"`.github/referee.yml` as of `{good}`" in world.sticky(pull)
    assert [run.conclusion for run in pull.check_runs] == ["failure"]
