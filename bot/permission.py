"""What somebody may do in a repository; GitHub's association of a comment decides nothing.

https://docs.github.com/en/rest/collaborators/collaborators#get-repository-permissions-for-a-user
"""

from __future__ import annotations

from collections.abc import Callable

from cachetools import TTLCache

from bot.github import Client, GitHubRefused
from checks.policy_types import ROLES, Role, at_least

__all__ = ["ROLES", "Role", "Roles", "at_least"]
_SECONDS = 60.0
_MOST = 4096


class Roles:
    """Knows people's roles, for a minute each."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._known: TTLCache[tuple[str, str], Role] = TTLCache(_MOST, _SECONDS, clock)

    async def role(self, client: Client, repository: str, login: str) -> Role:
        """Return somebody's role in a repository; "none" for an account that is gone.

        Raises GitHubError: GitHub did not answer, or does not tell us.
        """
        key = (repository, login.lower())
        if key not in self._known:
            self._known[key] = await _role(client, repository, login)
        return self._known[key]


async def _role(client: Client, repository: str, login: str) -> Role:
    if not login:
        return "none"
    place = {"repository": repository, "login": login}
    url = "/repos/{+repository}/collaborators/{login}/permission"
    try:
        answer = await client.getitem(url, place)
    except GitHubRefused as error:
        if error.status != 404:  # there is nobody of that name any more
            raise
        return "none"
    # An organisation's own role has a name of its own; the permission says what it includes.
    known = (answer.get("role_name"), answer["permission"])
    return next((role for name in known for role in ROLES if role == name), "none")
