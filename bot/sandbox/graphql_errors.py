"""What GraphQL answers when it refuses: GitHub gives each error a type."""

from graphql import GraphQLError

from bot.sandbox.delivery import Json


class TypedError(GraphQLError):
    """An error with GitHub's `type`, such as FORBIDDEN or NOT_FOUND."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def error_shape(error: GraphQLError) -> Json:
    """An error as GitHub sends it: the type stands beside the message."""
    shown: Json = dict(error.formatted)
    original = error.original_error or error
    if isinstance(original, TypedError):
        shown = {"type": original.kind, **shown, "extensions": {"saml_failure": False}}
    return shown
