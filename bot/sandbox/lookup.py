"""Finding what a test or a person names."""

from bot.sandbox.site import Site
from bot.sandbox.state import PullRequest, Repository, State

Pull = int | PullRequest


class Lookup:
    """Repositories and pull requests of a site; a pull request by its number or by itself."""

    def __init__(self, site: Site) -> None:
        self.site = site

    @property
    def state(self) -> State:
        """What the sandbox remembers."""
        return self.site.state

    def repository(self, full_name: str) -> Repository:
        """A repository.

        Raises LookupError when there is none of that name.
        """
        found = self.state.repository(full_name)
        if found is None:
            raise LookupError(f"The sandbox has no repository {full_name}.")
        return found

    def pull_request(self, number: Pull, repository: str | None = None) -> PullRequest:
        """A pull request; name the repository when several have that number.

        Raises LookupError when there is no such pull request, or more than one.
        """
        if isinstance(number, PullRequest):
            return number
        found = [
            pull
            for pull in self.state.pulls()
            if pull.number == number and repository in (None, pull.repository.full_name)
        ]
        if len(found) != 1:
            raise LookupError(f"The sandbox has {len(found)} pull requests #{number}.")
        return found[0]

    async def settled(self) -> None:
        """Wait until every delivery under way has been answered."""
        await self.site.outbox.settled()
