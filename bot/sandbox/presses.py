"""Buttons that people press on github.com; each waits for the deliveries that it causes."""

from bot.sandbox import checks
from bot.sandbox.delivery import Delivery
from bot.sandbox.lookup import Lookup, Pull
from bot.sandbox.suites import CheckRun


class Presses(Lookup):
    """Check suites and runs asked for again, deliveries repeated."""

    async def rerequest_check_suite(
        self,
        pull: Pull,
        user: str = "maintainer",
        *,
        app_id: int | None = None,
        with_pulls: bool = True,
    ) -> None:
        """Press "Re-run all checks" at the pull request's head.

        `app_id` makes it the suite of another App; `with_pulls=False` leaves `pull_requests`
        empty, as GitHub does for forks.
        """
        it, who = self.pull_request(pull), self.state.account(user)
        place = (self.site, it.repository, it.head_sha, who)
        checks.rerequest_suite(*place, app_id=app_id, with_pulls=with_pulls)
        await self.settled()

    async def rerequest_check_run(
        self, run: CheckRun, user: str = "maintainer", *, with_pulls: bool = True
    ) -> None:
        """Press "Re-run" on a check run."""
        who = self.state.account(user)
        checks.tell_run(self.site, "rerequested", run, who, with_pulls=with_pulls)
        await self.settled()

    async def press_check_run_button(
        self, run: CheckRun, identifier: str, user: str = "maintainer"
    ) -> None:
        """Press one of the run's own buttons.

        Raises LookupError when it shows no such button.
        """
        checks.press_button(self.site, run, identifier, self.state.account(user))
        await self.settled()

    async def ping(self) -> None:
        """Deliver a ping."""
        self.site.outbox.ping()
        await self.settled()

    async def redeliver(self, delivery: Delivery) -> Delivery:
        """Press "Redeliver" in the App's settings."""
        again = self.site.outbox.redeliver(delivery)
        await self.settled()
        return again
