"""The parts of the sandbox that everything needs: its state, its outbox, its faults."""

from dataclasses import dataclass

from bot.sandbox.delivery import Delivery, Json
from bot.sandbox.faults import Faults
from bot.sandbox.shapes.pulls import pull_request
from bot.sandbox.state import Account, PullRequest, State
from bot.sandbox.webhooks import Outbox


@dataclass(frozen=True)
class Site:
    """One running sandbox."""

    state: State
    outbox: Outbox
    faults: Faults

    async def tell(
        self, action: str, pull: PullRequest, sender: Account, **more: object
    ) -> list[Delivery]:
        """Deliver a `pull_request` event."""
        shown = await pull_request(self.state, pull)
        content: Json = {"action": action, "number": pull.number, "pull_request": shown, **more}
        return self.outbox.send("pull_request", content, pull.repository, sender)
