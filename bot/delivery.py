"""A webhook request becomes a Delivery, or is rejected with one sentence and a 4xx status."""

from __future__ import annotations

import hmac
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pydantic import SecretStr, ValidationError

from bot.attention import read
from bot.keys import Key
from bot.payloads import Told

# https://docs.github.com/en/webhooks/webhook-events-and-payloads#payload-cap
MOST_BYTES = 25 * 1024 * 1024
_GUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_EVENT = re.compile(r"[a-z][a-z0-9_]{0,63}")
_SIGNATURE = re.compile(r"sha256=[0-9a-f]{64}")
_ADVICE = "set the same secret in the App's webhook settings and in REFEREE_WEBHOOK_SECRETS"


class DeliveryError(Exception):
    """The request is not a delivery that Referee accepts: `status` 4xx and one sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        self.status = status
        super().__init__(sentence)


@dataclass(frozen=True, slots=True)
class DeliveryHeaders:
    """What the headers of a delivery say, in their required form."""

    guid: str
    event: str
    signature: str


@dataclass(frozen=True, slots=True)
class Delivery:
    """One signed delivery: `received_at` in seconds since 1970, `body` as GitHub sent it."""

    guid: str
    event: str
    action: str | None
    installation_id: int | None
    repository: str | None
    received_at: float
    body: bytes
    told: Told | None = None


def check_headers(headers: Mapping[str, str]) -> DeliveryHeaders:
    """Return what the headers say, before any of the body is read.

    `headers` are looked up as GitHub writes them; aiohttp's mapping ignores case.
    Raises DeliveryError.
    Source: https://docs.github.com/en/webhooks/webhook-events-and-payloads#delivery-headers
    """
    event = _required(headers, "X-GitHub-Event", _EVENT, "the name of an event")
    guid = _required(headers, "X-GitHub-Delivery", _GUID, "a GUID").lower()
    signature = _signature(headers)
    _check_content_type(headers.get("Content-Type", ""))
    _check_length(headers.get("Content-Length"))
    return DeliveryHeaders(guid, event, signature)


def _required(headers: Mapping[str, str], name: str, form: re.Pattern[str], what: str) -> str:
    value = headers.get(name)
    if value is None:
        raise DeliveryError(
            400, f"The {name} header is missing: only GitHub's deliveries are taken."
        )
    if not form.fullmatch(value):
        raise DeliveryError(400, f"The {name} header is not {what}.")
    return value


def _signature(headers: Mapping[str, str]) -> str:
    signature = headers.get("X-Hub-Signature-256")
    if signature is None and "X-Hub-Signature" in headers:
        raise DeliveryError(
            401, "Only a SHA-1 signature came: X-Hub-Signature-256 is needed, SHA-1 is not taken."
        )
    if signature is None:
        raise DeliveryError(401, f"The X-Hub-Signature-256 header is missing: {_ADVICE}.")
    if not _SIGNATURE.fullmatch(signature):
        raise DeliveryError(401, "The X-Hub-Signature-256 header is not sha256= and 64 hex digits.")
    return signature


def _check_content_type(value: str) -> None:
    if value.partition(";")[0].strip().lower() != "application/json":
        raise DeliveryError(
            415,
            "The content type must be application/json: choose it in the App's webhook settings.",
        )


def _check_length(value: str | None) -> None:
    if value is not None and value.isdecimal() and int(value) > MOST_BYTES:
        raise DeliveryError(413, f"The body has {value} bytes: at most {MOST_BYTES} are taken.")


def check_signature(signature: str, body: bytes, secrets: Iterable[SecretStr]) -> None:
    """Compare `signature` ("sha256=" and hex) with that of `body` under each secret.

    Every secret is tried, in constant time each. Raises DeliveryError when none fits.
    Source: https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
    """
    fits = False
    for secret in secrets:
        key = secret.get_secret_value().encode()
        if not key:
            raise DeliveryError(401, f"A webhook secret is empty: {_ADVICE}.")
        digest = hmac.digest(key, body, "sha256").hex()
        fits |= hmac.compare_digest(f"sha256={digest}".encode(), signature.encode())
    if not fits:
        raise DeliveryError(401, f"The signature does not fit the body: {_ADVICE}.")


def read_payload(
    headers: DeliveryHeaders, body: bytes, received_at: float, app_id: int
) -> tuple[Delivery, tuple[Key, ...]]:
    """Return the delivery in a verified `body`, and what it asks to look at.

    Raises DeliveryError for bytes that are not a JSON object and for payloads of a known event
    that lack a field which GitHub documents.
    """
    try:
        payload = read(headers.event, body)
    except ValidationError as error:
        raise DeliveryError(400, _sentence(headers.event, error)) from None
    installation, repository = payload.installation, payload.repository
    delivery = Delivery(
        guid=headers.guid,
        event=headers.event,
        action=payload.action,
        installation_id=installation.id if installation else None,
        repository=repository.full_name if repository else None,
        received_at=received_at,
        body=body,
        told=payload.told(),
    )
    return delivery, payload.attention(app_id, headers.guid)


def _sentence(event: str, error: ValidationError) -> str:
    first = error.errors(include_input=False, include_url=False)[0]
    if first["type"] == "json_invalid":
        return "The body is not JSON."
    if not first["loc"]:
        return "The body is JSON but not an object."
    where = ".".join(str(part) for part in first["loc"])
    return f"The payload of {event} is not as GitHub documents it: {where}: {first['msg']}."
