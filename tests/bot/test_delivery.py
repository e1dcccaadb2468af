from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr, ValidationError

from bot.attention import PAYLOADS, read
from bot.delivery import (
    DeliveryError,
    DeliveryHeaders,
    check_headers,
    check_signature,
    read_payload,
)
from bot.keys import HeadKey, Key, NameKey, PullRequestKey, PushKey, RunKey, ShaKey
from bot.sandbox.sandbox import EVENTS, PERMISSIONS
from checks.permissions import wanted
from tests.kit import ROOT

from .conftest import APP_ID, INSTALLATION, pull_request, signed

EXAMPLES = json.loads(
    (Path(__file__).parents[1] / "github/webhook_examples.json").read_text(encoding="utf-8")
)
GUID = "72d3162e-cc78-11e3-81ab-4c9367dc0958"
SHA = "ab" * 20
OURS = {"app": {"id": APP_ID}, "head_sha": SHA}
ABOUT = {"installation": {"id": INSTALLATION}, "repository": {"full_name": "octo/bench"}}
PULL_7 = PullRequestKey(INSTALLATION, "octo/bench", 7)
HEAD_7 = HeadKey(INSTALLATION, "octo/bench", 7)


def keys(event: str, payload: dict[str, Any]) -> tuple[Any, ...]:
    return read(event, json.dumps(payload).encode()).attention(APP_ID, GUID)


@pytest.mark.parametrize(
    ("changed", "status", "sentence"),
    [
        ({"X-GitHub-Event": None}, 400, "The X-GitHub-Event header is missing"),
        ({"X-GitHub-Event": "Push!"}, 400, "The X-GitHub-Event header is not the name of an event"),
        ({"X-GitHub-Delivery": None}, 400, "The X-GitHub-Delivery header is missing"),
        ({"X-GitHub-Delivery": "1"}, 400, "The X-GitHub-Delivery header is not a GUID"),
        ({"X-GitHub-Delivery": f"{GUID}0"}, 400, "The X-GitHub-Delivery header is not a GUID"),
        ({"X-Hub-Signature-256": None}, 401, "The X-Hub-Signature-256 header is missing"),
        (
            {"X-Hub-Signature-256": None, "X-Hub-Signature": "sha1=" + "a" * 40},
            401,
            "Only a SHA-1 signature came",
        ),
        ({"X-Hub-Signature-256": "sha1=" + "a" * 40}, 401, "The X-Hub-Signature-256 header is not"),
        ({"X-Hub-Signature-256": "sha256=é" + "a" * 63}, 401, "The X-Hub-Signature-256 header"),
        ({"Content-Type": None}, 415, "The content type must be application/json"),
        ({"Content-Type": "application/x-www-form-urlencoded"}, 415, "The content type must be"),
        ({"Content-Type": "application/jsonp"}, 415, "The content type must be"),
        ({"Content-Length": str(25 * 1024 * 1024 + 1)}, 413, "The body has 26214401 bytes"),
    ],
)
def test_each_wrong_header_has_its_own_answer(
    changed: dict[str, str | None], status: int, sentence: str
) -> None:
    headers = {**signed(b"{}"), **changed}
    with pytest.raises(DeliveryError, match=sentence) as caught:
        check_headers({name: value for name, value in headers.items() if value is not None})
    assert caught.value.status == status
    assert str(caught.value).endswith(".")


def test_right_headers_are_read() -> None:
    given = {**signed(b"{}", guid=GUID.upper()), "Content-Type": "application/json; charset=utf-8"}
    headers = check_headers({**given, "Content-Length": "26214400"})
    assert (headers.guid, headers.event) == (GUID, "pull_request")


def check(signature: str, body: bytes, *secrets: str) -> None:
    check_signature(signature, body, [SecretStr(secret) for secret in secrets])


def test_any_live_secret_signs_and_no_other() -> None:
    # https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries#testing-the-webhook-payload-validation
    published = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    check(published, b"Hello, World!", "It's a Secret to Everybody")
    check(published, b"Hello, World!", "newer", "It's a Secret to Everybody")
    with pytest.raises(DeliveryError, match="does not fit the body"):
        check(published, b"Hello, World!", "newer", "older")
    with pytest.raises(DeliveryError, match="does not fit the body"):
        check(published, b"Hello, World?", "It's a Secret to Everybody")


def test_an_empty_secret_signs_nothing() -> None:
    signature = signed(b"x", secret="")["X-Hub-Signature-256"]
    with pytest.raises(DeliveryError, match="secret is empty"):
        check(signature, b"x", "")
    with pytest.raises(DeliveryError, match="does not fit"):
        check(signature, b"x")


