"""`referee policy`: questions about a policy file."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import click

from bot.cli.inputs import FILE, PRESET, policy_from, read_file
from checks.model import Blob
from checks.parse.codeowners import LOCATIONS
from checks.policy import POLICY_PATH, Policy, PolicyError, preset, read_policy
from checks.signoff.case_facts import CaseError
from checks.signoff.cases import Cases, CasesError, read_cases
from checks.signoff.template import TemplateError
from checks.signoff.try_cases import Tried, try_cases
from checks.text import visible


@click.group()
def command() -> None:
    """Ask about a policy file (.github/referee.yml)."""


@command.command()
@click.argument("file", type=FILE)
def check(file: Path) -> int:
    """Check whether FILE is a policy.

    Prints each problem as FILE:LINE:COLUMN. Exit status: 0 a policy, 1 not one, 2 wrong input.
    """
    try:
        read_policy(Blob.of(read_file(file)))
    except PolicyError as error:
        _tell(file, error)
        return 1
    click.echo(f"{file}: a valid policy.")
    return 0


@command.command()
@click.argument("file", type=FILE)
@click.option(
    "--repo", type=FILE, default=".", help="Folder with the repository's files.  [default: .]"
)
@click.option("--policy", "policy_file", type=FILE, help="A policy file instead of that of --repo.")
@click.option(
    "--record", type=FILE, help="Write the cases' facts here, for `referee signoff explain`."
)
def test(file: Path, repo: Path, policy_file: Path | None, record: Path | None) -> int:
    """Try whether sign-offs come to what the cases in FILE expect.

    CODEOWNERS, checklist and thresholds come from the repository's folder where FILE has none, and
    so does the policy; without one, the preset is tried. The form of FILE is in docs/sign-off.md.
    Exit status: 0 all as expected, 1 not, 2 wrong input.
    """
    try:
        policy = _policy(repo, policy_file)
        cases = _completed(read_cases(read_file(file)), policy, repo)
        found = list(try_cases(cases, policy))
    except CasesError as error:
        _tell(file, error, err=True)
        return 2
    except (CaseError, TemplateError) as error:
        raise click.ClickException(f"{file}: {error}") from None
    if record is not None:
        _record(record, found)
    for tried in found:
        name = visible(tried.case.name)
        click.echo(f"{'FAIL' if tried.wrong else 'ok  '} {tried.facts.number} {name}")
        for each in tried.wrong:
            click.echo(f"     {each.name}: expected {each.wanted}, got {each.got}: {each.reason}")
    failed = sum(bool(tried.wrong) for tried in found)
    click.echo(f"{len(found)} cases, {failed} not as expected.")
    return 1 if failed else 0


def _record(file: Path, found: Iterable[Tried]) -> None:
    from bot.recorded import record  # takes longer to import than the rest to run

    try:
        file.write_bytes(record(tried.facts for tried in found))
    except OSError as error:
        raise click.ClickException(f"{file} cannot be written: {error.strerror}.") from None


def _policy(repo: Path, file: Path | None) -> Policy:
    own = repo / POLICY_PATH
    path = file or (own if own.is_file() else None)
    return preset(PRESET) if path is None else policy_from(path)


def _completed(cases: Cases, policy: Policy, repo: Path) -> Cases:
    """Return the cases with the repository's pages where they have none of their own."""
    layouts = policy.layouts
    named = [layouts[cases.layout]] if cases.layout in layouts else list(layouts.values())[:1]
    pages = [page for layout in named for page in layout.checklist]
    return replace(
        cases,
        codeowners=_page(cases.codeowners, repo, LOCATIONS),
        checklist=_page(cases.checklist, repo, pages),
        thresholds=_page(cases.thresholds, repo, policy.sign_off.thresholds),
    )


def _page(own: str | None, repo: Path, paths: Iterable[str]) -> str | None:
    if own is not None:
        return own
    there = (repo / path for path in paths if (repo / path).is_file())
    found = next(there, None)
    return None if found is None else read_file(found).decode("utf-8", "replace")


def _tell(file: Path, error: PolicyError | CasesError, *, err: bool = False) -> None:
    for line, column, what in error.problems:
        click.echo(f"{file}:{line}:{column}: {what}", err=err)
