"""`referee backtest`: what the rules would have said of the pull requests that were merged."""

import json
from collections.abc import Callable, Sequence, Set
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path

import click
from rich.console import Console
from rich.progress import track
from rich.table import Table

from bot.backtest import Replay, by_week, merges, records, replay_all
from bot.cli.inputs import FILE, PRESET, policy_from, repo_option
from bot.cli.rules import rule_option
from bot.damage import SnapshotError
from bot.pages.plots import backtest_page
from bot.snapshot import open_repository
from checks.registry import Rule


@click.command()
@repo_option("A clone with history.")
@click.option(
    "--branch", default="HEAD", show_default=True, help="Branch that they were merged into."
)
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), help="The oldest day, YYYY-MM-DD.")
@click.option("--last", type=click.IntRange(min=1), help="At most so many, the latest.")
@click.option("--policy", "file", type=FILE, help="A policy file to judge all of them under.")
@rule_option("Count only")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["table", "json", "html"]),
    default="table",
    show_default=True,
)
def command(
    repo: Path,
    branch: str,
    since: datetime | None,
    last: int | None,
    file: Path | None,
    rules: tuple[Rule, ...],
    format_: str,
) -> None:
    """Replay merged pull requests, to decide on a rule.

    Shows what each rule would have found and blocked, under the policy that each pull request was
    merged under (else the preset), or under --policy. Pull requests are the first-parent history of
    --branch.
    """
    try:
        oldest = since.replace(tzinfo=UTC) if since else None
        wanted = list(merges(open_repository(repo), branch, oldest))[:last]
        if not wanted:
            raise click.ClickException(
                "There is no merged pull request in this history; see --branch and --since."
            )
        console = Console(stderr=True)
        policy = policy_from(file) if file else None
        replaying = replay_all(repo, PRESET, wanted, policy)
        running = track(replaying, "Replaying", len(wanted), console=console)
        names = {rule.name for rule in rules}
        replays = [_only(replay, names) for replay in running]
    except SnapshotError as error:
        raise click.ClickException(str(error)) from None
    click.echo(_FORMATS[format_](replays), nl=False)


def _only(replay: Replay, names: Set[str]) -> Replay:
    return replace(replay, hits=tuple(hit for hit in replay.hits if hit.rule in names))


def _as_table(replays: Sequence[Replay]) -> str:
    table = Table(
        "Rule", "Hits", "Pull requests", "Would have blocked", "Latest examples", box=None
    )
    for record in records(replays):
        examples = ", ".join(f"#{merge.number}" for merge, _ in record.examples)
        table.add_row(
            record.rule,
            str(record.hits),
            str(record.pull_requests),
            f"{record.blocking} ({record.blocked:.1%})",
            examples,
        )
    console = Console(width=140)
    with console.capture() as capture:
        console.print(table)
    return capture.get() + _totals(replays)


def _totals(replays: Sequence[Replay]) -> str:
    blocked = sum(any(hit.severity == "blocking" for hit in r.hits) for r in replays)
    failed = sum(bool(replay.errors) for replay in replays)
    first, newest = replays[-1].merge.day, replays[0].merge.day
    return (
        f"{len(replays)} pull requests merged from {first} to {newest}; "
        f"{blocked} with a blocking finding, {failed} that could not be judged whole.\n"
    )


def _as_json(replays: Sequence[Replay]) -> str:
    content = {
        "schema": 1,
        "rules": [asdict(record) for record in records(replays)],
        "weeks": by_week(replays),
        "pull_requests": [asdict(replay) for replay in replays],
    }
    return json.dumps(content, indent=2, sort_keys=True) + "\n"


def _as_html(replays: Sequence[Replay]) -> str:
    return backtest_page(records(replays), by_week(replays), _totals(replays))


_FORMATS: dict[str, Callable[[Sequence[Replay]], str]] = {
    "table": _as_table,
    "json": _as_json,
    "html": _as_html,
}
