"""Who is asking: the App by its JWT, or an installation by its token."""

import base64
import binascii
import hashlib
from dataclasses import dataclass
from functools import cache

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from bot.sandbox.answers import RefusedError
from bot.sandbox.installations import Installation, Token
from bot.sandbox.state import State

# https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app
JWT_SECONDS = 600
TOKEN_SECONDS = 3600


@dataclass(frozen=True)
class Viewer:
    """The App itself, or one of its installations."""

    installation: Installation | None

    @property
    def name(self) -> str:
        """A key for rate limits."""
        return f"installation {self.installation.id}" if self.installation else "app"


@cache
def private_key() -> rsa.RSAPrivateKey:
    """The App's key: one per process, since making one takes a tenth of a second."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def private_key_pem() -> str:
    """The key as the file that GitHub hands out."""
    form = (Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption())
    return private_key().private_bytes(*form).decode()


def issue_token(state: State, installation: Installation) -> tuple[str, float]:
    """A new installation token and when it ends, in epoch seconds."""
    seed = f"{installation.id}:{state.next_id()}".encode()
    token = f"ghs_{hashlib.sha256(seed).hexdigest()[:36]}"
    expires_at = state.clock() + TOKEN_SECONDS
    state.tokens[token] = Token(installation, expires_at)
    return token, expires_at


def installation_of(state: State, token: str) -> Installation | None:
    """The installation of a live token, or None."""
    found = state.tokens.get(token)
    return found.installation if found and found.expires_at > state.clock() else None


def authenticate(state: State, header: str) -> Viewer:
    """The viewer behind an Authorization header.

    Raises RefusedError (401) with the reason that GitHub gives.
    """
    scheme, _, credential = header.partition(" ")
    if scheme.lower() not in ("bearer", "token") or not credential:
        raise RefusedError(401, "Requires authentication")
    if credential.count(".") == 2:
        check_jwt(state, credential)
        return Viewer(None)
    installation = installation_of(state, credential)
    if installation is None:
        raise RefusedError(401, "Bad credentials")
    refuse_suspended(installation)
    return Viewer(installation)


def refuse_suspended(installation: Installation) -> None:
    """Let a suspended installation do nothing.

    https://docs.github.com/en/apps/maintaining-github-apps/suspending-a-github-app-installation
    Raises RefusedError (403).
    """
    if installation.suspended_at is not None:
        raise RefusedError(403, "This installation has been suspended")


def check_jwt(state: State, token: str) -> None:
    """Accept the App's own JWT and nothing else.

    Raises RefusedError (401).
    """
    rules = {"verify_exp": False, "verify_iat": False, "require": ["iat", "exp", "iss"]}
    try:
        claims = jwt.decode(token, private_key().public_key(), ["RS256"], options=rules)  # type: ignore[arg-type]
        issued, expires = float(claims["iat"]), float(claims["exp"])
    except (jwt.InvalidTokenError, TypeError, ValueError) as error:
        raise RefusedError(401, "A JSON web token could not be decoded") from error
    now = state.clock()
    if str(claims["iss"]) not in (str(state.app.id), f"Iv{state.app.id}"):
        raise RefusedError(401, "'Issuer' claim ('iss') must be an Integer")
    if issued > now:
        raise RefusedError(
            401, "'Issued at' claim ('iat') must be an Integer representing the past"
        )
    if expires <= now:
        raise RefusedError(401, "'Expiration time' claim ('exp') must be a future time")
    if expires - now > JWT_SECONDS:
        raise RefusedError(401, "'Expiration time' claim ('exp') is too far in the future")


def basic_token(header: str) -> str:
    """The password of a Basic header whose user is `x-access-token`, or an empty text."""
    scheme, _, encoded = header.partition(" ")
    if scheme.lower() != "basic":
        return ""
    try:
        user, _, password = base64.b64decode(encoded, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return ""
    return password if user == "x-access-token" else ""
