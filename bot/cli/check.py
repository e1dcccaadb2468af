"""`referee check`: judge a change in a local clone, the way the server judges a pull request."""

from typing import Any

import click

from bot.cli.change import Change, change_options, judged
from bot.cli.rules import rule_option
from bot.formats import FORMATS, formatted
from checks.registry import Rule


@click.command()
@change_options
@rule_option("Run only")
@click.option("--all-files", is_flag=True, help="Judge every file at the head as if it were new.")
@click.option("--format", "format_", type=click.Choice(FORMATS), default="text", show_default=True)
def command(
    rules: tuple[Rule, ...],
    all_files: bool,
    format_: str,
    **options: Any,
) -> int:
    """Judge what a change does to a benchmark repository.

    With --staged the head is the index: what `git commit` would commit now. The base is HEAD, or
    with --base the merge base of that branch and HEAD (while a merge is committed: the newest one
    of both parents), so that all commits of the branch count too. The policy is that of the base
    branch, as committed. Nothing is committed or changed.

    Exit status: 0 no blocking finding, 1 at least one, 2 wrong input or a rule that failed.
    """
    change = Change(**options)
    if all_files and (change.base is not None or change.staged):
        raise click.UsageError("Give --all-files without --base and --staged.")
    if all_files and (change.number is not None or change.pull_request_file is not None):
        raise click.UsageError("Give --all-files without a pull request: all of them are judged.")
    if not all_files and change.base is None and not change.staged:
        raise click.UsageError("Give --base REV, --staged or --all-files.")
    found = judged(change, rules)
    if change.staged and change.base is None and not found.snapshot.files:
        click.echo("Nothing is staged; `git add` what is to be judged.", err=True)
    click.echo(formatted(format_, found.report, found.snapshot), nl=False)
    if found.report.errors:
        return 2
    return 1 if found.report.blocking else 0
