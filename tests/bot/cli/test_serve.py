"""`referee serve` refuses to start with settings that no review could use."""

import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from bot.cli.serve import command


def test_an_unknown_preset_is_refused_at_the_start(
    private_key: RSAPrivateKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    pem = private_key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    monkeypatch.setenv("REFEREE_APP_ID", "1")
    monkeypatch.setenv("REFEREE_PRIVATE_KEY", pem)
    monkeypatch.setenv("REFEREE_WEBHOOK_SECRETS", "x")
    monkeypatch.setenv("REFEREE_POLICY_PRESET", "nope")
    done = CliRunner().invoke(command)
    assert done.exit_code == 1
    assert done.output == (
        "Error: REFEREE_POLICY_PRESET is wrong: There is no policy preset 'nope';"
        " shipped are: inferencex.\n"
    )
