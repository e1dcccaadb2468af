"""`referee signoff`: questions about a code owner's sign-off."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from bot.cli.inputs import FILE, PRESET, policy_from, read_file
from checks.model import Blob
from checks.policy import Policy, preset
from checks.signoff.explained import as_lines, as_values
from checks.signoff.facts import Facts
from checks.signoff.model import ItemState, SignOffText, Template
from checks.signoff.read import Reader
from checks.signoff.template import TemplateError, read_template
from checks.signoff.verdict import verdict
from checks.signoff.visible import LONGEST_BODY


@click.group()
def command() -> None:
    """Ask about a code owner's sign-off."""


@command.command()
@click.option("--template", type=FILE, required=True, help="The page with the checklist.")
@click.option(
    "--older", type=FILE, multiple=True, help="An earlier version of the page; may be repeated."
)
@click.option("--author", help="Login of who wrote the comment; has to be who signed.")
@click.option("--policy", "policy_file", type=FILE, help="A policy file instead of the preset.")
def parse(
    template: Path, older: tuple[Path, ...], author: str | None, policy_file: Path | None
) -> int:
    """Print what a comment says of every item, as JSON.

    The comment is read from standard input. The fields are described in docs/sign-off.md. Exit
    status: 0 nothing to complain of, 1 problems or no sign-off, 2 wrong input.
    """
    policy = _policy(policy_file)
    reader = Reader(
        _template(template, policy),
        policy.sign_off,
        tuple(_template(path, policy) for path in older),
        urlsplit(policy.pull_request_url).netloc,
    )
    body = sys.stdin.buffer.read(4 * (LONGEST_BODY + 1)).decode("utf-8", "replace")
    if len(body) > LONGEST_BODY:
        raise click.ClickException(f"A comment on GitHub has at most {LONGEST_BODY} characters.")
    said = reader.read(body, author)
    click.echo(json.dumps(_as_json(reader.template, said), indent=2, ensure_ascii=True))
    return 0 if said and not said.problems else 1


@command.command()
@click.option("--facts", "facts_file", type=FILE, required=True, help="Recorded facts (JSON).")
@click.option("--pr", "number", type=click.IntRange(min=1), help="Which of several pull requests.")
@click.option("--policy", "policy_file", type=FILE, help="A policy file instead of the preset.")
@click.option(
    "--format", "format_", type=click.Choice(["json", "text"]), default="text", show_default=True
)
def explain(facts_file: Path, number: int | None, policy_file: Path | None, format_: str) -> int:
    """Show what recorded facts about a pull request come to.

    Each obligation is shown with its evidence; nobody is asked. The form of both files is in
    docs/sign-off.md. Exit status: 0 the gate is open, 1 it is shut, 2 wrong input.
    """
    facts, policy = _chosen(facts_file, number), _policy(policy_file)
    found = verdict(facts, policy)
    try:
        if format_ == "json":
            shown = json.dumps(as_values(found, facts), indent=2, ensure_ascii=True)
        else:
            shown = "\n".join(as_lines(found, facts))
    except (LookupError, ValueError, AttributeError):
        problem = "has a text whose values do not fit its template"
        raise click.ClickException(f"{facts_file} {problem}.") from None
    click.echo(shown)
    return 0 if found.state.open else 1


def _chosen(file: Path, number: int | None) -> Facts:
    """Return the facts about the pull request that is meant."""
    # Only here; it takes longer to import than a sign-off to read.
    from bot.recorded import RecordError, read_record

    try:
        every = read_record(read_file(file))
    except RecordError as error:
        raise click.ClickException(f"{file}: {error}") from None
    found = [each for each in every if number in (None, each.number)]
    if len(found) == 1:
        return found[0]
    known = ", ".join(str(each.number) for each in every) or "none"
    what = "no pull request" if not found else "several pull requests"
    raise click.ClickException(f"{file} has {what} to explain; --pr is one of: {known}.")


def _policy(file: Path | None) -> Policy:
    if file is None:
        return preset(PRESET)
    policy = policy_from(file)
    if not policy.sign_off.phrase:
        raise click.ClickException(f"{file} has no sign-off.phrase, so there are no sign-offs.")
    return policy


def _template(file: Path, policy: Policy) -> Template:
    try:
        return read_template(Blob.of(read_file(file)), policy.sign_off)
    except TemplateError as error:
        raise click.ClickException(f"{file} has no template of a sign-off: {error}") from None


def _as_json(template: Template, said: SignOffText | None) -> dict[str, Any]:
    start = {"schema": 1, "template": template.version, "found": said is not None}
    if said is None:
        return start
    return {
        **start,
        "line": said.line,
        "signed": said.signed,
        "items": [_item(each) for each in said.items],
        "details": said.details,
        "links": [asdict(link) for link in said.links],
        "match": asdict(said.match),
        "problems": [
            {"kind": each.kind, "item": each.item, "text": str(each.text)} for each in said.problems
        ],
        "quoted": said.quoted,
        "fenced": said.fenced,
        "blank": said.blank,
    }


def _item(each: ItemState) -> dict[str, Any]:
    return {
        "key": each.item.key,
        "parent": each.item.parent,
        "state": each.state,
        "line": each.line,
        "remark": each.remark,
        "reason": each.reason,
    }
