"""The sample pull request: every rule speaks, in the exact words, in both languages."""

from bot import sample
from bot.sandbox.state import PullRequest
from checks.registry import all_rules
from tests.goldens import assert_golden
from tests.journeys.conftest import World, rule_of

# What cannot be wrong together with all the rest.
SILENT = {
    "policy/no-layout",
    # Rules of the layout of autumn 2026; the sample has that of summer.
    "pull-request/disclosure-missing",
    "recipe/events-metrics-off",
    "recipe/legacy-setting",
}


def conversation(pull: PullRequest, url: str) -> str:
    """Return all that people read, with the sandbox's address made constant."""
    parts = [f"# Review\n\n{review.body}" for review in pull.reviews]
    for thread in pull.threads:
        place = f"{thread.path}:{thread.original_start_line or ''}-{thread.original_line}"
        parts.append(f"# {place}\n\n{thread.comments[0].body}")
    parts += [f"# Comment\n\n{comment.body}" for comment in pull.comments]
    for run in pull.check_runs:
        parts.append(f"# Check run: {run.conclusion}\n\n{run.title}\n\n{run.summary}")
    return "\n\n".join(parts).replace(url, "https://github.test") + "\n"


async def opened(world: World) -> PullRequest:
    number = await world.github.open_pull_request(
        world.name,
        sample.BRANCH,
        "main",
        sample.TITLE,
        sample.BODY,
        number=sample.NUMBER,
        labels=sample.LABELS,
    )
    await world.quiet()
    return world.github.pull_request(number)


async def test_the_conversation_to_the_byte(sample_world: World) -> None:
    async with sample_world.bot():
        pull = await opened(sample_world)
    assert_golden("conversation.md", conversation(pull, sample_world.github.url))
    assert sample_world.github.rejected == []


async def test_every_rule_speaks_in_the_sample(sample_world: World) -> None:
    async with sample_world.bot():
        pull = await opened(sample_world)
    said = {rule_of(thread) for thread in pull.threads}
    said |= {rule.name for rule in all_rules() if f"`{rule.name}`" in sample_world.sticky(pull)}
    assert said == {rule.name for rule in all_rules()} - SILENT
