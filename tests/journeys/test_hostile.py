"""What a pull request contains is shown, and never obeyed."""

import html
import re

from markdown_it import MarkdownIt

from checks.markers import read_finding, read_memory
from tests.journeys.conftest import DISCLOSED, World, rule_of
from tests.journeys.policies import CHANGELOG, CLEAN, HISTORY, RECIPES

EVIL = (
    "<!-- referee:sticky -->`` ``` @octocat <img src=x onerror=alert(1)> [x](http://evil) \\u202e#1"
)


async def test_hostile_words_stay_inert_in_every_comment(world: World) -> None:
    """https://github.com/jeswr/agent-account-registry/issues/137 reposted its own marker."""
    bad = HISTORY + (
        f'\n- config-keys:\n    - "{EVIL}"\n  description:\n    - "x"\n'
        f'  "{EVIL}": 1\n  pr-link: "{EVIL}"\n'
    )
    world.repo.commit("main", CLEAN)
    world.repo.commit("pr", {CHANGELOG: bad}, start="main")
    async with world.bot():
        pull = await world.open(number=1001, title=EVIL, body=f"{EVIL} {DISCLOSED}")
    bodies = [thread.comments[0].body for thread in pull.threads]
    assert {rule_of(thread) for thread in pull.threads} == {
        "changelog/pr-link", "changelog/schema", "changelog/unknown-config-key",
    }  # fmt: skip
    for body in bodies:
        assert read_finding(body) is not None
        assert body.count("<!-- referee:") == 1
        shown = MarkdownIt("commonmark").render(body.split("\n", 1)[1])
        prose = re.sub(r"<(code|pre)[^>]*>.*?</\1>", "", shown, flags=re.DOTALL)
        for trap in ("octocat", "<img", "evil", "referee:sticky"):
            assert trap not in html.unescape(prose), prose
    sticky = world.sticky(pull)
    assert sticky.count("<!-- referee:sticky -->") == 1
    assert len(read_memory(sticky).open) == len(bodies)


async def test_more_files_than_githubs_api_lists_are_all_judged(world: World) -> None:
    """The files API stops at 3,000 files, and large ones come without a patch."""
    filler = {f"notes/{number:04}.md": f"{number}\n" for number in range(3_100)}
    large = "".join(f"# {number}\n" for number in range(30_000))
    world.repo.commit("main", CLEAN)
    world.repo.commit(
        "pr",
        {**filler, "large.yaml": large, f"{RECIPES}/zz.yaml": "a: [1\n", CHANGELOG: HISTORY + "\n"},
        start="main",
    )
    async with world.bot():
        pull = await world.open(number=1001)
    assert "changelog/bytes" in {rule_of(thread) for thread in pull.threads}
    assert "changed files: 3103" in world.sticky(pull)
    assert world.github.rejected == []


async def test_a_renamed_changelog_is_not_a_way_around_the_rules(world: World) -> None:
    """https://github.com/palantir/policy-bot/issues/225: both sides of a rename count."""
    world.repo.commit("main", CLEAN)
    world.repo.commit("pr", {CHANGELOG: None, "elsewhere.yaml": HISTORY}, start="main")
    async with world.bot():
        pull = await world.open(number=1001)
    assert [run.conclusion for run in pull.check_runs] == ["failure"]
    assert "`changelog/history-edited`" in world.sticky(pull)
