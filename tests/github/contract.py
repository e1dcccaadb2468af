"""Whether an exchange with the sandbox is one that GitHub would have had.

Requests, answers and webhook payloads are held against GitHub's OpenAPI description, GraphQL
documents against its public schema.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from graphql import (
    GraphQLError,
    GraphQLSchema,
    OperationDefinitionNode,
    build_schema,
    parse,
    validate,
)
from graphql.execution import get_variable_values

from bot.sandbox.delivery import Delivery
from bot.sandbox.exchange import Exchange
from tests.github.openapi import HERE, Json, closed, description, follow, problems

# GitHub declares 4xx answers for few operations, yet gives these everywhere; their shape is
# that of the components named here. Nothing else may be undeclared.
# https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api
UNDECLARED = {
    "400": "basic-error",  # a body that is no JSON
    "401": "basic-error",  # no, wrong or expired credentials
    "403": "basic-error",  # a permission that the App lacks
    "404": "basic-error",  # something that the App may not see
    "410": "basic-error",  # logs that have expired
    "422": "validation-error-simple",  # an invalid check run
    "304": None,  # any GET with If-None-Match
}
# `errors` are objects in one description and texts in the other, and GitHub mixes them: the
# review endpoint sends texts, comment endpoints objects, check runs none.
EITHER_422 = [
    {"$ref": f"#/components/schemas/{name}"}
    for name in ("validation-error", "validation-error-simple")
]


def check_exchange(exchange: Exchange, *, malformed: bool = False) -> list[str]:
    """Every way in which a logged exchange is not GitHub's; empty when it is.

    Answers that a fault made up are not checked, nor is one that nobody got. `malformed` excuses
    requests of a wrong form that the sandbox refused.
    """
    refused = malformed and exchange.rejected
    name = f"{exchange.method} {exchange.path}"
    if exchange.template == "/graphql" and malformed:
        return []
    if exchange.template == "/graphql":
        body = exchange.body if isinstance(exchange.body, dict) else {}
        return check_graphql(body.get("query", ""), body.get("variables") or {})
    if exchange.template is None:
        return [] if refused else [f"{name}: not one of the operations that Referee uses."]
    operation = description()["paths"][exchange.template][exchange.method.lower()]
    found: list[str] = []
    if not refused:
        found = [*_parameters(operation, exchange), *_request(operation, exchange)]
    if not exchange.injected and not exchange.lost:
        found += _answer(operation, exchange)
    return [f"{name}: {problem}" for problem in found]


def _parameters(operation: Json, exchange: Exchange) -> Iterator[str]:
    known = [follow(parameter) for parameter in operation.get("parameters", [])]
    by_place = {(it["in"], it["name"]): it["schema"] for it in known}
    given = [("query", *pair) for pair in exchange.query]
    given += [("path", *pair) for pair in exchange.parameters.items()]
    for place, name, text in given:
        schema = by_place.get((place, name))
        if schema is None:
            yield f"GitHub knows no {place} parameter {name}."
        else:
            yield from problems(schema, _typed(text, follow(schema)), f"{place} {name}")


def _typed(text: str, schema: Json) -> Any:
    kind = schema.get("type")
    if kind == "integer" and text.isdecimal():
        return int(text)
    if kind == "boolean" and text in ("true", "false"):
        return text == "true"
    return text


def _request(operation: Json, exchange: Exchange) -> Iterator[str]:
    declared = operation.get("requestBody")
    if declared is None:
        if exchange.body not in (None, {}, b""):
            yield "GitHub expects no body here."
        return
    if exchange.body is None:
        if declared.get("required"):
            yield "GitHub expects a body here."
        return
    if isinstance(exchange.body, bytes):
        yield "the body is no JSON."
        return
    schema = declared["content"]["application/json"]["schema"]
    yield from problems(closed(schema), exchange.body, "request")


def _answer(operation: Json, exchange: Exchange) -> Iterator[str]:
    status = str(exchange.status)
    declared = operation["responses"].get(status)
    if declared is None and status not in UNDECLARED:
        yield f"GitHub never answers {status} here."
        return
    if status == "422":
        yield from problems({"anyOf": EITHER_422}, exchange.answer, "answer")
    elif declared is None:
        name = UNDECLARED[status]
        if name is not None:
            reference = {"$ref": f"#/components/schemas/{name}"}
            yield from problems(reference, exchange.answer, "answer")
    else:
        content = follow(declared).get("content", {}).get("application/json")
        if content is not None:
            yield from problems(content["schema"], exchange.answer, "answer")
        elif exchange.answer is not None:
            yield f"GitHub answers {status} without a body."


@cache
def graphql_schema() -> GraphQLSchema:
    """The types of GitHub's public schema that Referee uses."""
    return build_schema((HERE / "schema.graphql").read_text(), assume_valid=True)


def check_graphql(document: str, variables: Mapping[str, Any] | None = None) -> list[str]:
    """Every way in which GitHub would refuse a document or its variables."""
    try:
        parsed = parse(document)
    except GraphQLError as error:
        return [str(error)]
    found = [str(error) for error in validate(graphql_schema(), parsed)]
    if found or variables is None:
        return found
    for node in parsed.definitions:
        if isinstance(node, OperationDefinitionNode):
            declared = list(node.variable_definitions or ())
            unknown = set(variables) - {it.variable.name.value for it in declared}
            found += [f"The document declares no variable ${name}." for name in sorted(unknown)]
            coerced = get_variable_values(graphql_schema(), declared, dict(variables))
            found += [str(error) for error in coerced] if isinstance(coerced, list) else []
    return found


def check_delivery(delivery: Delivery) -> list[str]:
    """Every way in which a webhook payload is not GitHub's."""
    event = delivery.event.replace("_", "-")
    name = f"{event}-{delivery.action.replace('_', '-')}" if delivery.action else event
    webhook = description()["x-webhooks"].get(name)
    if webhook is None:
        return [f"GitHub has no webhook {name}."]
    schema = webhook["post"]["requestBody"]["content"]["application/json"]["schema"]
    return [f"{name}: {it}" for it in problems(schema, delivery.payload, "payload")]
