from __future__ import annotations

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from pydantic import ValidationError

from bot.settings import Settings, SettingsError, has_app_credentials, load_settings


def environment(pem: str, **more: str) -> dict[str, str]:
    given = {"APP_ID": "12", "PRIVATE_KEY": pem, "WEBHOOK_SECRETS": "one-secret", **more}
    return {f"REFEREE_{name}": value for name, value in given.items() if value}


def load(given: dict[str, str]) -> Settings:
    return load_settings(given, dotenv=None)


def problems(given: dict[str, str]) -> list[str]:
    with pytest.raises(SettingsError) as caught:
        load(given)
    return caught.value.problems


def test_the_least_that_is_needed_is_enough(pem: str) -> None:
    settings = load(environment(pem))
    assert settings.app_id == 12
    assert settings.private_key.key_size == 2048
    assert [s.get_secret_value() for s in settings.webhook_secrets] == ["one-secret"]
    assert settings.api_url == "https://api.github.com"
    assert settings.graphql_url == "https://api.github.com/graphql"
    assert settings.policy_preset == "inferencex"


def test_nothing_set_names_all_that_is_missing() -> None:
    assert problems({}) == [
        "REFEREE_APP_ID is missing: set it to the App's numeric ID from its settings page.",
        "REFEREE_PRIVATE_KEY is missing: set it to the App's private key in PEM form.",
        (
            "REFEREE_WEBHOOK_SECRETS is missing: set it to the webhook secret,"
            " or several separated by spaces while rotating."
        ),
    ]


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        (
            "APP_ID",
            "Iv1.abc",
            'REFEREE_APP_ID is "Iv1.abc" but must be the App\'s numeric ID from its settings page.',
        ),
        ("APP_ID", "-1", 'REFEREE_APP_ID is "-1" but must be the App\'s numeric ID'),
        ("PORT", "99999", 'REFEREE_PORT is "99999" but must be the TCP port to listen on, 0 to'),
        ("WORKERS", "0", 'REFEREE_WORKERS is "0" but must be how many reviews may run at once'),
        ("GITHUB_URL", "ftp://x", "REFEREE_GITHUB_URL is not an http or https address"),
        ("GITHUB_URL", "https://me:pw@x", "REFEREE_GITHUB_URL is not an http or https address"),
        ("WEBHOOK_SECRETS", "  ", "REFEREE_WEBHOOK_SECRETS is empty; set it to the secret from"),
        ("PRIVATE_KEY", "sEcReT-text", "REFEREE_PRIVATE_KEY is not a readable PEM private key;"),
        ("LOG_FORMAT", "xml", 'REFEREE_LOG_FORMAT is "xml" but must be one of auto, json and'),
        ("POLICY_PRESET", "../x", 'REFEREE_POLICY_PRESET is "../x" but must be the name of a'),
    ],
)
def test_a_wrong_value_is_one_sentence(pem: str, name: str, value: str, sentence: str) -> None:
    (found,) = problems(environment(pem, **{name: value}))
    assert found.startswith(sentence)
    assert "sEcReT" not in found


def test_a_key_of_another_kind_is_refused(pem: str) -> None:
    key = generate_private_key(SECP256R1())
    text = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    assert problems(environment(pem, PRIVATE_KEY=text)) == [
        "REFEREE_PRIVATE_KEY is not an RSA key; use the .pem file that GitHub lets you download."
    ]


def test_secrets_come_from_files_with_one_secret_a_line(pem: str, tmp_path: Path) -> None:
    (tmp_path / "key").write_text(pem)
    (tmp_path / "secrets").write_text("new-secret\nold-secret\n")
    settings = load(
        environment(
            "",
            WEBHOOK_SECRETS="",
            PRIVATE_KEY_FILE=str(tmp_path / "key"),
            WEBHOOK_SECRETS_FILE=str(tmp_path / "secrets"),
        )
    )
    assert [s.get_secret_value() for s in settings.webhook_secrets] == ["new-secret", "old-secret"]


def test_an_unreadable_file_and_a_doubled_secret_are_named(pem: str, tmp_path: Path) -> None:
    found = problems(
        environment("", PRIVATE_KEY_FILE=f"{tmp_path}/absent", WEBHOOK_SECRETS_FILE="/x")
    )
    assert found == [
        (
            f"REFEREE_PRIVATE_KEY_FILE points to {tmp_path}/absent, which cannot be read:"
            " No such file or directory."
        ),
        "REFEREE_WEBHOOK_SECRETS and REFEREE_WEBHOOK_SECRETS_FILE are both set: keep one of them.",
    ]


def test_a_key_on_one_line_is_read(pem: str) -> None:
    assert load(environment(pem.replace("\n", "\\n"))).private_key.key_size == 2048


@pytest.mark.parametrize(
    ("github", "api", "graphql"),
    [
        ("https://ghe.corp/", "https://ghe.corp/api/v3", "https://ghe.corp/api/graphql"),
        ("http://127.0.0.1:99", "http://127.0.0.1:99/api/v3", "http://127.0.0.1:99/api/graphql"),
        ("https://acme.ghe.com", "https://api.acme.ghe.com", "https://api.acme.ghe.com/graphql"),
    ],
)
def test_the_api_is_derived_from_the_server(pem: str, github: str, api: str, graphql: str) -> None:
    settings = load(environment(pem, GITHUB_URL=github))
    assert (settings.api_url, settings.graphql_url) == (api, graphql)
    assert load(environment(pem, GITHUB_URL=github, API_URL="http://x/y")).api_url == "http://x/y"


def test_what_kubernetes_injects_for_a_service_is_no_port(pem: str) -> None:
    given = environment(pem, PORT="tcp://10.0.0.1:80", PORT_80_TCP_ADDR="10.0.0.1", SERVICE_HOST="")
    assert load(given).port == 8080


def test_a_misspelt_name_is_not_passed_over(pem: str) -> None:
    assert problems(environment(pem, WORKRES="4")) == [
        "REFEREE_WORKRES is not a setting: did you mean REFEREE_WORKERS?"
    ]


def test_the_environment_wins_over_the_dotenv_file(pem: str, tmp_path: Path) -> None:
    dotenv = tmp_path / ".env"
    dotenv.write_text("REFEREE_APP_ID=99\nREFEREE_PORT=1234\nOTHER=1\n")
    settings = load_settings(environment(pem), dotenv)
    assert (settings.app_id, settings.port) == (12, 1234)


def test_credentials_are_seen_wherever_they_are(tmp_path: Path) -> None:
    dotenv = tmp_path / ".env"
    assert not has_app_credentials({"REFEREE_PORT": "1", "REFEREE_APP_ID": ""}, dotenv)
    assert has_app_credentials({"REFEREE_PRIVATE_KEY_FILE": "x"}, dotenv)
    dotenv.write_text("REFEREE_APP_ID=1\n")
    assert has_app_credentials({}, dotenv)


def test_settings_cannot_be_changed_and_do_not_show_secrets(pem: str) -> None:
    settings = load(environment(pem))
    with pytest.raises(ValidationError):
        settings.port = 1
    assert "one-secret" not in repr(settings)
    assert "RSA" not in repr(settings)
