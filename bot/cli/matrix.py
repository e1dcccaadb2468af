"""`referee matrix`: the benchmark points of a revision, or what a change does to them."""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click
import pygit2

from bot.cli.change import policy_of, policy_option
from bot.cli.inputs import repo_option
from bot.cli.matrix_table import matrix_table, sweep_table
from bot.damage import SnapshotError
from bot.snapshot import commit_of, files_at, open_repository, take_snapshot
from checks.matrix.counts import counted
from checks.matrix.difference import Point
from checks.matrix.identity import curve, order, recipe_fingerprint
from checks.matrix.matrix import Matrix, matching, matrix
from checks.matrix.problem import Problem
from checks.matrix.selection import Evals, trimmed
from checks.matrix.sweep import Sweep, sweep
from checks.policy import Policy

EVALS = ("default", "none", "only", "all")

_Keyed = tuple[str, Problem]  # with the config key that it is about, "" for none


@click.command()
@repo_option()
@click.option("--rev", help="Branch or commit to show the matrix of.  [default: HEAD]")
@click.option("--base", help="Show instead what --head changes since the merge base with this.")
@click.option("--head", help="Branch or commit with the change, with --base.  [default: HEAD]")
@click.option("--keys", multiple=True, help="Only config keys like this; * and ? are wildcards.")
@click.option(
    "--evals",
    type=click.Choice(EVALS),
    default="default",
    show_default=True,
    help="Jobs with evaluation marks, without, marked evaluations only, or all evaluations.",
)
@policy_option
@click.option("--trim", is_flag=True, help="Only the lowest concurrency of each shape.")
@click.option("--fingerprints", is_flag=True, help="Add the recipe fingerprint to each row.")
@click.option(
    "--format", "format_", type=click.Choice(["json", "table"]), default="table", show_default=True
)
def command(
    repo: Path,
    rev: str | None,
    base: str | None,
    head: str | None,
    keys: tuple[str, ...],
    evals: Evals,
    policy_file: Path | None,
    *,
    trim: bool,
    fingerprints: bool,
    format_: str,
) -> int:
    """Show every job that the master configs stand for.

    None of the repository's code is run. Exit status: 0 done, 1 points are missing because a config
    is wrong, 2 wrong input.
    """
    if rev is not None and (base is not None or head is not None):
        raise click.UsageError("Give --rev, or --base and --head.")
    if head is not None and base is None:
        raise click.UsageError("Give --base REV with --head.")
    if base is not None and (trim or fingerprints or evals != "default"):
        raise click.UsageError("Give --evals, --trim and --fingerprints without --base.")
    try:
        repository = open_repository(repo)
        if base is not None:
            revisions = (base, "HEAD" if head is None else head)
            return _change(repository, revisions, policy_file, keys, format_)
        found = _matrix(repository, "HEAD" if rev is None else rev, policy_file)
    except SnapshotError as error:
        raise click.ClickException(str(error)) from None
    names = _named(found.rows, keys)
    rows = found.jobs(names, evals)
    rows = trimmed(rows, found.dialect) if trim else rows
    if fingerprints:
        rows = [{**row, "recipe-fingerprint": recipe_fingerprint(row)} for row in rows]
    click.echo(
        _json(sorted(rows, key=order)) if format_ == "json" else matrix_table(found, names, rows)
    )
    return _told(_about(found.problems_by_key(), names))


def _matrix(repository: pygit2.Repository, revision: str, file: Path | None) -> Matrix:
    commit = commit_of(repository, revision)
    policy, _ = policy_of(repository, revision, file)
    tree = files_at(repository, commit)
    layout = policy.layout(tree)
    if layout is None:
        raise _no_layout(policy, revision)
    return matrix(tree, layout)


def _no_layout(policy: Policy, revision: str) -> click.ClickException:
    paths = ", ".join(each.changelog for each in policy.layouts.values())
    return click.ClickException(f"{revision} has no known layout; looked for {paths}.")


def _named(known: Iterable[str], keys: Sequence[str]) -> list[str]:
    names = list(known)
    found, missed = matching(names, keys)
    if missed:
        close = get_close_matches(missed[0], names, 1)
        meant = f"; did you mean {close[0]}?" if close else "."
        raise click.ClickException(f"No config key is like {missed[0]!r}{meant}")
    return found


def _about(problems: Iterable[_Keyed], names: Collection[str]) -> Iterator[_Keyed]:
    """Yield the problems of some config keys, and those of none."""
    return (each for each in problems if each[0] in names or not each[0])


def _told(problems: Iterable[_Keyed]) -> int:
    """Print what is wrong, and return the exit status."""
    status = 0
    for _, problem in problems:
        click.echo(f"{'error' if problem.fatal else 'note'}: {problem}", err=True)
        status = max(status, int(problem.fatal))
    return status


def _json(content: Any) -> str:
    return json.dumps(content, indent=2)


def _change(
    repository: pygit2.Repository,
    revisions: tuple[str, str],
    file: Path | None,
    keys: Sequence[str],
    format_: str,
) -> int:
    base, head = revisions
    snapshot = take_snapshot(repository, base, head)
    policy, _ = policy_of(repository, base, file)
    found = sweep(snapshot, policy)
    if found is None:
        raise _no_layout(policy, head)
    chosen = _only(found, keys)
    if format_ == "json":
        shas = {"schema": 1, "base": snapshot.base.sha, "head": snapshot.head.sha}
        click.echo(_json({**shas, **_as_json(chosen)}))
    else:
        click.echo(sweep_table(chosen))
    return _told(chosen.problems)


def _only(found: Sweep, keys: Sequence[str]) -> Sweep:
    """Return what concerns some config keys; evaluations only when every key is wanted."""
    if not keys:
        return found
    points = (*found.added, *found.removed, *found.jobs)
    names = set(_named(dict.fromkeys(point.config_key for point in points), keys))

    def kept(points: Iterable[Point]) -> tuple[Point, ...]:
        return tuple(point for point in points if point.config_key in names)

    shapes = {curve(point.row) for point in kept(found.jobs)}
    return Sweep(
        kept(found.added),
        kept(found.removed),
        kept(found.rerun),
        kept(found.unmeasured),
        kept(found.jobs),
        tuple(row for row in found.evals if curve(row) in shapes),
        tuple(_about(found.problems, names)),
    )


def _as_json(found: Sweep) -> dict[str, Any]:
    def rows(points: Iterable[Point]) -> list[Any]:
        return sorted(({"config-key": p.config_key, **p.row} for p in points), key=order)

    return {
        "added": rows(found.added),
        "removed": rows(found.removed),
        "rerun": rows(found.rerun),
        "unmeasured": rows(found.unmeasured),
        "jobs": rows(found.jobs),
        "evals": sorted(found.evals, key=order),
        "runners": {runner: asdict(counts) for runner, counts in counted(found)},
    }
