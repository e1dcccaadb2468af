"""What can go wrong between Referee and GitHub; each text is one sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

_LOCKED = re.compile(r"\blocked\b")  # "blocked" is another trouble
_ENDED = re.compile(r"suspended|archived|access blocked")
_NOT_ACCESSIBLE = "not accessible by integration"


class GitHubError(Exception):
    """Something went wrong between Referee and GitHub."""

    @property
    def lacks(self) -> str | None:
        """The permissions that the App was not given, such as "actions=write"; None if it was.

        https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api#resource-not-accessible
        """
        return None


class ForeignHostError(GitHubError):
    """An address leads to a server that must not see a token."""


class GitHubUnreachable(GitHubError):  # noqa: N818
    """No usable answer came; `maybe_done` says that GitHub may have acted all the same.

    Whoever wrote something then reads the state again instead of repeating the request.
    """

    passing = True

    def __init__(self, sentence: str, *, maybe_done: bool) -> None:
        self.maybe_done = maybe_done
        super().__init__(sentence)


class AnswerTooLong(GitHubUnreachable):
    """The answer is longer than anything that is read."""


class GitHubRefused(GitHubError):  # noqa: N818
    """GitHub answered `status` (3xx or 4xx) with `message`; nothing was done."""

    def __init__(
        self,
        request: str,
        status: int,
        message: str,
        documentation_url: str | None = None,
        needed: str | None = None,
    ) -> None:
        self.status = status
        self._needed = needed
        self.message = message
        self.documentation_url = documentation_url
        more = f" (see {documentation_url})" if documentation_url else ""
        super().__init__(f"GitHub refused {request}: {status} {message.rstrip('.')}{more}.")

    @property
    def lacks(self) -> str | None:
        """See `GitHubError`."""
        if self.status == 403 and _NOT_ACCESSIBLE in self.message:
            return self._needed or "?"
        return None

    @property
    def passing(self) -> bool:
        """Whether it is our credentials that are refused, which an operator or GitHub repairs."""
        return self.status == 401

    @property
    def locked(self) -> bool:
        """Whether nobody may say anything there until a maintainer unlocks the conversation.

        https://docs.github.com/en/communities/moderating-comments-and-conversations/locking-conversations
        """
        return self.status == 403 and _LOCKED.search(self.message) is not None

    @property
    def gone(self) -> bool:
        """Whether what was asked for was deleted or archived, or the App removed or suspended.

        GitHub blocks repositories with 451 or 403. Asking again brings nothing back; what does come
        back is found by `bot.reconcile`.
        https://docs.github.com/en/apps/maintaining-github-apps/suspending-a-github-app-installation
        """
        ended = self.status == 403 and _ENDED.search(self.message) is not None
        return self.status in {404, 410, 451} or ended


class GitHubBusy(GitHubRefused):
    """A rate limit asks to wait `retry_after` seconds, longer than a request may wait."""

    def __init__(self, request: str, status: int, message: str, retry_after: float) -> None:
        self.retry_after = retry_after
        super().__init__(request, status, f"{message.rstrip('.')}; try in {retry_after:.0f} s")

    @property
    def passing(self) -> bool:
        """Say yes: a limit ends."""
        return True


class GraphQLError(GitHubError):
    """GraphQL answered with errors; `types` holds their types, such as FORBIDDEN."""

    def __init__(self, errors: Sequence[dict[str, Any]], data: Any = None) -> None:
        self.errors = tuple(errors)
        self.data = data
        self.types = tuple(str(error.get("type", "")) for error in self.errors)
        messages = "; ".join(str(error.get("message", "")).rstrip(".") for error in self.errors)
        super().__init__(f"GitHub's GraphQL refused the request: {messages}.")

    @property
    def lacks(self) -> str | None:
        """See `GitHubError`; GraphQL does not say which."""
        return "?" if _NOT_ACCESSIBLE in str(self) else None
