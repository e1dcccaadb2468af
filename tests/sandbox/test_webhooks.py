"""Signed deliveries, their log, and their redelivery."""

import hashlib
import hmac
import json

from bot.sandbox import Sandbox
from bot.sandbox.state import PullRequest
from tests.gitkit import GitRepo
from tests.sandbox.conftest import NAME, Client, Receiver


async def test_a_delivery_is_signed_and_complete(github: Sandbox, receiver: Receiver) -> None:
    headers, body = receiver.got[-1]
    payload = json.loads(body)
    assert (headers["X-GitHub-Event"], payload["action"]) == ("pull_request", "opened")
    for header, algorithm in (("X-Hub-Signature-256", "sha256"), ("X-Hub-Signature", "sha1")):
        wanted = hmac.new(github.webhook_secret.encode(), body, algorithm).hexdigest()
        assert headers[header] == f"{algorithm}={wanted}"
    assert headers["User-Agent"].startswith("GitHub-Hookshot/")
    assert headers["Content-Type"] == "application/json"
    assert headers["X-GitHub-Hook-Installation-Target-ID"] == str(github.app_id)
    assert payload["installation"]["id"] == github.state.installations[0].id
    assert (payload["repository"]["full_name"], payload["sender"]["login"]) == (NAME, "author")
    assert hashlib.sha256(body).hexdigest() in {
        hashlib.sha256(it.body).hexdigest() for it in github.deliveries
    }


async def test_every_delivery_has_its_own_guid(github: Sandbox) -> None:
    await github.ping()
    guids = [delivery.guid for delivery in github.deliveries]
    assert len(set(guids)) == len(guids) == 3


async def test_what_went_wrong_is_in_the_log(
    client: Client, github: Sandbox, receiver: Receiver
) -> None:
    receiver.status = 503
    await github.comment(1, "one")
    receiver.status, receiver.delay, github.site.outbox.timeout = 202, 0.2, 0.05
    await github.comment(1, "two")
    github.webhook_url = "http://127.0.0.1:1/webhook"
    await github.comment(1, "three")
    github.webhook_url = None
    await github.comment(1, "four")
    listed = (await client.get("/app/hook/deliveries?per_page=4", app=True)).body
    assert [(it["status_code"], it["status"]) for it in reversed(listed)] == [
        (503, "Invalid HTTP Response: 503"),
        (504, "timed out"),
        (502, "failed to connect to host"),
        (502, "failed to connect to host"),
    ]
    failed = await client.get("/app/hook/deliveries?status=failure", app=True)
    assert len(failed.body) == 4
    one = await client.get(f"/app/hook/deliveries/{listed[-1]['id']}", app=True)
    assert one.body["request"]["payload"]["comment"]["body"] == "one"


async def test_the_log_is_read_by_cursor(client: Client, github: Sandbox) -> None:
    for number in range(3):
        await github.comment(1, str(number))
    seen: list[int] = []
    path = "/app/hook/deliveries?per_page=2"
    while path:
        answer = await client.get(path, app=True)
        seen += [it["id"] for it in answer.body]
        link = answer.headers.get("Link", "")
        path = link[1 : link.index(">")].removeprefix(github.api_url) if link else ""
    assert seen == sorted((it.id for it in github.deliveries), reverse=True)


async def test_a_redelivery_keeps_the_guid(
    client: Client, github: Sandbox, receiver: Receiver
) -> None:
    first = github.deliveries[-1]
    answer = await client.post(f"/app/hook/deliveries/{first.id}/attempts", app=True)
    assert answer.status == 202
    await github.settled()
    again = github.deliveries[-1]
    assert (again.guid, again.redelivery, again.status) == (first.guid, True, "OK")
    assert receiver.got[-1][1] == first.body
    assert (await client.post("/app/hook/deliveries/1/attempts", app=True)).status == 404
    assert (await github.redeliver(first)).status == "OK"


async def test_deliveries_are_lost_and_repeated_on_demand(
    github: Sandbox, receiver: Receiver
) -> None:
    before = len(receiver.got)
    github.faults.lose_deliveries(event="issue_comment")
    github.faults.repeat_deliveries(copies=3, event="issue_comment")
    await github.add_label(1, "x")
    await github.comment(1, "lost")
    assert github.deliveries[-1].status_code == 504
    await github.comment(1, "repeated")
    await github.comment(1, "once")
    events = receiver.events()[before:]
    assert events == ["pull_request.labeled"] + ["issue_comment.created"] * 4
    guids = [headers["X-GitHub-Delivery"] for headers, _ in receiver.got[before + 1 :]]
    assert len(set(guids)) == 2


async def test_only_subscribed_events_of_installed_repositories_are_sent(
    github: Sandbox, receiver: Receiver, clone: GitRepo, pull: PullRequest
) -> None:
    await github.add_repository("fork/bench", clone.path, installed=False)
    before = len(receiver.got)
    await github.push("fork/bench", "feature", "main", source=clone.path)
    assert len(receiver.got) == before
    assert github.site.outbox.send("star", {}, pull.repository, pull.author) == []
