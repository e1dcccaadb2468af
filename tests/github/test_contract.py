"""The contract checks do find what is wrong, and GitHub's own examples pass as far as they can."""

import json
from dataclasses import replace
from typing import Any

import pytest

from bot.sandbox.api import ROUTES
from bot.sandbox.delivery import Delivery
from bot.sandbox.exchange import Exchange
from tests.github.contract import check_delivery, check_exchange, check_graphql
from tests.github.openapi import HERE, description

LIST = "/repos/{owner}/{repo}/issues/{issue_number}/comments"
GOOD = Exchange(
    method="POST",
    path="/repos/o/r/issues/1/comments",
    template=LIST,
    parameters={"owner": "o", "repo": "r", "issue_number": "1"},
    query=(),
    headers={},
    body={"body": "x"},
    status=422,
    answer={"message": "m", "documentation_url": "d", "errors": [{"code": "custom"}]},
)


def test_a_good_exchange_has_no_problem() -> None:
    assert check_exchange(GOOD) == []


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"body": None}, "expects a body"),
        ({"body": {}}, '"body" is a required property'),
        ({"body": {"body": 1}}, 'is not of type "string"'),
        ({"body": {"body": "x", "boby": "y"}}, "Unevaluated properties"),
        ({"body": b"{"}, "is no JSON"),
        ({"query": (("per_page", "1"),)}, "no query parameter per_page"),
        ({"parameters": {"issue_number": "one"}}, 'is not of type "integer"'),
        ({"status": 418}, "never answers 418"),
        ({"status": 0}, "never answers 0"),
        ({"status": 201, "answer": {"id": 1}}, "is a required property"),
        ({"status": 403, "answer": {"message": 1}}, 'is not of type "string"'),
        ({"answer": {"message": "m"}}, "anyOf"),
        ({"template": None}, "not one of the operations"),
    ],
)
def test_a_bad_exchange_is_explained(change: dict[str, Any], problem: str) -> None:
    found = check_exchange(replace(GOOD, **change))
    assert any(problem in it for it in found), found


def test_faults_are_excused_and_malformed_requests_only_when_wanted() -> None:
    made_up = replace(GOOD, status=502, answer=None, injected=True)
    assert check_exchange(made_up) == []
    assert check_exchange(replace(made_up, body={})) != []
    assert check_exchange(replace(GOOD, status=201, answer={}, lost=True)) == []
    wrong = replace(GOOD, body={})
    assert check_exchange(wrong, malformed=True) == []
    assert check_exchange(replace(wrong, status=201), malformed=True) != []


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ({"output": {"title": "t", "summary": "s", "annotations": [{}] * 51}}, "50 items"),
        ({"output": {"title": "t", "summary": "s", "text": None}}, "null"),
        ({"output": {"title": "t", "summary": "s", "sumary": "s"}}, "sumary"),
        ({"actions": [{"label": "x" * 21, "description": "d", "identifier": "i"}]}, "20"),
        ({"conclusion": "passed"}, "passed"),
    ],
)
def test_check_runs_are_read_deeply(body: dict[str, Any], problem: str) -> None:
    sent = replace(
        GOOD,
        template="/repos/{owner}/{repo}/check-runs",
        path="/repos/o/r/check-runs",
        parameters={"owner": "o", "repo": "r"},
        body={"name": "n", "head_sha": "f" * 40, **body},
    )
    found = check_exchange(sent)
    assert any(problem in it for it in found), found


@pytest.mark.parametrize(
    ("document", "variables", "problem"),
    [
        ("{ rateLimit { cost } }", {}, None),
        ("{ rateLimit { price } }", {}, "Cannot query field 'price'"),
        ("query($n: Int!) { nodes(ids: [$n]) { id } }", {"n": 1}, "expecting type"),
        ("query($n: ID!) { node(id: $n) { id } }", {}, "non-null type"),
        ("query($n: ID!) { node(id: $n) { id } }", {"n": "1", "m": 2}, "no variable $m"),
        ("mutation { resolveReviewThread(input: {}) { thread { id } } }", {}, "threadId"),
        ("{", {}, "Syntax Error"),
    ],
)
def test_documents_are_held_to_githubs_schema(
    document: str, variables: dict[str, Any], problem: str | None
) -> None:
    found = check_graphql(document, variables)
    assert found == [] if problem is None else problem in " ".join(found), found


def examples() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((HERE / "webhook_examples.json").read_text())
    return loaded


def delivery(name: str, payload: dict[str, Any]) -> Delivery:
    event, _, action = name.partition(".")
    return Delivery(1, "guid", event, action or None, b"", payload, "", None, None)


@pytest.mark.parametrize("name", sorted(examples()))
def test_a_payload_that_is_wrong_is_found(name: str) -> None:
    """Published examples lag behind the description, so they cannot be held to it whole."""
    payload = examples()[name]
    wrong = {**payload, "repository": {"id": "one"}, "sender": None, "installation": 1, "hook": 1}
    known = set(check_delivery(delivery(name, payload)))
    assert set(check_delivery(delivery(name, wrong))) - known


def test_an_unknown_webhook_is_found() -> None:
    assert check_delivery(delivery("star.created", {})) == ["GitHub has no webhook star-created."]


def test_every_endpoint_is_one_of_githubs_and_every_operation_is_served() -> None:
    served = {(route.template, route.method.lower()) for route in ROUTES}
    published = {
        (path, method) for path, methods in description()["paths"].items() for method in methods
    }
    assert served == published
