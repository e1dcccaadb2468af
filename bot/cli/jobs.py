"""`referee jobs`: what a server has to do, and what it has given up."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import click

from bot.jobs.listing import Listed, listed
from bot.serve import STORE


@click.command()
@click.option(
    "--data-dir",
    type=click.Path(path_type=Path),
    envvar="REFEREE_DATA_DIR",
    default="var",
    show_default=True,
    help="The server's data folder; the server may be running.",
)
def command(data_dir: Path) -> int:
    """List what waits, what runs and what was given up.

    The newest error of each is shown. What was given up starts anew with the next delivery about
    it. Exit status: 0 nothing was given up, 1 something was, 2 there is no store.
    """
    place = data_dir / STORE
    try:
        with closing(sqlite3.connect(f"{place.absolute().as_uri()}?mode=ro", uri=True)) as store:
            found = listed(store)
    except sqlite3.Error as error:
        what = f"{place} cannot be read: {error}; name the server's folder with --data-dir."
        raise click.ClickException(what) from None
    for row in found:
        click.echo(_line(row))
    return 1 if any(row.given_up_at for row in found) else 0


def _line(row: Listed) -> str:
    state = f"waits until {_time(row.due_at)}"
    if row.given_up_at is not None:
        state = f"given up at {_time(row.given_up_at)}"
    elif row.held_since is not None:
        state = f"runs since {_time(row.held_since)}"
    failed = f" after {row.attempts} failures: {row.error}" if row.error else ""
    return f"{row.repository} {row.target}: {state}{failed}"


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
