"""The App, where it is installed, and its tokens, as the sandbox remembers them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.sandbox.state import Account, Repository


@dataclass(eq=False)
class Installation:
    """The App installed on one account."""

    id: int
    account: Account
    permissions: dict[str, str]
    created_at: str
    suspended_at: str | None = None
    repositories: list[Repository] = field(default_factory=list)
    used: set[tuple[str, ...]] = field(default_factory=set)

    def allows(self, permission: str) -> bool:
        """Whether a permission such as `checks=write` is granted; write includes read."""
        name, _, level = permission.partition("=")
        return self.permissions.get(name) in (("write",) if level == "write" else ("read", "write"))

    def may(self, *needs: str) -> bool:
        """Whether it may do what any one of these permissions allows; notes that it wanted to."""
        self.used.add(needs)
        return any(self.allows(permission) for permission in needs)


@dataclass(frozen=True)
class App:
    """The registered GitHub App."""

    id: int
    slug: str
    owner: Account
    bot: Account
    permissions: dict[str, str]
    events: tuple[str, ...]
    created_at: str


@dataclass
class Token:
    """An installation access token."""

    installation: Installation
    expires_at: float
