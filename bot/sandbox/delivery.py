"""What was sent to the bot, and how it went."""

from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]


@dataclass(eq=False)
class Delivery:
    """One attempt to deliver a webhook."""

    id: int
    guid: str
    event: str
    action: str | None
    body: bytes
    payload: Json
    delivered_at: str
    installation_id: int | None
    repository_id: int | None
    redelivery: bool = False
    status: str = "pending"
    status_code: int = 0
    duration: float = 0.0
    answer: str = ""
