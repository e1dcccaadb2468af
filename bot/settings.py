"""Environment and secret files become one frozen Settings, or a refusal that says why not."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from dotenv import dotenv_values
from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, ValidationError
from pydantic_core import ErrorDetails
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

PREFIX = "REFEREE_"
SECRETS = ("private_key", "webhook_secrets")
CREDENTIALS = ("app_id", *SECRETS)


class SettingsError(Exception):
    """The settings cannot be used; the text has one sentence per problem and no secret."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = problems
        super().__init__("\n".join(problems))


def _load_key(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        # One-line environment files carry the line breaks of a PEM as a backslash and an n.
        key = load_pem_private_key(value.replace("\\n", "\n").encode(), password=None)
    except (ValueError, TypeError):
        msg = "is not a readable PEM private key; use the .pem file that GitHub lets you download"
        raise ValueError(msg) from None
    if not isinstance(key, RSAPrivateKey):
        msg = "is not an RSA key; use the .pem file that GitHub lets you download"
        raise ValueError(msg)  # noqa: TRY004 - pydantic reports ValueError with its text
    return key


def _split_secrets(value: Any) -> Any:
    return tuple(value.split()) if isinstance(value, str) else value


def _refuse_empty_secrets(secrets: tuple[SecretStr, ...]) -> tuple[SecretStr, ...]:
    if not secrets or not all(secret.get_secret_value().strip() for secret in secrets):
        msg = "is empty; set it to the secret from the App's webhook settings"
        raise ValueError(msg)
    return secrets


def _check_url(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username is not None:
        msg = "is not an http or https address of a server without a user name in it"
        raise ValueError(msg)
    return value.rstrip("/")


def _api(given: dict[str, Any], github_com: str, own_host: str) -> str:
    parts = urlsplit(given.get("github_url", ""))
    if parts.hostname == "github.com":
        return f"https://api.github.com{github_com}"
    # https://docs.github.com/en/enterprise-cloud@latest/admin/data-residency/network-details-for-ghecom
    if (parts.hostname or "").endswith(".ghe.com"):
        return f"https://api.{parts.netloc}{github_com}"
    return f"{given.get('github_url', '')}{own_host}"


Url = Annotated[str, AfterValidator(_check_url)]


class Settings(BaseSettings):
    """All that a serving Referee is told from outside; each field is read from `REFEREE_<NAME>`."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, frozen=True, extra="forbid", arbitrary_types_allowed=True
    )

    app_id: int = Field(gt=0, description="the App's numeric ID from its settings page")
    private_key: Annotated[RSAPrivateKey, BeforeValidator(_load_key)] = Field(
        repr=False, description="the App's private key in PEM form"
    )
    webhook_secrets: Annotated[
        tuple[SecretStr, ...],
        NoDecode,
        BeforeValidator(_split_secrets),
        AfterValidator(_refuse_empty_secrets),
    ] = Field(description="the webhook secret, or several separated by spaces while rotating")
    github_url: Url = Field("https://github.com", description="the address of the GitHub server")
    api_url: Url = Field(
        default_factory=lambda given: _api(given, "", "/api/v3"),
        description="the base address of the REST API",
    )
    graphql_url: Url = Field(
        default_factory=lambda given: _api(given, "/graphql", "/api/graphql"),
        description="the address of the GraphQL API",
    )
    data_dir: Path = Field(Path("var"), description="a folder that Referee may write to")
    record_facts: bool = Field(
        default=False, description="true or false: whether to keep what each verdict rests on"
    )
    host: str = Field("127.0.0.1", min_length=1, description="the address to listen on")
    port: int = Field(8080, ge=0, le=65535, description="the TCP port to listen on, 0 to 65535")
    policy_preset: str = Field(
        "inferencex", pattern=r"^[a-z][a-z0-9-]*$", description="the name of a shipped policy"
    )
    check_deadline_seconds: float = Field(
        60, gt=0, le=3600, description="how many seconds one review's checks may take, up to 3600"
    )
    workers: int = Field(2, ge=1, le=64, description="how many reviews may run at once, 1 to 64")
    log_format: Literal["auto", "json", "console"] = Field(
        "auto", description="one of auto, json and console"
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Take only what is passed in: `load_settings` names its sources itself."""
        return (init_settings,)


class _Given(EnvSettingsSource):
    """The prefix and field rules of pydantic-settings over variables that were passed in."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = variables
        super().__init__(Settings)

    def _load_env_vars(self) -> Mapping[str, str | None]:
        return {name.lower(): value for name, value in self._variables.items()}


def load_settings(
    environ: Mapping[str, str],
    dotenv: Path | None = Path(".env"),
) -> Settings:
    """Read the settings from `environ` and, below it, from the `dotenv` file where one exists.

    Secrets may be given as `REFEREE_<NAME>_FILE`, the path of a file that holds the value.
    Raises SettingsError with one sentence per problem.
    """
    variables = _variables(environ, dotenv)
    problems = list(_read_secret_files(variables))
    try:
        settings = Settings(**_Given(variables)())
    except ValidationError as error:
        problems += [_sentence(e, variables) for e in error.errors() if not _known(e, problems)]
        raise SettingsError([*problems, *_misspelt(variables)]) from None
    problems += _misspelt(variables)
    if problems:
        raise SettingsError(problems)
    return settings


def has_app_credentials(
    environ: Mapping[str, str],
    dotenv: Path | None = Path(".env"),
) -> bool:
    """Say whether anything about a GitHub App is set, so that serving is what is wanted."""
    variables = _variables(environ, dotenv)
    return any(_name(field) + end in variables for field in CREDENTIALS for end in ("", "_FILE"))


def _name(field: str) -> str:
    return PREFIX + field.upper()


def _variables(environ: Mapping[str, str], dotenv: Path | None) -> dict[str, str]:
    below = dotenv_values(dotenv, interpolate=False) if dotenv and dotenv.is_file() else {}
    found = {
        name: value
        for name, value in {**below, **environ}.items()
        if name.startswith(PREFIX) and value
    }
    # Kubernetes sets REFEREE_PORT for a Service that is named "referee":
    # https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
    if re.match(r"(tcp|udp|sctp)://", found.get("REFEREE_PORT", "")):
        del found["REFEREE_PORT"]
    return found


def _read_secret_files(variables: dict[str, str]) -> Iterator[str]:
    for field in SECRETS:
        name, path = _name(field), variables.pop(f"{_name(field)}_FILE", None)
        if path is None:
            continue
        if name in variables:
            yield f"{name} and {name}_FILE are both set: keep one of them."
            continue
        try:
            variables[name] = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
            yield f"{name}_FILE points to {path}, which cannot be read: {reason}."


def _known(error: ErrorDetails, problems: list[str]) -> bool:
    """Say whether the error only follows from another one that is told already."""
    if error["type"] == "default_factory_not_called":
        return True
    return error["type"] == "missing" and any(
        problem.startswith(f"{_name(str(error['loc'][0]))}_FILE ") for problem in problems
    )


def _sentence(error: ErrorDetails, variables: Mapping[str, str]) -> str:
    field = str(error["loc"][0])
    name, wanted = _name(field), Settings.model_fields[field].description
    if error["type"] == "missing":
        return f"{name} is missing: set it to {wanted}."
    if error["type"] == "value_error":
        return f"{name} {error['ctx']['error']}."
    shown = "" if field in SECRETS else f' is "{variables.get(name, error["input"])}" but'
    return f"{name}{shown} must be {wanted}."


def _misspelt(variables: Mapping[str, str]) -> Iterator[str]:
    known = [_name(field) for field in Settings.model_fields]
    known += [f"{_name(field)}_FILE" for field in SECRETS]
    for name in sorted(set(variables) - set(known)):
        if close := difflib.get_close_matches(name, known, n=1, cutoff=0.85):
            yield f"{name} is not a setting: did you mean {close[0]}?"
