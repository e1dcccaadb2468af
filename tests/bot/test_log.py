from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from bot.log import configure, redact

TOKEN = "ghs_" + "a1B2" * 9


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    root, level = logging.root.handlers[:], logging.root.level
    stream = io.StringIO()
    configure("json", stream=stream)
    yield stream
    logging.root.handlers[:] = root
    logging.root.setLevel(level)
    structlog.reset_defaults()


def written(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_line_is_json_with_its_time_and_level(lines: io.StringIO, log: Any) -> None:
    structlog.get_logger().warning("job_failed", key="octo/bench#7", 说明="文")
    logging.getLogger("aiohttp.server").error("broke on %s", "x")
    own, foreign = written(lines)
    assert own["event"] == "job_failed"
    assert own["level"] == "warning"
    assert own["说明"] == "文"
    assert own["timestamp"].endswith("Z")
    assert foreign["event"] == "broke on x"
    assert foreign["level"] == "error"


def test_no_token_is_written_wherever_it_hides(lines: io.StringIO) -> None:
    own = structlog.get_logger()
    own.info("asked", token=TOKEN, url=["x", {"y": TOKEN}], error=ValueError(TOKEN))
    logging.getLogger("other").info("with %s", TOKEN)
    try:
        int(TOKEN)
    except ValueError:
        own.exception("failed")
        logging.getLogger("other").exception("failed")
    assert len(written(lines)) == 4
    assert TOKEN not in lines.getvalue()
    assert "[redacted]" in lines.getvalue()


@pytest.mark.parametrize(
    "secret",
    [
        TOKEN,
        "github_pat_11AAAAAAA0abcdefghij_klmnop",
        "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxIn0.c2lnbmF0dXJl",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\nMIIabc cut off",
    ],
)
def test_secrets_are_known_by_their_form(secret: str) -> None:
    assert redact(f"before {secret}") == "before [redacted]"


def test_a_basic_credential_goes_and_prose_stays() -> None:
    assert redact("Authorization: Basic eC1hY2Nlc3MtdG9rZW46Zm9v") == (
        "Authorization: Basic [redacted]"
    )
    prose = "basic checks of github_pat and ghs_short stay"
    assert redact(prose) == prose


def test_people_get_plain_lines() -> None:
    stream = io.StringIO()
    root, level = logging.root.handlers[:], logging.root.level
    configure("console", stream=stream)
    structlog.get_logger().info("serving", port=1)
    logging.root.handlers[:] = root
    logging.root.setLevel(level)
    structlog.reset_defaults()
    assert "serving" in stream.getvalue()
    assert not stream.getvalue().startswith("{")
