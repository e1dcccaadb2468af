"""What the payloads of all deliveries have in common, as far as it is read."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from bot.keys import Key, PullRequestKey


@dataclass(frozen=True, slots=True)
class Told:
    """What a delivery tells of a pull request's head, or of what somebody said before it.

    Args:
        number: of the pull request.
        at: when it was so, or was said, as GitHub writes times; "" if it does not say.
        head: the commit that is its head; "" in deliveries that do not tell.
        said: a comment that may be a sign-off: its place, id and version.

    """

    number: int
    at: str
    head: str = ""
    said: tuple[str, int, str] | None = None


class Part(BaseModel):
    """A part of a payload, of which only the named fields are read."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")


class Id(Part):
    """Something with an id."""

    id: int = Field(gt=0, lt=2**63)


class Repository(Part):
    """The repository that a delivery is about."""

    full_name: str = Field(pattern=r"^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$", max_length=256)


class Envelope(Part):
    """What every delivery may carry, whatever its event."""

    action: str | None = None
    installation: Id | None = None
    repository: Repository | None = None

    def attention(self, app_id: int, guid: str) -> tuple[Key, ...]:
        """Return what App `app_id` should look at because of delivery `guid`: here nothing."""
        del app_id, guid
        return ()

    def told(self) -> Told | None:
        """Return what is to be remembered in the order of the deliveries: here nothing."""
        return None


class Number(Part):
    """A pull request, by its number."""

    number: int = Field(gt=0, lt=2**31)


class ForRepository(Envelope):
    """A delivery that an App gets about a repository: all three are always there."""

    action: str
    installation: Id
    repository: Repository

    def pull_request_key(self, number: int) -> PullRequestKey:
        """Return the key of a pull request of this repository."""
        return PullRequestKey(self.installation.id, self.repository.full_name, number)
