"""`referee commands`: questions about slash commands, without GitHub."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from checks.commands.registry import all_commands
from checks.commands.spec import BadArgumentError
from checks.comment.parse import Call, Inert, Parsed
from checks.comment.parse import parse as parse_comment
from checks.comment.words import Arguments


@click.group()
def command() -> None:
    """Ask about slash commands."""


@command.command()
@click.option(
    "--before",
    type=click.Path(path_type=Path),
    help="The comment before it was edited; only what is new in the edit runs.",
)
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True), default="-")
def parse(before: Path | None, file: Path) -> int:
    """Print which commands a comment would run.

    Why the others would not is printed, too. FILE is the comment as it was typed; by default it is
    read from standard input. The output is JSON; offsets are those of UTF-8 bytes. Exit status: 0,
    or 2 for wrong input.
    """
    body, former = _read(file), _read(before) if before else None
    parsed = parse_comment(body, before=former, names=all_commands())
    click.echo(json.dumps(_document(parsed), indent=2))
    return 0


def _read(path: Path) -> str:
    name = "the comment" if str(path) == "-" else str(path)
    try:
        with click.open_file(str(path), "rb") as file:
            content: bytes = file.read()
        return content.decode("utf-8")
    except OSError as error:
        raise click.ClickException(f"{name} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        raise click.ClickException(f"{name} is not UTF-8 at byte {error.start}.") from None


def _document(parsed: Parsed) -> Mapping[str, Any]:
    return {
        "schema": 1,
        "commands": [_call(each) for each in parsed.commands],
        "inert": [_inert(each) for each in parsed.inert],
        "refused": parsed.refused,
    }


def _call(call: Call) -> Mapping[str, Any]:
    known, arguments, error = all_commands()[call.name], None, None
    try:
        arguments = asdict(known.read(Arguments.of(call.args)))
    except BadArgumentError as wrong:
        message = str(wrong.message(known.usage))
        error = {"position": wrong.position, "token": wrong.word, "message": message}
    return {
        "name": call.name,
        "args": call.args,
        "tokens": [word.text for word in call.words],
        "arguments": arguments,
        "start": call.start,
        "end": call.end,
        "error": error,
    }


def _inert(inert: Inert) -> Mapping[str, Any]:
    return {
        "text": inert.text,
        "start": inert.start,
        "end": inert.end,
        "reason": inert.reason,
        "suggestion": inert.suggestion,
    }
