"""`referee owners`: who owns a path, and which line of CODEOWNERS decides."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from bot.cli.inputs import repo_option
from bot.damage import SnapshotError
from bot.snapshot import commit_of, files_at, open_repository
from checks.parse.codeowners import LOCATIONS, CodeOwners, Ownership, find_codeowners
from checks.text import visible

Owned = list[tuple[str, Ownership]]


@click.command()
@repo_option()
@click.option(
    "--rev",
    default="HEAD",
    show_default=True,
    help="Branch or commit whose CODEOWNERS is followed.",
)
@click.option(
    "--format", "format_", type=click.Choice(["json", "text"]), default="text", show_default=True
)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
def command(repo: Path, rev: str, paths: tuple[str, ...], format_: str) -> None:
    """Show who owns each PATH by CODEOWNERS.

    A PATH is written from the root of the repository; a folder stands for all its files. A path
    that is not there at the revision gets the owners it would have. Lines that GitHub skips are
    named on stderr. Exit status: 0 answered, 2 wrong input or no CODEOWNERS.
    """
    try:
        repository = open_repository(repo)
        tree = files_at(repository, commit_of(repository, rev))
        found = find_codeowners(tree)
        known = tree.paths()
    except SnapshotError as error:
        raise click.ClickException(str(error)) from None
    place, file = _followed(found, rev)
    owned = [(path, file.owners_of(path)) for path in _files(paths, known)]
    for line in file.skipped:
        click.echo(f"{place}:{line.line}: skipped, as by GitHub: {line.reason}", err=True)
    for path in sorted({path for path, _ in owned}.difference(known)):
        click.echo(f"{visible(path)} is not at {rev}; shown is who would own it.", err=True)
    click.echo(_json(tree.sha, place, file, owned) if format_ == "json" else _text(place, owned))


def _followed(found: tuple[str, CodeOwners] | None, rev: str) -> tuple[str, CodeOwners]:
    if found is None:
        places = ", ".join(LOCATIONS)
        raise click.ClickException(f"{rev} has no CODEOWNERS, so nobody owns; looked for {places}.")
    if found[1].too_large:
        raise click.ClickException(
            f"{found[0]} has 3 MB or more, so GitHub does not load it; shorten it."
        )
    return found


def _files(paths: Iterable[str], known: Iterable[str]) -> Iterator[str]:
    """Yield the files that are meant: a path, or all files of a folder."""
    for path in paths:
        name = path.removeprefix("./").strip("/")
        if not {"", ".", ".."}.isdisjoint(name.split("/")):
            raise click.ClickException(f"{path!r} is no path from the root; give for example a/b.")
        yield from [each for each in known if each.startswith(f"{name}/")] or [name]


def _text(place: str, owned: Owned) -> str:
    return "\n".join(f"{visible(path)}: {_owners(place, who)}" for path, who in owned)


def _owners(place: str, who: Ownership) -> str:
    if who.line is None:
        return f"nobody; no line of {place} covers it"
    return f"{' '.join(who.owners) or 'nobody'} ({place}:{who.line}: {visible(who.text)})"


def _json(sha: str, place: str, file: CodeOwners, owned: Owned) -> str:
    content: dict[str, Any] = {
        "schema": 1,
        "rev": sha,
        "codeowners": place,
        "paths": [
            {"path": path, "owners": who.owners, "line": who.line, "text": who.text}
            for path, who in owned
        ],
        "skipped": [
            {"line": line.line, "text": line.text, "reason": str(line.reason)}
            for line in file.skipped
        ],
    }
    # Names in git are bytes: what is not UTF-8 is written as an escape, not as broken output.
    return json.dumps(content, indent=2, ensure_ascii=True)
