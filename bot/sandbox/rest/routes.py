"""What an endpoint is: method, path, who may call it, and the function that answers."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from yarl import URL

from bot.sandbox.answers import Answer, RefusedError, not_found
from bot.sandbox.auth import Viewer
from bot.sandbox.delivery import Json
from bot.sandbox.installations import Installation
from bot.sandbox.permissions import FORBIDDEN, OPERATIONS
from bot.sandbox.site import Site
from bot.sandbox.state import Account, PullRequest, Repository

Identity = Literal["app", "installation"]


class Input(BaseModel):
    """A request body; GitHub ignores what it does not know."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


Model = TypeVar("Model", bound=Input)


@dataclass(frozen=True)
class Call:
    """One request, authenticated and matched to its endpoint."""

    site: Site
    viewer: Viewer
    parameters: Mapping[str, str]
    url: URL
    body: Json

    @property
    def bot(self) -> Account:
        """Who writes when an installation writes."""
        return self.site.state.app.bot

    @property
    def installation(self) -> Installation:
        """The calling installation."""
        if self.viewer.installation is None:
            raise RefusedError(401, "Requires authentication")
        return self.viewer.installation

    @property
    def repository(self) -> Repository:
        """The repository of the path.

        Raises RefusedError (404) when it is unknown or outside the installation.
        """
        name = f"{self.parameters['owner']}/{self.parameters['repo']}"
        found = self.site.state.repository(name)
        own = self.viewer.installation
        if found is None or found.installation is None or own not in (None, found.installation):
            raise not_found()
        return found

    @property
    def readable_pull(self) -> PullRequest:
        """The pull request of the path, also of a public repository without the App.

        Raises RefusedError (404).
        """
        name = f"{self.parameters['owner']}/{self.parameters['repo']}"
        found = self.site.state.repository(name)
        if found is None or found.installation is not None:
            return self.pull
        number = self.number("pull_number")
        if number not in found.pulls:
            raise not_found()
        return found.pulls[number]

    @property
    def pull(self) -> PullRequest:
        """The pull request of the path, by its number as a pull request or as an issue."""
        number = self.parameters.get("pull_number") or self.parameters.get("issue_number", "")
        found = self.repository.pulls.get(int(number)) if number.isdecimal() else None
        if found is None:
            raise not_found()
        return found

    def number(self, name: str) -> int:
        """A numeric path parameter.

        Raises RefusedError (404) when it is no number.
        """
        value = self.parameters[name]
        if not value.isdecimal():
            raise not_found()
        return int(value)

    def read(self, model: type[Model]) -> Model:
        """The body as a model.

        Raises RefusedError (422) with GitHub's sentences.
        """
        try:
            return model.model_validate(self.body)
        except ValidationError as error:
            problems = "\n".join(_problem(item) for item in error.errors())
            raise RefusedError(422, f"Invalid request.\n\n{problems}") from error


def _problem(item: object) -> str:
    """One sentence in GitHub's manner about one of pydantic's errors."""
    assert isinstance(item, dict)
    kind, context = item["type"], item.get("ctx", {})
    name = ".".join(str(part) for part in item["loc"])
    if kind == "missing":
        return f'"{name}" wasn\'t supplied.'
    if kind == "too_long":
        limit, got = context["max_length"], context["actual_length"]
        return f"No more than {limit} items are allowed; {got} were supplied."
    if kind == "string_too_long":
        limit, got = context["max_length"], len(item["input"])
        return f"Only {limit} characters are allowed; {got} were supplied."
    return f"For '{name}': {item['msg']}."


Endpoint = Callable[[Call], Awaitable[Answer]]


@dataclass(frozen=True)
class Route:
    """An endpoint; the permissions that it needs are in `bot.sandbox.permissions`."""

    method: str
    template: str
    endpoint: Endpoint
    identity: Identity

    def check(self, viewer: Viewer) -> None:
        """Refuse a viewer that may not call this.

        Raises RefusedError (401 or 403).
        """
        if self.identity == "app" and viewer.installation is not None:
            raise RefusedError(401, "A JSON web token could not be decoded")
        if self.identity == "app":
            return
        if viewer.installation is None:
            raise RefusedError(401, "Requires authentication")
        needs = OPERATIONS[self.method, self.template]
        if needs and not viewer.installation.may(*needs):
            # https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api#resource-not-accessible
            headers = {"X-Accepted-GitHub-Permissions": "; ".join(needs)}
            raise RefusedError(403, FORBIDDEN, headers=headers)


@dataclass
class Routes:
    """The endpoints of one area."""

    listed: list[Route] = field(default_factory=list)

    def add(
        self, method: str, template: str, identity: Identity = "installation"
    ) -> Callable[[Endpoint], Endpoint]:
        """Register the decorated function under a path as GitHub's description spells it."""

        def register(endpoint: Endpoint) -> Endpoint:
            self.listed.append(Route(method, template, endpoint, identity))
            return endpoint

        return register