@given(signature=st.text(), body=st.binary())
def test_no_signature_breaks_the_comparison(signature: str, body: bytes) -> None:
    with pytest.raises(DeliveryError):
        check(signature, body, "a secret")


@pytest.mark.parametrize(
    "action",
    [
        "ready_for_review",
        "converted_to_draft",
        "labeled",
        "unlabeled",
    ],
)
def test_pull_request_actions_that_need_a_look(action: str) -> None:
    assert keys("pull_request", pull_request(action)) == (PULL_7,)


@pytest.mark.parametrize("action", ["opened", "synchronize", "reopened"])
def test_a_new_head_needs_its_gate_before_the_look(action: str) -> None:
    assert keys("pull_request", pull_request(action)) == (HEAD_7, PULL_7)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"base": {"ref": {"from": "main"}}}, (HEAD_7, PULL_7)),
        ({"title": {"from": "old"}}, (PULL_7,)),
        ({"body": {"from": None}}, (PULL_7,)),
        ({}, ()),
        ({"other": 1}, ()),
    ],
)
def test_edits_that_need_a_look(changes: dict[str, Any], expected: tuple[Any, ...]) -> None:
    assert keys("pull_request", pull_request("edited", changes=changes)) == expected


def test_the_end_of_a_pull_request_is_news_to_others_with_its_head() -> None:
    ended = pull_request("closed", pull_request={"number": 7, "head": {"sha": SHA}})
    assert keys("pull_request", ended) == (ShaKey(INSTALLATION, "octo/bench", SHA), PULL_7)


@pytest.mark.parametrize("action", ["assigned", "locked"])
def test_pull_request_actions_that_do_not(action: str) -> None:
    assert keys("pull_request", pull_request(action)) == ()


@pytest.mark.parametrize("action", ["resolved", "unresolved"])
def test_threads_that_people_resolve(action: str) -> None:
    assert keys("pull_request_review_thread", pull_request(action)) == (PULL_7,)


@pytest.mark.parametrize(
    ("event", "action"),
    [
        ("check_run", "rerequested"),
        ("check_run", "requested_action"),
        ("check_suite", "rerequested"),
    ],
)
def test_the_rerun_button_of_our_checks_only(event: str, action: str) -> None:
    def sent(**checks: Any) -> tuple[Any, ...]:
        return keys(event, {"action": action, event: {**OURS, **checks}, **ABOUT})

    assert sent(pull_requests=[{"number": 7}, {"number": 9}]) == (
        PULL_7,
        PullRequestKey(INSTALLATION, "octo/bench", 9),
    )
    assert sent(pull_requests=[]) == (ShaKey(INSTALLATION, "octo/bench", SHA),)
    assert sent(pull_requests=[], app={"id": 1}) == ()
    assert sent(pull_requests=[], app=None) == ()


@pytest.mark.parametrize("action", ["created", "completed", "requested"])
def test_other_actions_of_checks_are_ignored(action: str) -> None:
    assert keys("check_run", {"action": action, "check_run": OURS, **ABOUT}) == ()
    assert keys("check_suite", {"action": action, "check_suite": OURS, **ABOUT}) == ()


@pytest.mark.parametrize("action", ["created", "completed"])
def test_another_app_may_use_a_name_of_ours(action: str) -> None:
    def sent(**run: Any) -> tuple[Any, ...]:
        app = {"id": 1, "slug": "other"}
        return keys(
            "check_run", {"action": action, "check_run": {**OURS, "app": app, **run}, **ABOUT}
        )

    assert sent(name="signoff") == (NameKey(INSTALLATION, "octo/bench", SHA, "signoff", "other"),)
    assert sent(name="") == sent(name="x" * 256) == ()
    assert sent(name="signoff", app=None) == ()


def test_a_status_may_have_a_name_of_ours() -> None:
    told = {"sha": SHA, "context": "a gate", "sender": {"login": "mallory"}, **ABOUT}
    assert keys("status", told) == (NameKey(INSTALLATION, "octo/bench", SHA, "a gate", "mallory"),)


RUN = RunKey(INSTALLATION, "octo/bench", 34, SHA)


