"""What breaks on the operator's disk heals by itself, or is said on the pull request."""

from pathlib import Path

import pygit2
import pytest

from bot.damage import DamagedError
from bot.judge import Judges
from tests.journeys.conftest import World, reviews
from tests.journeys.test_commands import say
from tests.journeys.test_review import NUMBER, third_conversation


def damage(mirror: Path, repository: pygit2.Repository, path: str) -> None:
    """Overwrite one file's object in a mirror; the refs and commits stay whole."""
    victim = repository.revparse_single(f"pr:{path}").id
    loose = mirror / "objects" / str(victim)[:2] / str(victim)[2:]
    assert loose.is_file(), "a small fetch unpacks its objects"
    loose.chmod(0o600)
    loose.write_bytes(b"damaged")


async def test_a_mirror_that_is_damaged_between_two_reviews_is_made_again(world: World) -> None:
    third_conversation(world)
    path = "inferencex-e2e/perf-changelog.yaml"
    async with world.bot():
        pull = await world.open(number=NUMBER)
        before = len(world.github.writes)
        mirror = world.data_dir / "mirrors" / f"{world.name}.git"
        damage(mirror, world.repo.repository, path)
        await world.github.edit(pull, title="Another title")
        await world.quiet()
        assert len(world.github.writes) == before
    assert len(reviews(pull)) == 1
    assert pull.check_runs[-1].conclusion == "failure"


@pytest.mark.parametrize(
    ("question", "command", "answer"),
    [
        ("policy", "/explain changelog/pr-link", "👀👍"),
        ("file", "/signoff", "👀👍 This is the checklist"),
        ("commits", "/use 5", "👀😕 Run `5` cannot be reused: this repository has no such run."),
        ("config_keys", "/unofficial cedar", "👀😕 No config key"),
    ],
)
async def test_a_command_heals_a_damaged_mirror_too(
    world: World, monkeypatch: pytest.MonkeyPatch, question: str, command: str, answer: str
) -> None:
    """Which objects a worker still knows depends on what it did, so the damage is told by name."""
    ask, damaged = getattr(Judges, question), [DamagedError("An object is missing.")]

    async def once(self: Judges, *given: object) -> object:
        if damaged:
            raise damaged.pop()
        return await ask(self, *given)

    third_conversation(world)
    world.repo.commit("main", {"docs/PR_REVIEW_CHECKLIST.md": "```\n- [ ] Seen\n```\n"})
    world.github.set_role("maintainer", "maintain")
    async with world.bot():
        pull = await world.open(number=NUMBER)
        kept = world.data_dir / "mirrors" / f"{world.name}.git" / "kept"
        kept.touch()
        monkeypatch.setattr(Judges, question, once)
        assert (await say(world, pull, command)).startswith(answer)
    assert (damaged, kept.exists()) == ([], False)
