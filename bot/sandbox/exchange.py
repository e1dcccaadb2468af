"""The log of what the bot asked and what it was told."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from graphql import GraphQLError, OperationDefinitionNode, OperationType, parse


@dataclass
class Exchange:
    """One API request and its answer.

    `path` starts after the API's base; `template` is the path as GitHub's description spells it,
    or None when the sandbox does not know it. `status` is 0 when no work was done and no answer
    given; `injected` marks answers that a fault made up, `lost` those that never arrived.
    """

    method: str
    path: str
    template: str | None
    parameters: Mapping[str, str]
    query: tuple[tuple[str, str], ...]
    headers: Mapping[str, str]
    body: Any
    status: int = 0
    answer: Any = None
    answer_headers: Mapping[str, str] = field(default_factory=dict)
    injected: bool = False
    lost: bool = False

    @property
    def writes(self) -> bool:
        """Whether it asks for a change that people can see."""
        if self.template == "/graphql":
            return _mutates(self.body)
        return self.method != "GET" and not self.path.endswith("/access_tokens")

    @property
    def rejected(self) -> bool:
        """Whether the sandbox itself refused it."""
        return 400 <= self.status < 500 and not self.injected


def _mutates(body: Any) -> bool:
    """Whether a GraphQL request carries a mutation."""
    try:
        document = parse(body["query"])
    except (TypeError, KeyError, GraphQLError):
        return False
    operations = (it for it in document.definitions if isinstance(it, OperationDefinitionNode))
    return any(it.operation == OperationType.MUTATION for it in operations)
