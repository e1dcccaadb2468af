"""Who is in a team, as far as GitHub tells."""

from bot.keys import PullRequestKey
from bot.teams import Teams
from tests.bot.test_publish import NAME, Place, place

__all__ = ["place"]
OWNERS = ("@nina", "@example/NVIDIA", "@example/none", "@other/team", "mail@example.org")


async def test_teams_of_the_organisation_are_read_once(place: Place) -> None:
    now = [0.0]
    teams, key = Teams(lambda: now[0]), PullRequestKey(7, NAME, 1)
    place.sandbox.set_team("example/nvidia", "nadia", "noa")
    for _ in range(2):
        assert await teams.members(place.client, key, OWNERS) == {
            "@example/NVIDIA": ("nadia", "noa"),
            "@example/none": None,
            "@other/team": None,
        }
    asked = [each.path for each in place.sandbox.requests if each.path.startswith("/orgs/")]
    assert asked == ["/orgs/example/teams/NVIDIA/members", "/orgs/example/teams/none/members"]
    now[0] = 301.0
    place.sandbox.set_team("example/nvidia", "noa")
    found = await teams.members(place.client, key, OWNERS)
    assert found["@example/NVIDIA"] == ("noa",)
