"""The key that our memory in a pull request's sticky comment is signed with."""

from __future__ import annotations

from typing import Any

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from bot.settings import Settings


def seal_of(settings: Settings, pull: Any) -> bytes:
    """Return 32 bytes for one pull request, given as the API tells of it.

    They follow from the App's private key, so that they need no store; with another private key,
    or copied to another pull request, no signature holds. A repository's id survives its renaming.
    Source: RFC 5869, the number and id as its "info".
    """
    key = settings.private_key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    where = f"referee decisions {pull['base']['repo']['id']} {pull['number']}"
    return HKDF(SHA256(), 32, None, where.encode()).derive(key)
