"""`referee check`: judge a change in a local clone, the way the server judges a pull request."""

from pathlib import Path

import click

from bot.cli.change import change_options, judged
from bot.formats import FORMATS


@click.command()
@change_options
@click.option("--all-files", is_flag=True, help="Judge every file at the head as if it were new.")
@click.option(
    "--format", "format_", type=click.Choice(sorted(FORMATS)), default="text", show_default=True
)
def command(
    repo: Path,
    base: str | None,
    head: str,
    number: int | None,
    policy_file: Path | None,
    all_files: bool,
    format_: str,
) -> int:
    """Judge what a change does to a benchmark repository.

    Exit status: 0 no blocking finding, 1 at least one, 2 wrong input or a rule that failed.
    """
    if (base is None) == (not all_files):
        raise click.UsageError("Give --base REV, or --all-files, and not both.")
    found = judged(repo, base, head, number, policy_file)
    click.echo(FORMATS[format_](found.report, found.snapshot), nl=False)
    if found.report.errors:
        return 2
    return 1 if found.report.blocking else 0
