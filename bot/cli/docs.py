"""`referee docs`: the generated pages, and whether they are up to date."""

import re
from collections.abc import Iterator
from pathlib import Path

import click

from checks.docs import commands_table, obligations_table, rules_table, topic_readmes

ROOT = Path(__file__).parent.parent.parent
_TABLE = re.compile(r"(<!-- (rules|commands|obligations) -->\n).*?(<!-- /\2 -->)", re.DOTALL)
_TABLES = {
    "rules": rules_table,
    "commands": commands_table,
    "obligations": obligations_table,
}
_TABLED = ("README.md", "docs/sign-off.md")


@click.command()
@click.option("--write", is_flag=True, help="Write the pages instead of comparing them.")
def command(write: bool) -> int:
    """Tell whether the generated pages are up to date.

    They are made from the documentation of rules, commands and obligations. Exit status: 0 up to
    date (or written), 1 something differs.
    """
    missing = next((name for name in _TABLED if not (ROOT / name).is_file()), None)
    if missing is not None:
        raise click.ClickException(
            f"There is no {missing} beside this installation; run `referee docs` in a clone of "
            "Referee's own repository."
        )
    stale = [path for path, wanted in pages().items() if not _is(path, wanted)]
    for path in stale:
        if write:
            path.write_text(pages()[path], encoding="utf-8")
        click.echo(f"{'wrote' if write else 'out of date'}: {path.relative_to(ROOT)}")
    return 1 if stale and not write else 0


def pages() -> dict[Path, str]:
    """Return every generated page by its path."""
    return dict(_pages())


def _pages() -> Iterator[tuple[Path, str]]:
    for name, content in topic_readmes().items():
        yield ROOT / name, content
    for page in (ROOT / name for name in _TABLED):
        before = page.read_text(encoding="utf-8")
        yield page, _TABLE.sub(lambda m: f"{m[1]}{_TABLES[m[2]]()}\n{m[3]}", before)


def _is(path: Path, wanted: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8") == wanted
