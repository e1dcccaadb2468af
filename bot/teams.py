"""Who is in a team that CODEOWNERS or the policy names.

https://docs.github.com/en/rest/teams/members#list-team-members, members of child teams included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import structlog
from cachetools import TTLCache

from bot.github import Client, GitHubBusy, GitHubRefused
from bot.keys import PullRequestKey

log = structlog.get_logger()
_SECONDS = 300.0
_MOST = 1024
MOST_TEAMS = 30
Members = tuple[str, ...] | None


class Teams:
    """Knows the members of teams, for five minutes each."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._known: TTLCache[tuple[int, str], Members] = TTLCache(_MOST, _SECONDS, clock)

    async def members(
        self, client: Client, key: PullRequestKey, owners: Iterable[str]
    ) -> dict[str, Members]:
        """Return the members of each team among some owners, as they are written there.

        None for a team that GitHub does not let us read, as it does not for those of another
        organisation; beyond 30 teams nobody looks.

        Raises GitHubError: GitHub did not answer.
        """
        teams = sorted({each for each in owners if each.startswith("@") and "/" in each})
        found: dict[str, Members] = dict.fromkeys(teams)
        own = f"@{key.repository.partition('/')[0]}/".lower()
        for team in [each for each in teams if each.lower().startswith(own)][:MOST_TEAMS]:
            which = (key.installation_id, team.lower())
            if which not in self._known:
                self._known[which] = await _members(client, team)
            found[team] = self._known[which]
        return found


async def _members(client: Client, team: str) -> Members:
    organisation, _, slug = team[1:].partition("/")
    place = {"organisation": organisation, "slug": slug, "per_page": "100"}
    url = "/orgs/{organisation}/teams/{slug}/members{?per_page}"
    try:
        return tuple([str(member["login"]) async for member in client.getiter(url, place)])
    except GitHubBusy:
        raise
    except GitHubRefused as error:
        log.warning("team_unreadable", team=team, reason=str(error))
        return None
