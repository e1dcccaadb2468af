"""GitHub's OpenAPI 3.0 description as JSON Schema that jsonschema-rs can check."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs

HERE = Path(__file__).parent
Json = dict[str, Any]
COMBINED = ("allOf", "anyOf", "oneOf")


def modern(node: Any) -> Any:
    """OpenAPI 3.0's `nullable` in the terms of JSON Schema 2020-12."""
    if isinstance(node, list):
        return [modern(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {key: modern(value) for key, value in node.items() if key != "nullable"}
    if node.get("nullable") is not True:
        return kept
    if isinstance(kept.get("type"), str) and not any(key in kept for key in COMBINED):
        enumerated = {"enum": [*kept["enum"], None]} if "enum" in kept else {}
        return {**kept, **enumerated, "type": [kept["type"], "null"]}
    return {"anyOf": [kept, {"type": "null"}]}


@cache
def description() -> Json:
    """The slim description, modernised."""
    loaded: Json = json.loads((HERE / "openapi.json").read_text())
    correct(loaded)
    modernised: Json = modern(loaded)
    return modernised


def correct(loaded: Json) -> None:
    """Mend what the published description gets wrong; the list is to stay this short."""
    # It wants the account of a listed installation to be a user AND an enterprise at once
    # (`allOf`); everywhere else, and on github.com, it is one of the two (`anyOf`).
    listed = loaded["paths"]["/app/installations"]["get"]["responses"]["200"]
    account = listed["content"]["application/json"]["schema"]["items"]["properties"]["account"]
    account["anyOf"] = account.pop("allOf")
    # It wants a number where GitHub sends null once a comment is outdated; its own schema of the
    # `pull_request_review_comment` webhook has the null.
    comment = loaded["components"]["schemas"]["pull-request-review-comment"]["properties"]
    comment["line"]["nullable"] = True
    # It wants one time where it documents a range, such as `>=2026-11-30`.
    del loaded["components"]["parameters"]["created"]["schema"]["format"]


def follow(node: Json) -> Json:
    """The node itself, or what its `$ref` names."""
    while "$ref" in node:
        found: Any = description()
        for step in node["$ref"].removeprefix("#/").split("/"):
            found = found[step]
        node = found
    return node


def closed(node: Any, *, whole: bool = True) -> Any:
    """A request schema that refuses fields which GitHub does not know."""
    if not isinstance(node, dict):
        return node
    kept = {key: value for key, value in node.items() if key != "additionalProperties"}
    if "properties" in kept:
        kept["properties"] = {name: closed(value) for name, value in kept["properties"].items()}
    if "items" in kept:
        kept["items"] = closed(kept["items"])
    for key in COMBINED:
        if key in kept:
            kept[key] = [closed(branch, whole=False) for branch in kept[key]]
    open_map = isinstance(node.get("additionalProperties"), dict)
    if whole and not open_map and any(key in kept for key in ("properties", *COMBINED)):
        kept["unevaluatedProperties"] = False
    return kept


@cache
def _validator(text: str) -> Any:
    schema = {**json.loads(text), "components": description()["components"]}
    return jsonschema_rs.Draft202012Validator(
        schema, validate_formats=True, ignore_unknown_formats=True
    )


def problems(schema: Json, value: Any, where: str) -> Iterator[str]:
    """Every way in which a value breaks a schema."""
    for error in _validator(json.dumps(schema, sort_keys=True)).iter_errors(value):
        place = "/".join(str(step) for step in error.instance_path)
        text = error.message if len(error.message) < 300 else f"… {error.message[-300:]}"
        yield f"{where}: {place or 'it'}: {text}"