@pytest.mark.parametrize("action", ["requested", "in_progress", "completed"])
def test_a_run_is_looked_at_soon(action: str) -> None:
    def sent(event: str) -> tuple[Key, ...]:
        run = {"id": 34, "event": event, "head_sha": SHA, "pull_requests": []}
        return keys("workflow_run", {"action": action, "workflow_run": run, **ABOUT})

    for event in ("pull_request", "pull_request_target", "push", "workflow_dispatch"):
        found, *review = sent(event)
        assert isinstance(found, RunKey)
        assert (found, found.soon) == (RUN, True)
        ended = ShaKey(INSTALLATION, "octo/bench", SHA)
        assert review == ([ended] if action == "completed" else []), "a label may wait for it"
    for event in ("issue_comment", "schedule", "workflow_run"):
        assert sent(event) == ()


@pytest.mark.parametrize("action", ["queued", "in_progress", "completed"])
def test_a_job_is_news_of_its_run_without_haste(action: str) -> None:
    job = {"id": 5, "run_id": 34, "head_sha": SHA}
    (found,) = keys("workflow_job", {"action": action, "workflow_job": job, **ABOUT})
    assert isinstance(found, RunKey)
    assert (found, found.soon) == (RUN, False)


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ({}, [PushKey(77, "octo/bench", "release/1", SHA)]),
        ({"ref": "refs/tags/v1"}, []),
        ({"deleted": True}, []),
        ({"before": "0" * 40}, []),
        ({"ref": "refs/heads/a b"}, []),
    ],
)
def test_a_push_asks_for_the_branch_that_moved(more: dict[str, Any], found: list[PushKey]) -> None:
    push = {"ref": "refs/heads/release/1", "before": SHA, "deleted": False, **ABOUT}
    assert list(keys("push", {**push, **more})) == found


def test_the_app_is_registered_for_exactly_what_is_read() -> None:
    manifest = json.loads((ROOT / "deploy/app-manifest.json").read_text())
    assert manifest["default_events"] == sorted(PAYLOADS)
    assert manifest["default_permissions"] == dict(sorted(PERMISSIONS.items())) == wanted()
    assert {*EVENTS} == {*PAYLOADS}, "the sandbox sends what the App gets"
    told = re.findall(r"([a-z]+(?: [a-z]+)?) (read|write)\b", _needed())
    assert {name.replace(" ", "_"): level for name, level in told} == PERMISSIONS


def _needed() -> str:
    """Return what the README says that the App needs, without what stands in brackets."""
    found = re.search(r"It needs: (.*?)\.\n", (ROOT / "README.md").read_text(), re.DOTALL)
    assert found is not None
    return " ".join(re.sub(r"\([^)]*\)", "", found[1]).split())


@pytest.mark.parametrize(
    "payload",
    [
        {"action": "opened", **ABOUT},
        pull_request(number=0),
        {**pull_request(), "pull_request": {"number": "7"}},
        {**pull_request(), "installation": None},
        {**pull_request(), "installation": {"id": 2**70}},
        {**pull_request(), "repository": {"full_name": "../../etc"}},
        {**pull_request(), "repository": {"full_name": "a/b\n"}},
    ],
)
def test_a_payload_that_github_would_not_send_is_an_error(payload: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        keys("pull_request", payload)


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"", "The body is not JSON."),
        (b"payload=%7B%7D", "The body is not JSON."),
        (b"\xff{}", "The body is not JSON."),
        (b"[" * 100_000, "The body is not JSON."),
        (b"[]", "The body is JSON but not an object."),
        (b"null", "The body is JSON but not an object."),
        (b'"text"', "The body is JSON but not an object."),
        (
            b'{"action": "opened"}',
            (
                "The payload of pull_request is not as GitHub documents it:"
                " installation: Field required."
            ),
        ),
    ],
)
def test_a_body_that_cannot_be_read_is_one_sentence(body: bytes, sentence: str) -> None:
    headers = DeliveryHeaders(GUID, "pull_request", "")
    with pytest.raises(DeliveryError) as caught:
        read_payload(headers, body, 0, APP_ID)
    assert (caught.value.status, str(caught.value)) == (400, sentence)


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_published_examples_are_read(name: str) -> None:
    payload = dict(EXAMPLES[name])
    event = name.partition(".")[0]
    # The examples were recorded from repository webhooks, which name no installation.
    payload.setdefault("installation", {"id": INSTALLATION})
    headers = DeliveryHeaders(GUID, event, "")
    delivery, found = read_payload(headers, json.dumps(payload).encode(), 1.5, APP_ID)
    assert (delivery.guid, delivery.event, delivery.received_at) == (GUID, event, 1.5)
    assert delivery.action == payload.get("action")
    if event == "pull_request":
        assert found[-1:] == (
            PullRequestKey(
                payload["installation"]["id"],
                payload["repository"]["full_name"],
                payload["pull_request"]["number"],
            ),
        )
