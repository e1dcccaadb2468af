"""Log lines as JSON for machines or in colour for people, without tokens and secrets."""

from __future__ import annotations

import logging
import re
import sys
from typing import Any, Literal, TextIO

import structlog
from structlog.types import EventDict, Processor

# GitHub's token prefixes: https://github.blog/engineering/behind-githubs-new-authentication-token-formats/
_SECRET = re.compile(
    r"gh[a-z]_[A-Za-z0-9_.-]{16,}|github_pat_\w{16,}"
    r"|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"
    r"|(?<=[Bb]asic )[A-Za-z0-9+/=]{16,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)",
    re.DOTALL,
)
_MOST_CHARACTERS = 20_000


def redact(text: str) -> str:
    """Return `text` with tokens, Basic credentials and private keys blacked out."""
    return _SECRET.sub("[redacted]", text)


def configure(
    form: Literal["auto", "json", "console"] = "auto",
    level: int = logging.INFO,
    stream: TextIO | None = None,
) -> None:
    """Send structlog and standard library records to `stream` (standard error by default).

    "auto" writes for people on a terminal and JSON elsewhere.
    """
    stream = stream or sys.stderr
    people = form == "console" or (form == "auto" and stream.isatty())
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        _redact,
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )
    to_stream = logging.StreamHandler(stream)
    to_stream.setFormatter(_formatter(shared, people=people, colors=stream.isatty()))
    logging.root.handlers[:] = [to_stream]
    logging.root.setLevel(level)


def _formatter(shared: list[Processor], *, people: bool, colors: bool) -> logging.Formatter:
    renderer: Processor = (
        structlog.dev.ConsoleRenderer(colors=colors)
        if people
        else structlog.processors.JSONRenderer(ensure_ascii=False)
    )
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared,
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
    )


def _redact(_logger: Any, _method: str, event: EventDict) -> EventDict:
    for key, value in event.items():
        if isinstance(value, str):
            event[key] = redact(value)[:_MOST_CHARACTERS]
        elif not isinstance(value, (int, float, type(None), logging.LogRecord)):
            event[key] = redact(str(value))[:_MOST_CHARACTERS]
    return event
